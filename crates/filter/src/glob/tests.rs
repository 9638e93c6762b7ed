//! Globs against a matcher that tries everything.

use super::*;

#[test]
fn git_globs_match_bytes() {
    let is_match = |glob: &[u8], text| {
        git_tokens(glob, false, LetterCase::Exact)
            .is_some_and(|tokens| Glob::new(tokens).is_match(text))
    };
    assert!(is_match(b"a?", b"a\xff"));
    assert!(is_match(b"[\xf0-\xff]", b"\xff"));
}

/// The oracle: a matcher that tries every split.
fn is_match_naive(tokens: &[Token], text: &[u8], at: usize) -> bool {
    let Some((token, rest)) = tokens.split_first() else {
        return at == text.len();
    };
    let is_end = |end: usize| match token {
        Token::Star => !text[at..end].contains(&b'/'),
        Token::Dirs => end == at || text[end - 1] == b'/',
        Token::All => true,
        single => end == at + 1 && single.is_match(text[at]),
    };
    (at..=text.len()).any(|end| is_end(end) && is_match_naive(rest, text, end))
}

#[test]
fn backtracking_agrees_with_trying_everything() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut below = |limit| random.usize(..limit);
    let mut matched = 0;
    for _ in 0..200_000 {
        let mut tokens: Vec<Token> = Vec::new();
        for _ in 0..below(8) {
            // Neither dialect has a `**` elsewhere.
            let is_deep = matches!(tokens.last(), None | Some(Token::Byte(b'/')));
            let token = match below(8) {
                0 | 1 => Token::Byte(b'a'),
                2 => Token::Byte(b'b'),
                3 => Token::Byte(b'/'),
                4 => Token::Any,
                6 if is_deep => Token::Dirs,
                7 if is_deep => {
                    tokens.push(Token::All);
                    Token::Byte(b'/')
                }
                _ => Token::Star,
            };
            tokens.push(token);
        }
        let text: Vec<u8> = (0..below(9)).map(|_| b"aab/"[below(4)]).collect();
        // Paths have no empty components, and globs are made for them.
        if text.windows(2).any(|pair| pair == b"//") || text.starts_with(b"/") {
            continue;
        }
        let expected = is_match_naive(&tokens, &text, 0);
        matched += usize::from(expected);
        let glob = Glob::new(tokens);
        assert_eq!(glob.is_match(&text), expected, "{glob:?} {}", text.escape_ascii());
    }
    assert!(matched > 5_000, "{matched}");
}
