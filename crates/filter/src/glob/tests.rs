//! Globs of both dialects, each with what it matches and what it does not.

use super::*;

/// Whether a glob of git's dialect matches.
fn git_matches(glob: &[u8], text: &[u8], is_path: bool) -> bool {
    git_tokens(glob, is_path, false).is_some_and(|tokens| Glob::new(tokens).is_match(text))
}

#[test]
fn git_globs_match_names() {
    // A glob, names that match, names that do not; separated by blanks.
    let cases = [
        ("foo", "foo", "fo fooo Foo"),
        ("f*o", "fo foo fxxo", "f o fox"),
        ("*.rs", ".rs a.rs a.b.rs", "rs a.rsx"),
        ("*a*b*", "ab xaxbx aabb", "ba a b"),
        ("?", "a . -", "ab"),
        ("a**b", "ab axb axxb", "a b"),
        ("[abc]x", "ax bx cx", "x dx abcx"),
        ("[!abc]x", "dx ]x", "ax x"),
        ("[^abc]x", "dx !x", "ax ^"),
        ("[a-c]", "a b c", "d - A"),
        ("[c-a]", "c", "a b -"),
        ("[a-c-e]", "a b c - e", "d"),
        ("[]a]", "] a", "b []a]"),
        ("[!]a]", "b [", "] a"),
        ("[a-]", "a -", "b"),
        ("[-a]", "a -", "b"),
        ("[\\]]", "]", "\\ a"),
        ("[\\-a]", "- a", "\\"),
        ("[a\\-c]", "a - c", "b \\"),
        ("[[:digit:]x]", "0 9 x", "a : d"),
        ("[[:upper:]-c]", "A - c", "a b"),
        ("[[:punct:]]", "! [ ~ _", "a 1"),
        ("[[:nonsense:]]", "", "n : ["),
        ("[[:alpha]", "[ : a l", "b ]"),
        ("[a", "", "a [a ["),
        ("[", "", "["),
        ("a\\", "", "a a\\"),
        ("\\a\\*", "a*", "\\a\\* ab"),
        ("{a,b}", "{a,b}", "a b"),
    ];
    for (glob, yes, no) in cases {
        for name in yes.split_whitespace() {
            assert!(git_matches(glob.as_bytes(), name.as_bytes(), false), "{glob} {name}");
        }
        for name in no.split_whitespace() {
            assert!(!git_matches(glob.as_bytes(), name.as_bytes(), false), "{glob} {name}");
        }
    }
    assert!(git_matches(b"a?", b"a\xff", false));
    assert!(git_matches(b"[\xf0-\xff]", b"\xff", false));
}

#[test]
fn git_globs_match_paths() {
    let cases = [
        ("a/*", "a/b a/.b", "a/b/c b a"),
        ("*/b", "a/b", "b a/a/b"),
        ("a/**", "a/b a/b/c", "a b/a"),
        ("**/b", "b a/b a/a/b", "ab a/ab b/a"),
        ("a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb axb x/a/b"),
        ("a/***/b", "a/b a/x/b", "ab"),
        ("**/a/**", "a/b x/a/b x/y/a/b/c", "a x/a ab/c"),
        ("a?b/c", "axb/c", "a/b/c a/b"),
        ("a[/]b", "", "a/b"),
        ("a[!x]b/c", "ayb/c", "a/b/c axb/c"),
        // After the literal beginning, `**` is at the start of the rest.
        ("a/b**", "a/b a/bc a/bc/d", "a b a/c"),
        ("a/b**/c", "a/bc a/bx/c a/b/x/y/c", "a/b a/bxc/d"),
        // After a wildcard it is not.
        ("a/?b**", "a/xb a/xbc", "a/xb/c"),
        ("**\\/a", "x/a x/y/a", "a xa"),
        ("*a*/b", "a/b xay/b", "a b/a/c xay/z/b"),
    ];
    for (glob, yes, no) in cases {
        for path in yes.split_whitespace() {
            assert!(git_matches(glob.as_bytes(), path.as_bytes(), true), "{glob} {path}");
        }
        for path in no.split_whitespace() {
            assert!(!git_matches(glob.as_bytes(), path.as_bytes(), true), "{glob} {path}");
        }
    }
}

#[test]
fn case_insensitive_globs_match_text_in_lower_case() {
    let matches = |glob: &[u8], text: &[u8]| {
        let git = git_tokens(glob, false, true).map(Glob::new).unwrap();
        let Scan::Plain(ripgrep) = ripgrep_tokens(glob, false, true) else { panic!("{glob:?}") };
        let verdict = git.is_match(text);
        assert_eq!(Glob::new(ripgrep).is_match(text), verdict);
        verdict
    };
    assert!(matches(b"FoO", b"foo"));
    assert!(matches(b"[A-C]x", b"bx"));
    assert!(!matches(b"[!A]", b"a"));
    assert!(matches(b"\\A", b"a"));
}

#[test]
fn ripgrep_globs_that_are_not_plain_are_left_to_globset() {
    let regex: [&[u8]; 6] = [b"{a,b}", b"}", b"a\\", b"a\\/b", b"\\a**", b"a{"];
    for glob in regex {
        assert_eq!(ripgrep_tokens(glob, true, false), Scan::Regex, "{}", glob.escape_ascii());
    }
    let regex: [&[u8]; 9] = [
        b"[",
        b"[]",
        b"[a-",
        b"[c-a]",
        b"[\\a]",
        b"[[:alpha:]]",
        b"x[!a]y",
        b"[\xc3\xa9]",
        b"{[a]",
    ];
    for glob in regex {
        let scan = ripgrep_tokens(glob, false, false);
        assert_eq!(scan, Scan::RegexPath, "{}", glob.escape_ascii());
    }
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
            let is_deep = matches!(tokens.last(), None | Some(Token::Byte(b'/')))
                || tokens.iter().all(|token| matches!(token, Token::Byte(_)));
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
