//! Names in quotation marks, as git prints them by line and reads them in attribute files.
//!
//! Git writes a name with unusual bytes between quotation marks, with escapes as in C
//! (`core.quotePath` in git-config(1)): of the name `café.txt`, `git diff --name-only` prints
//! `"caf\303\251.txt"`.

/// Returns the name that `text` stands for; `None` if it is no name between quotation marks.
///
/// ```
/// let name = heist_filter::git_quotes::unquoted(br#""caf\303\251.txt""#);
/// assert_eq!(name.as_deref(), Some("café.txt".as_bytes()));
/// ```
#[must_use]
pub fn unquoted(text: &[u8]) -> Option<Vec<u8>> {
    let (name, rest) = unquoted_start(text)?;
    rest.is_empty().then_some(name)
}

/// Returns the name between the quotation marks that `text` begins with, and what follows them. Of
/// `"a b" -diff`, these are `a b` and ` -diff`.
pub(crate) fn unquoted_start(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (byte, tail) = match rest {
            [] | [b'\\'] => return None,
            [b'"', tail @ ..] => return Some((name, tail)),
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] => {
                ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), tail)
            }
            [b'\\', escape, tail @ ..] => (escaped(*escape)?, tail),
            [byte, tail @ ..] => (*byte, tail),
        };
        name.push(byte);
        rest = tail;
    }
}

/// The byte for which a backslash and `escape` stand.
fn escaped(escape: u8) -> Option<u8> {
    Some(match escape {
        b'a' => b'\x07',
        b'b' => b'\x08',
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => b'\x0b',
        b'f' => b'\x0c',
        b'r' => b'\r',
        b'"' | b'\\' => escape,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn names_between_quotation_marks_have_escapes_as_in_c() {
        for (text, name) in [
            (r#""caf\303\251.txt""#, &b"caf\xc3\xa9.txt"[..]),
            (r#""lat\351""#, b"lat\xe9"),
            (r#""q\"t""#, b"q\"t"),
            (r#""a\\b""#, b"a\\b"),
            (r#""\a\b\t\n\v\f\r""#, b"\x07\x08\t\n\x0b\x0c\r"),
            (r#""\0017""#, b"\x017"),
            (r#""""#, b""),
        ] {
            assert_eq!(unquoted(text.as_bytes()).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_quoted_names() {
        for text in [
            "",
            "\"",
            "a",
            "\"a",
            "a\"",
            r#""a"b""#,
            r#""a\""#,
            r#""\q""#,
            r#""\400""#,
            r#""\08""#,
            r#"'a'"#,
        ] {
            assert_eq!(unquoted(text.as_bytes()), None, "{text}");
        }
    }
}
