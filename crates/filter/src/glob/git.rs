//! Git's globs, as its `wildmatch` reads them.
//!
//! Written from the documented rules (`gitignore(5)`) and from what git 2.39 answers where they
//! are silent; `tests/git.rs` asks git itself. What surprises:
//!
//! - Git compares the literal beginning of a path rule on its own and hands only the rest to the
//!   glob matcher. A `**` that stands first in this *rest* counts as a whole path component, even
//!   where it follows a letter: `a/b**/c` matches `a/bc` and `a/b/x/c`.
//! - A backslash at the end and a bracket that is never closed make a rule that matches nothing.
//! - Inside brackets `\` escapes, `[:alpha:]` is a class, a range the wrong way round is empty.

use super::{ByteSet, Token};

/// The tokens of a pattern (its `!`, first and last slash already taken off), or `None` if it can
/// never match. `is_path` tells that it is compared with paths, where `**` means something;
/// `case_insensitive` that text will come in lower case.
pub(crate) fn tokens(pattern: &[u8], is_path: bool, case_insensitive: bool) -> Option<Vec<Token>> {
    let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
    let start = pattern.iter().position(is_special).unwrap_or(pattern.len());
    let mut tokens = Vec::with_capacity(pattern.len());
    tokens.extend(pattern[..start].iter().map(|&byte| literal(byte, case_insensitive)));
    let mut at = start;
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        match byte {
            b'?' => tokens.push(Token::Any),
            b'*' => {
                let end = at + pattern[at..].iter().take_while(|&&byte| byte == b'*').count();
                let before = if at - 1 == start { b'/' } else { pattern[at - 2] };
                let is_deep = is_path && end > at && before == b'/';
                at = push_stars(&mut tokens, pattern, end, is_deep);
            }
            b'[' => {
                let (set, end) = bracket(pattern, at, case_insensitive)?;
                tokens.push(Token::Set(Box::new(set)));
                at = end;
            }
            b'\\' => {
                tokens.push(literal(*pattern.get(at)?, case_insensitive));
                at += 1;
            }
            _ => tokens.push(literal(byte, case_insensitive)),
        }
    }
    Some(tokens)
}

fn literal(byte: u8, case_insensitive: bool) -> Token {
    Token::Byte(if case_insensitive { byte.to_ascii_lowercase() } else { byte })
}

/// Push what a run of stars means that ends before `end`; the position after what it took.
fn push_stars(tokens: &mut Vec<Token>, pattern: &[u8], end: usize, is_deep: bool) -> usize {
    let rest = &pattern[end..];
    let token = if is_deep && rest.first() == Some(&b'/') {
        Token::Dirs
    } else if is_deep && (rest.is_empty() || rest.starts_with(b"\\/")) {
        Token::All
    } else {
        Token::Star
    };
    let taken = usize::from(token == Token::Dirs);
    if tokens.last() != Some(&token) {
        tokens.push(token);
    }
    end + taken
}

/// Read a bracket expression whose `[` stands before `at`: the set, and the position after its
/// `]`. `None` if it is not closed or names a class that does not exist.
fn bracket(pattern: &[u8], mut at: usize, case_insensitive: bool) -> Option<(ByteSet, usize)> {
    let mut set = ByteSet::default();
    let is_negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(is_negated);
    // The byte before, if it can begin a range.
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
                set.add(escaped);
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
            b'[' if pattern.get(at) == Some(&b':') => match class(pattern, at + 1)? {
                Some((is_member, end)) => {
                    set.add_all(is_member);
                    at = end;
                    previous = None;
                }
                None => {
                    set.add(b'[');
                    previous = Some(b'[');
                }
            },
            _ => {
                set.add(byte);
                previous = Some(byte);
            }
        }
        is_first = false;
    }
    if case_insensitive {
        set.add_other_case();
    }
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

type IsMember = fn(u8) -> bool;

/// Read a class whose `[:` stands before `at`: its test and the position after its `:]`. The
/// outer `None` is a rule that can never match, the inner one a `[:` that begins no class.
#[allow(clippy::option_option)]
fn class(pattern: &[u8], at: usize) -> Option<Option<(IsMember, usize)>> {
    let end = at + memchr::memchr(b']', &pattern[at..])?;
    let Some(name) = pattern[at..end].strip_suffix(b":") else {
        return Some(None);
    };
    let is_member: IsMember = match name {
        b"alnum" => |byte| byte.is_ascii_alphanumeric(),
        b"alpha" => |byte| byte.is_ascii_alphabetic(),
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => |byte| byte.is_ascii_control(),
        b"digit" => |byte| byte.is_ascii_digit(),
        b"graph" => |byte| byte.is_ascii_graphic(),
        b"lower" => |byte| byte.is_ascii_lowercase(),
        b"print" => |byte| byte.is_ascii_graphic() || byte == b' ',
        b"punct" => |byte| byte.is_ascii_punctuation(),
        // Git's own table of characters knows no vertical tab and no form feed.
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => |byte| byte.is_ascii_uppercase(),
        b"xdigit" => |byte| byte.is_ascii_hexdigit(),
        _ => return None,
    };
    Some(Some((is_member, end + 1)))
}
