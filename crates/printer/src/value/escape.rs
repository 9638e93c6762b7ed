//! Shows bytes as text that a terminal would obey instead of showing, or could not show.
//!
//! A file's author decides what a terminal receives, and so does the author of a file's name:
//! escape sequences that erase or forge text, set titles, or write to the clipboard. On a terminal
//! these bytes are shown as text:
//!
//! | bytes | shown as |
//! |---|---|
//! | control characters below 0x20 and 0x7f, in lines except tabs and line ends | `\x1b`, `\r` |
//! | bytes that are not part of valid UTF-8 | `\xff` |
//! | U+0080 to U+009F, which are control characters too | `\u{9b}` |
//! | U+202A to U+202E, U+2066 to U+2069, U+061C, U+200E, U+200F, which reorder | `\u{202e}` |
//! | U+2028 and U+2029, which end a line in some terminals | `\u{2028}` |
//! | U+200B, U+2060 to U+206F, U+FEFF, U+FFF9 to U+FFFB, tags: without a width | `\u{200b}` |
//! | U+200C and U+200D beside ASCII; elsewhere words and emoji have them | `\u{200d}` |
//!
//! With colours, these forms are shown in reverse video, so that they differ from text that happens
//! to look the same.

use std::{fmt::Write as _, ops::Range, str};

use crate::PrinterConfig;

/// Appends text in which bytes that a terminal would interpret are shown as text.
#[derive(Clone, Debug)]
pub(crate) struct ControlEscaper {
    /// The sequences around such a form.
    open: &'static [u8],
    close: &'static [u8],
}

impl ControlEscaper {
    /// `None` if everything is printed as it is.
    pub(crate) fn new(config: &PrinterConfig) -> Option<ControlEscaper> {
        let (open, close): (&[u8], &[u8]) = match config.colors {
            // These two sequences leave any other style unchanged.
            Some(_) => (b"\x1b[7m", b"\x1b[27m"),
            None => (b"", b""),
        };
        config.visible.then_some(ControlEscaper { open, close })
    }

    /// Appends the bytes at `range` in `block`: lines, or a part of one, printed up to their end.
    /// `next` is what is printed after them. Returns how many appended bytes are escape sequences.
    pub(crate) fn append_text(
        &self,
        out: &mut Vec<u8>,
        block: &[u8],
        range: Range<usize>,
        next: &[u8],
    ) -> usize {
        let keeps = |at: usize| match block[at] {
            b'\t' | b'\n' => true,
            // Part of a line end. Anywhere else it would let what follows overwrite the line.
            b'\r' => block[at + 1..].first().or(next.first()) == Some(&b'\n'),
            // What ends NUL-separated lines.
            0 => at + 1 == block.len() && next.is_empty(),
            _ => false,
        };
        self.append(out, block, range, keeps)
    }

    /// Appends a name, in which no byte is a line end. Returns how many appended bytes are escape
    /// sequences.
    pub(crate) fn append_name(&self, out: &mut Vec<u8>, name: &[u8]) -> usize {
        self.append(out, name, 0..name.len(), |_| false)
    }

    /// Appends the bytes at `range` in `block`. `keeps` returns whether the ASCII control character
    /// at a position is printed as it is.
    fn append(
        &self,
        out: &mut Vec<u8>,
        block: &[u8],
        range: Range<usize>,
        keeps: impl Fn(usize) -> bool,
    ) -> usize {
        let mut escapes = 0;
        let (mut plain, mut at) = (range.start, range.start);
        while at < range.end {
            let byte = block[at];
            let (form, len) = match byte {
                b' '..=b'~' => (None, 1),
                ..0x80 => ((!keeps(at)).then_some(Form::Byte), 1),
                0x80.. => form_of(block, at, range.end),
            };
            if let Some(form) = form {
                out.extend_from_slice(&block[plain..at]);
                out.extend_from_slice(self.open);
                match form {
                    Form::Byte => out.extend(byte.escape_ascii()),
                    Form::Character(character) => {
                        out.extend(character.escape_unicode().map(|c| c as u8));
                    }
                }
                out.extend_from_slice(self.close);
                escapes += self.open.len() + self.close.len();
                plain = at + len;
            }
            at += len;
        }
        out.extend_from_slice(&block[plain..range.end]);
        escapes
    }
}

/// How bytes are shown as text.
enum Form {
    /// One byte, as `\xNN`.
    Byte,
    /// A character, as `\u{NNNN}`.
    Character(char),
}

/// The form in which the byte at `at`, which is not ASCII, is shown, and how many bytes it covers;
/// `None` if they are printed as they are. The bytes printed together end at `end`: a match's
/// bounds may cut a character in two.
fn form_of(block: &[u8], at: usize, end: usize) -> (Option<Form>, usize) {
    match first_character(&block[at..]) {
        Some(c) if at + c.len_utf8() <= end => {
            let is_shown = is_dangerous(c) || is_joiner(c) && !joins(block, at);
            (is_shown.then_some(Form::Character(c)), c.len_utf8())
        }
        Some(c) => (is_dangerous(c).then_some(Form::Byte), 1),
        None => {
            let starts = at.saturating_sub(MAX_CHARACTER_BYTES - 1)..at;
            let is_part = |start: usize| {
                let character = first_character(&block[start..]);
                character.is_some_and(|c| start + c.len_utf8() > at && !is_dangerous(c))
            };
            ((!starts.into_iter().any(is_part)).then_some(Form::Byte), 1)
        }
    }
}

/// Whether a terminal may interpret a character that is not ASCII, or does not show it.
pub(crate) fn is_dangerous(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Whether a character joins others, or separates them, and has no width itself.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200d}')
}

/// Whether the joiner at `at` stands between characters beyond ASCII, where scripts need it.
fn joins(block: &[u8], at: usize) -> bool {
    let is_beyond_ascii = |byte: Option<&u8>| byte.is_some_and(|byte| *byte >= 0x80);
    let before = at.checked_sub(1).and_then(|before| block.get(before));
    is_beyond_ascii(before) && is_beyond_ascii(block.get(at + '\u{200d}'.len_utf8()))
}

/// Escapes the dangerous characters in the JSON in `out` from `start` on, without changing its
/// meaning. JSON has such characters only in strings, and always escapes those below 0x20.
///
/// # Examples
///
/// ```
/// let mut out = "{\"path\":\"a\u{202e}b\"}".as_bytes().to_vec();
/// heist_printer::escape_json(&mut out, 0);
/// assert_eq!(out, br#"{"path":"a\u202eb"}"#);
/// ```
pub fn escape_json(out: &mut Vec<u8>, start: usize) {
    let is_escaped = |c: char| c == '\u{7f}' || is_dangerous(c) || is_joiner(c);
    let Ok(json) = str::from_utf8(&out[start..]) else { return };
    let Some(first) = json.find(is_escaped) else { return };
    let mut escaped = String::with_capacity(json.len());
    for character in json[first..].chars() {
        if is_escaped(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    out.truncate(start + first);
    out.extend_from_slice(escaped.as_bytes());
}

/// The escaper for messages.
const NO_COLORS: ControlEscaper = ControlEscaper { open: b"", close: b"" };

/// Shows a message on a terminal: bytes that the terminal would interpret are escaped, but not tabs
/// and line ends.
///
/// # Examples
///
/// ```
/// assert_eq!(heist_printer::visible("a:\n\tb\x1b[2J"), b"a:\n\tb\\x1b[2J");
/// ```
#[must_use]
pub fn visible(message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    NO_COLORS.append_text(&mut out, message.as_bytes(), 0..message.len(), b"");
    out
}

/// Shows a one-line message on a terminal: tabs and line ends, which belong to names, are escaped
/// too.
///
/// # Examples
///
/// ```
/// assert_eq!(heist_printer::visible_line("a\nb"), br"a\nb");
/// ```
#[must_use]
pub fn visible_line(message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    NO_COLORS.append_name(&mut out, message.as_bytes());
    out
}

/// How many bytes the longest character has.
const MAX_CHARACTER_BYTES: usize = 4;

/// The character that `bytes` begin with, if they begin with one.
fn first_character(bytes: &[u8]) -> Option<char> {
    let start = &bytes[..bytes.len().min(MAX_CHARACTER_BYTES)];
    let valid = match str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a terminal interprets nothing in `bytes`, neither as UTF-8 nor byte by byte.
    fn visible_bytes(bytes: &[u8]) -> bool {
        let controls = String::from_utf8_lossy(bytes).chars().any(|c| {
            is_dangerous(c) || (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\0'))
        });
        !controls
    }

    #[test]
    fn what_a_terminal_obeys_is_shown_and_text_stays() {
        // A line, what is printed after it, and how the line is shown.
        let cases: &[(&[u8], &[u8], &str)] = &[
            (b"\x1b[31mred\x07\x7f\x08\n", b"", "\\x1b[31mred\\x07\\x7f\\x08\n"),
            ("\u{9b}2J\u{85}".as_bytes(), b"", r"\u{9b}2J\u{85}"),
            (b"\x9b2J\x80\x9f\xa0\xff", b"", r"\x9b2J\x80\x9f\xa0\xff"),
            (b"caf\xe9 \xc3\xe2\x82 \xed\xa0\x80", b"", r"caf\xe9 \xc3\xe2\x82 \xed\xa0\x80"),
            ("a\u{202e}b\u{2066}c\u{2069}".as_bytes(), b"", r"a\u{202e}b\u{2066}c\u{2069}"),
            (b"a\0b\x0bc\x0c", b"", r"a\x00b\x0bc\x0c"),
            (b"", b"", ""),
            (b"a\tb\n", b"", "a\tb\n"),
            ("é日本語😀\u{a0}\n".as_bytes(), b"", "é日本語😀\u{a0}\n"),
            ("a\u{200e}\u{200f}\u{61c}b".as_bytes(), b"", r"a\u{200e}\u{200f}\u{61c}b"),
            ("a\u{2028}b\u{2029}c\n".as_bytes(), b"", "a\\u{2028}b\\u{2029}c\n"),
            ("\u{feff}a\u{200b}b\u{2060}".as_bytes(), b"", r"\u{feff}a\u{200b}b\u{2060}"),
            ("\u{fff9}\u{e0041}".as_bytes(), b"", r"\u{fff9}\u{e0041}"),
            // Joiners are in words and in emoji.
            ("می\u{200c}خواهم 👩\u{200d}💻\n".as_bytes(), b"", "می\u{200c}خواهم 👩\u{200d}💻\n"),
            ("pass\u{200d}word é\u{200c}\n".as_bytes(), b"", "pass\\u{200d}word é\\u{200c}\n"),
            ("\u{200d}é".as_bytes(), b"", "\\u{200d}é"),
            // A carriage return is shown unless it ends the line, as what follows decides.
            (b"crlf\r\n", b"", "crlf\r\n"),
            (b"evil\rgood\n", b"", "evil\\rgood\n"),
            (b"a\r\r\n", b"", "a\\r\r\n"),
            (b"last\r", b"\n", "last\r"),
            (b"record\r", b"\0", "record\\r"),
            (b"record\r", b" [... 0 more matches]", "record\\r"),
            (b"record\r", b"\r\n", "record\\r"),
            (b"record\r", b"", "record\\r"),
            (b"record\0", b"", "record\0"),
            (b"a\0", b"\n", "a\\x00"),
        ];
        for (line, next, shown) in cases {
            let mut out = b"x".to_vec();
            let escapes = NO_COLORS.append_text(&mut out, line, 0..line.len(), next);
            assert_eq!(escapes, 0);
            assert!(visible_bytes(&out), "{}", out.escape_ascii());
            assert_eq!(String::from_utf8_lossy(&out[1..]), *shown, "{}", next.escape_ascii());
        }
        let mut out = Vec::new();
        NO_COLORS.append_text(&mut out, b"ab\rcd\n", 0..3, b"");
        assert_eq!(out, b"ab\\r", "nor is it kept where a part ends");
    }

    #[test]
    fn a_character_that_is_cut_in_two_is_no_way_around() {
        for hidden in ["\u{9b}", "\u{202e}", "\u{85}"] {
            for cut in 1..hidden.len() {
                let mut out = Vec::new();
                for part in [0..cut, cut..hidden.len()] {
                    NO_COLORS.append_text(&mut out, hidden.as_bytes(), part, b"");
                }
                assert!(visible_bytes(&out), "{hidden:?} at {cut}: {}", out.escape_ascii());
            }
        }
    }

    #[test]
    fn a_character_that_a_match_cuts_in_two_is_printed_whole() {
        for shown in ["é", "日", "😀"] {
            for cut in 1..shown.len() {
                let mut out = Vec::new();
                for part in [0..cut, cut..shown.len()] {
                    NO_COLORS.append_text(&mut out, shown.as_bytes(), part, b"");
                }
                assert_eq!(out, shown.as_bytes(), "cut at {cut}");
            }
        }
    }

    #[test]
    fn names_have_no_line_ends() {
        let mut out = Vec::new();
        NO_COLORS.append_name(&mut out, "a\nb\tc\rd\0\u{1b}é".as_bytes());
        assert_eq!(out, r"a\nb\tc\rd\x00\x1bé".as_bytes());
    }

    #[test]
    fn colours_tell_forms_from_text() {
        let config = PrinterConfig {
            visible: true,
            colors: Some(crate::ColorSpecs::default()),
            ..PrinterConfig::default()
        };
        let mut out = Vec::new();
        let escapes = ControlEscaper::new(&config).unwrap().append_name(&mut out, b"a\x1bb");
        assert_eq!(out, b"a\x1b[7m\\x1b\x1b[27mb");
        assert_eq!(escapes, 9);
        assert!(ControlEscaper::new(&PrinterConfig::default()).is_none());
    }

    #[test]
    fn json_means_the_same() {
        let text = "\u{9b}{\"text\":\"é\u{9b}2J\u{7f}\u{202e}\u{200d}\u{e0041}\"}";
        let mut out = text.as_bytes().to_vec();
        escape_json(&mut out, "\u{9b}".len());
        let expected = "\u{9b}{\"text\":\"é\\u009b2J\\u007f\\u202e\\u200d\\udb40\\udc41\"}";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn messages_keep_their_lines() {
        assert_eq!(visible("a:\n\tb\x1b[2J"), b"a:\n\tb\\x1b[2J");
        assert_eq!(visible_line("a:\n\tb\x1b[2J"), br"a:\n\tb\x1b[2J");
    }
}
