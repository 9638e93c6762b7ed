//! Git's globs, as its `wildmatch` reads them.
//!
//! Written from the documented rules (`gitignore(5)`), and where these are silent, from the results
//! of git 2.39; `tests/git.rs` compares with git. What is surprising:
//!
//! - A `**` counts as directories only where it is a whole path component, or follows a slash and
//!   precedes an escaped one. Git before 2.52 also does so where `**` is the first wildcard of a
//!   path rule and follows a letter: there, `a/b**/c` matches `a/bc` and `a/b/x/c`.
//! - A rule with a backslash at the end, or with an unclosed bracket, matches nothing.
//! - Inside brackets `\` escapes, `[:alpha:]` is a class, and a reversed range is empty.
//! - With `core.ignoreCase`, `[A]` and `\A` match nothing, and `[A-A]` matches `a`.

use super::{
    byte_set::ByteSet,
    matcher::Glob,
    token::{LetterCase, Token},
};

/// Returns the tokens of a pattern without its `!`, first and last slash, or `None` if it can never
/// match. With `is_path` it matches paths, where `**` has a meaning.
///
/// ```text
/// src/**/*.rs    ->   s r c / Dirs Star . r s
/// ```
pub(crate) fn tokens(pattern: &[u8], is_path: bool, case: LetterCase) -> Option<Vec<Token>> {
    let mut tokens = Vec::with_capacity(pattern.len());
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        match byte {
            b'?' => tokens.push(Token::Any),
            b'*' => {
                let end = at + pattern[at..].iter().take_while(|&&byte| byte == b'*').count();
                let is_component = at == 1 || pattern[at - 2] == b'/';
                let is_deep = is_path && end > at && is_component;
                at = push_stars(&mut tokens, pattern, end, is_deep);
            }
            b'[' => {
                let (set, end) = bracket(pattern, at, case)?;
                tokens.push(Token::Set(Box::new(set)));
                at = end;
            }
            b'\\' => {
                tokens.push(Token::literal(*pattern.get(at)?, case == LetterCase::Folded));
                at += 1;
            }
            _ => tokens.push(Token::literal(byte, case.is_folded())),
        }
    }
    Some(tokens)
}

/// Returns whether a path matches a pattern in git's configuration.
pub(crate) fn matches_path(pattern: &[u8], text: &[u8], case: LetterCase) -> bool {
    tokens(pattern, true, case).is_some_and(|tokens| Glob::new(tokens).is_match(text))
}

/// Appends what a run of stars means that ends before `end`, and returns where the pattern
/// continues.
fn push_stars(tokens: &mut Vec<Token>, pattern: &[u8], end: usize, is_deep: bool) -> usize {
    let rest = &pattern[end..];
    let token = if is_deep && rest.first() == Some(&b'/') {
        Token::Dirs
    } else if is_deep && (rest.is_empty() || rest.starts_with(b"\\/")) {
        Token::All
    } else {
        Token::Star
    };
    token.push_run(tokens, end)
}

/// Reads a bracket expression that begins with the `[` before `at`. Returns the set and the
/// position after the `]`, or `None` if the expression is not closed or contains an unknown class.
fn bracket(pattern: &[u8], mut at: usize, case: LetterCase) -> Option<(ByteSet, usize)> {
    // Git does not fold single members.
    let (mut single, mut set) = (ByteSet::default(), ByteSet::default());
    let is_negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(is_negated);
    // The previous byte, if it can start a range.
    let mut previous: Option<u8> = None;
    let mut is_first = true;
    loop {
        let byte = *pattern.get(at)?;
        at += 1;
        match byte {
            b']' if !is_first => break,
            b'\\' => {
                let escaped = *pattern.get(at)?;
                at += 1;
                single.add(escaped);
                previous = Some(escaped);
            }
            b'-' if previous.is_some() && ends_range(pattern.get(at)) => {
                let mut last = pattern[at];
                at += 1;
                if last == b'\\' {
                    last = *pattern.get(at)?;
                    at += 1;
                }
                set.add_range(previous?, last);
                previous = None;
            }
            b'[' if pattern.get(at) == Some(&b':') => match class(pattern, at + 1) {
                Class::Test(is_member, end) => {
                    set.add_all(is_member);
                    at = end;
                    previous = None;
                }
                Class::Literal => {
                    single.add(b'[');
                    previous = Some(b'[');
                }
                Class::Unknown => return None,
            },
            _ => {
                single.add(byte);
                previous = Some(byte);
            }
        }
        is_first = false;
    }
    if case.is_folded() {
        set.add_other_case();
    }
    if case == LetterCase::Folded {
        single.add_other_case();
    }
    set.unite(&single);
    if is_negated {
        set.invert();
    }
    set.remove(b'/');
    Some((set, at))
}

/// Whether the byte after a `-` makes it a range.
fn ends_range(next: Option<&u8>) -> bool {
    next.is_some_and(|&byte| byte != b']')
}

/// What follows a `[:` within brackets.
enum Class {
    /// A class with this test, and the position after its `:]`.
    Test(fn(u8) -> bool, usize),
    /// The `[` stands for itself.
    Literal,
    /// A class that does not exist, or that is not closed. The rule can never match.
    Unknown,
}

/// Reads a class that begins with the `[:` before `at`.
fn class(pattern: &[u8], at: usize) -> Class {
    let Some(length) = memchr::memchr(b']', &pattern[at..]) else { return Class::Unknown };
    let end = at + length;
    let Some(name) = pattern[at..end].strip_suffix(b":") else { return Class::Literal };
    let is_member: fn(u8) -> bool = match name {
        b"alnum" => |byte| byte.is_ascii_alphanumeric(),
        b"alpha" => |byte| byte.is_ascii_alphabetic(),
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => |byte| byte.is_ascii_control(),
        b"digit" => |byte| byte.is_ascii_digit(),
        b"graph" => |byte| byte.is_ascii_graphic(),
        b"lower" => |byte| byte.is_ascii_lowercase(),
        b"print" => |byte| byte.is_ascii_graphic() || byte == b' ',
        b"punct" => |byte| byte.is_ascii_punctuation(),
        // Git's own character table has no vertical tab and no form feed.
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => |byte| byte.is_ascii_uppercase(),
        b"xdigit" => |byte| byte.is_ascii_hexdigit(),
        _ => return Class::Unknown,
    };
    Class::Test(is_member, end + 1)
}
