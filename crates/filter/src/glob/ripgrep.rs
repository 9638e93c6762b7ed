//! Ripgrep's globs, as far as they mean what our tokens can say.
//!
//! The dialect is that of the crate `globset` with `literal_separator` and `backslash_escape`. It
//! has braces, reads brackets by other rules than git, and lets a negated bracket match a slash.
//! Whatever is not plain is left to `globset` itself, so this file may say "foreign" whenever in
//! doubt but must never read a glob differently.

use super::{ByteSet, Token};

/// What became of a glob.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// It is these tokens.
    Plain(Vec<Token>),
    /// `globset` has to match it. If it is a base name's glob, the base name is enough.
    Regex,
    /// `globset` has to match it, on the whole path in any case: it may match a slash.
    RegexPath,
}

/// The tokens of a glob. `is_path` tells that it is compared with paths, not base names; `case_insensitive`
/// that text will come in lower case.
pub(crate) fn tokens(glob: &[u8], is_path: bool, case_insensitive: bool) -> Scan {
    let mut tokens = Vec::with_capacity(glob.len());
    let has_escape = memchr::memchr(b'\\', glob).is_some();
    let foreign = || {
        if memchr::memchr(b'[', glob).is_some() { Scan::RegexPath } else { Scan::Regex }
    };
    let mut at = 0;
    while let Some(&byte) = glob.get(at) {
        at += 1;
        match byte {
            b'?' => tokens.push(Token::Any),
            b'*' => {
                let end = at + glob[at..].iter().take_while(|&&byte| byte == b'*').count();
                if end > at && has_escape {
                    return foreign();
                }
                let is_double = is_path && end == at + 1;
                let is_deep = is_double && (at == 1 || glob[at - 2] == b'/');
                at = push_stars(&mut tokens, glob, end, is_deep);
            }
            b'[' => {
                let Some((mut set, end)) = bracket(glob, at, case_insensitive) else {
                    return Scan::RegexPath;
                };
                // At either end of a base name's glob there is no slash to be matched.
                let is_inner = at > 1 && end < glob.len();
                if set.has(b'/') && (is_path || is_inner) {
                    return Scan::RegexPath;
                }
                set.remove(b'/');
                tokens.push(Token::Set(Box::new(set)));
                at = end;
            }
            b'\\' => match glob.get(at) {
                Some(&escaped) if escaped != b'/' => {
                    tokens.push(literal(escaped, case_insensitive));
                    at += 1;
                }
                _ => return foreign(),
            },
            b'{' | b'}' => return foreign(),
            _ => tokens.push(literal(byte, case_insensitive)),
        }
    }
    Scan::Plain(tokens)
}

fn literal(byte: u8, case_insensitive: bool) -> Token {
    Token::Byte(if case_insensitive { byte.to_ascii_lowercase() } else { byte })
}

/// Push what a run of stars means that ends before `end`; the position after what it took.
fn push_stars(tokens: &mut Vec<Token>, glob: &[u8], end: usize, is_deep: bool) -> usize {
    let token = match glob.get(end) {
        Some(b'/') if is_deep => Token::Dirs,
        None if is_deep => Token::All,
        _ => Token::Star,
    };
    let taken = usize::from(token == Token::Dirs);
    if tokens.last() != Some(&token) {
        tokens.push(token);
    }
    end + taken
}

/// Read a bracket expression whose `[` stands before `at`, if it is a plain one: ASCII, no
/// escapes, no class, no odd ranges. The set may have a slash.
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
    Some((set, end + 1))
}
