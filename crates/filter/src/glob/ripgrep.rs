//! Ripgrep's globs, as far as tokens can express them.
//!
//! The dialect is what the crate `globset` accepts with `literal_separator`, `backslash_escape`
//! and, in contrast to ripgrep, `empty_alternates`: `a{,b}` matches `a`. It has braces, and reads
//! brackets by other rules than git. What tokens cannot express is matched by `globset` itself, so
//! this file may return [`Scan::Regex`] for any glob, but tokens only where they mean the same.

use super::{byte_set::ByteSet, token::Token};

/// How a glob is matched.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// By these tokens.
    Plain(Vec<Token>),
    /// By `globset`.
    Regex,
}

/// Parses a glob. With `is_path` it matches paths, otherwise names; with `case_insensitive` it
/// matches text in lower case.
///
/// ```text
/// *.tar.gz       ->   Plain(Star . t a r . g z)
/// *.{tar,zip}    ->   Regex
/// ```
pub(crate) fn tokens(glob: &[u8], is_path: bool, case_insensitive: bool) -> Scan {
    let mut tokens = Vec::with_capacity(glob.len());
    let has_escape = memchr::memchr(b'\\', glob).is_some();
    let mut at = 0;
    while let Some(&byte) = glob.get(at) {
        at += 1;
        match byte {
            b'?' => tokens.push(Token::Any),
            b'*' => {
                let end = at + glob[at..].iter().take_while(|&&byte| byte == b'*').count();
                if end > at && has_escape {
                    return Scan::Regex;
                }
                let is_double = is_path && end == at + 1;
                let is_deep = is_double && (at == 1 || glob[at - 2] == b'/');
                at = push_stars(&mut tokens, glob, end, is_deep);
            }
            b'[' => {
                let Some((set, end)) = bracket(glob, at, case_insensitive) else {
                    return Scan::Regex;
                };
                tokens.push(Token::Set(Box::new(set)));
                at = end;
            }
            b'\\' => match glob.get(at) {
                Some(&escaped) if escaped != b'/' => {
                    tokens.push(Token::literal(escaped, case_insensitive));
                    at += 1;
                }
                _ => return Scan::Regex,
            },
            b'{' | b'}' => return Scan::Regex,
            _ => tokens.push(Token::literal(byte, case_insensitive)),
        }
    }
    Scan::Plain(tokens)
}

/// Appends what a run of stars means that ends before `end`, and returns where the glob continues.
fn push_stars(tokens: &mut Vec<Token>, glob: &[u8], end: usize, is_deep: bool) -> usize {
    let token = match glob.get(end) {
        Some(b'/') if is_deep => Token::Dirs,
        None if is_deep => Token::All,
        _ => Token::Star,
    };
    token.push_run(tokens, end)
}

/// Reads a bracket expression that begins with the `[` before `at`, if it is a plain one: ASCII, no
/// escapes, no class, no reversed ranges. The set has no slash.
fn bracket(glob: &[u8], mut at: usize, case_insensitive: bool) -> Option<(ByteSet, usize)> {
    let mut set = ByteSet::default();
    let is_negated = matches!(glob.get(at)?, b'!' | b'^');
    at += usize::from(is_negated);
    let end = at + 1 + memchr::memchr(b']', glob.get(at + 1..)?)?;
    while at < end {
        let first = glob[at];
        if !first.is_ascii() || matches!(first, b'-' | b'\\' | b'[') {
            return None;
        }
        let mut last = first;
        if glob[at + 1] == b'-' {
            last = glob[at + 2];
            if last < first || !last.is_ascii() || matches!(last, b'-' | b'\\' | b'[' | b']') {
                return None;
            }
            at += 2;
        }
        set.add_range(first, last);
        at += 1;
    }
    if case_insensitive {
        set.add_other_case();
    }
    if is_negated {
        set.invert();
    }
    set.remove(b'/');
    Some((set, end + 1))
}
