//! Makes visible what a terminal would obey instead of showing it.
//!
//! Whoever names a file or writes a line in it decides what a terminal is sent: escape sequences that erase or forge
//! what stands there, that set titles, that write to a clipboard. On a terminal they are therefore shown as text:
//!
//! | what | shown as |
//! |---|---|
//! | bytes below 0x20 and 0x7f, in lines but for tabs and ends of lines | `\x1b`, `\r` |
//! | U+0080 to U+009F, control characters too; bytes of these numbers that are no UTF-8, the same to some terminals | `\u{9b}`, `\x9b` |
//! | U+202A to U+202E, U+2066 to U+2069, which turn around the order of what follows | `\u{202e}` |
//!
//! Where there are colours, what is shown in the place of something else is in reverse, so that it is not mistaken for
//! text that happens to look the same.

use std::{fmt::Write as _, ops::Range, str};

use crate::PrinterConfig;

/// Appends text with what is dangerous in it made visible.
#[derive(Clone, Debug)]
pub(crate) struct ControlEscaper {
    /// What stands around a visible form.
    open: &'static [u8],
    close: &'static [u8],
}

impl ControlEscaper {
    /// None if everything is printed as it is.
    pub(crate) fn new(config: &PrinterConfig) -> Option<ControlEscaper> {
        let (open, close): (&[u8], &[u8]) = match config.colors {
            // These two leave alone whatever other style is on.
            Some(_) => (b"\x1b[7m", b"\x1b[27m"),
            None => (b"", b""),
        };
        config.visible.then_some(ControlEscaper { open, close })
    }

    /// Append what stands at `range` in `block`, which are lines, or a part of one, and are printed up to their end;
    /// `next` is what is printed then. How many of the bytes appended are escape sequences.
    pub(crate) fn append_text(
        &self,
        out: &mut Vec<u8>,
        block: &[u8],
        range: Range<usize>,
        next: &[u8],
    ) -> usize {
        let keeps = |at: usize| match block[at] {
            b'\t' | b'\n' => true,
            // A part of the line's end; anywhere else it would let what follows overwrite the line's beginning.
            b'\r' => block[at + 1..].first().or(next.first()) == Some(&b'\n'),
            // Where it ends lines.
            0 => at + 1 == block.len() && next.is_empty(),
            _ => false,
        };
        let start = range.start;
        self.append(out, &block[range], |at| keeps(start + at))
    }

    /// Append the name of something, in which nothing may end a line. How many of the bytes appended are escape
    /// sequences.
    pub(crate) fn append_name(&self, out: &mut Vec<u8>, name: &[u8]) -> usize {
        self.append(out, name, |_| false)
    }

    /// Append `bytes`, of which the ASCII control characters at the places that `keeps` tells stay what they are.
    fn append(&self, out: &mut Vec<u8>, bytes: &[u8], keeps: impl Fn(usize) -> bool) -> usize {
        let mut escapes = 0;
        let mut plain = 0;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let (character, len) = match byte {
                b' '..=b'~' => {
                    at += 1;
                    continue;
                }
                0x80.. => first_character(&bytes[at..]),
                _ => (Some(char::from(byte)), 1),
            };
            let is_shown = match character {
                Some(character) if character.is_ascii() => !keeps(at),
                Some(character) => is_dangerous(character),
                // A terminal that takes bytes for characters obeys these.
                None => matches!(byte, 0x80..=0x9f),
            };
            if is_shown {
                out.extend_from_slice(&bytes[plain..at]);
                out.extend_from_slice(self.open);
                match character {
                    Some(character) if !character.is_ascii() => {
                        out.extend(character.escape_unicode().map(|c| c as u8));
                    }
                    _ => out.extend(byte.escape_ascii()),
                }
                out.extend_from_slice(self.close);
                escapes += self.open.len() + self.close.len();
                plain = at + len;
            }
            at += len;
        }
        out.extend_from_slice(&bytes[plain..]);
        escapes
    }
}

/// Whether a terminal may obey a character that is not ASCII.
pub(crate) fn is_dangerous(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Escape what is dangerous in the JSON that `out` holds from `start` on, so that it means the same. JSON has such
/// characters in strings only, and escapes those below 0x20 anyway.
pub(crate) fn escape_json(out: &mut Vec<u8>, start: usize) {
    let is_escaped = |c: char| c == '\u{7f}' || is_dangerous(c);
    let Ok(json) = str::from_utf8(&out[start..]) else { return };
    let Some(first) = json.find(is_escaped) else { return };
    let mut escaped = String::with_capacity(json.len());
    for character in json[first..].chars() {
        if is_escaped(character) {
            // Writing to a string does not fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    out.truncate(start + first);
    out.extend_from_slice(escaped.as_bytes());
}

/// What stands around visible forms in messages.
const NO_COLORS: ControlEscaper = ControlEscaper { open: b"", close: b"" };

/// A message that is written to a terminal, which has lines of its own: as lines would be, but for colour.
#[must_use]
pub fn visible(message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    NO_COLORS.append_text(&mut out, message.as_bytes(), 0..message.len(), b"");
    out
}

/// The same of a message, or its part, that is one line: what would end it belongs to a name.
#[must_use]
pub fn visible_line(message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    NO_COLORS.append_name(&mut out, message.as_bytes());
    out
}

/// The character that `bytes` begin with and its length; None for a byte that is no part of one.
fn first_character(bytes: &[u8]) -> (Option<char>, usize) {
    /// The longest character, in bytes.
    const LONGEST: usize = 4;
    let start = &bytes[..bytes.len().min(LONGEST)];
    let valid = match str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next().map_or((None, 1), |character| (Some(character), character.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &[u8]) -> String {
        text_before(b"", line)
    }

    fn text_before(next: &[u8], line: &[u8]) -> String {
        let mut out = b"x".to_vec();
        let escapes = NO_COLORS.append_text(&mut out, line, 0..line.len(), next);
        assert_eq!(escapes, 0);
        assert!(visible_bytes(&out), "{}", out.escape_ascii());
        String::from_utf8_lossy(&out[1..]).into_owned()
    }

    /// Whether nothing in `bytes` is obeyed by a terminal, neither as UTF-8 nor byte by byte.
    fn visible_bytes(bytes: &[u8]) -> bool {
        let controls = String::from_utf8_lossy(bytes).chars().any(|c| {
            is_dangerous(c) || (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\0'))
        });
        !controls
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(text(b"\x1b[31mred\x07\x7f\x08\n"), "\\x1b[31mred\\x07\\x7f\\x08\n");
        assert_eq!(text("\u{9b}2J\u{85}".as_bytes()), r"\u{9b}2J\u{85}");
        assert_eq!(text(b"\x9b2J\x80\x9f\xa0\xff"), "\\x9b2J\\x80\\x9f\u{fffd}\u{fffd}");
        assert_eq!(text("a\u{202e}b\u{2066}c\u{2069}".as_bytes()), r"a\u{202e}b\u{2066}c\u{2069}");
        assert_eq!(text(b"a\0b\x0bc\x0c"), r"a\x00b\x0bc\x0c");
    }

    #[test]
    fn text_stays_what_it_is() {
        for line in ["", "a\tb\n", "é日本語😀\u{a0}\u{200f}\n", "crlf\r\n", "record\0"] {
            assert_eq!(text(line.as_bytes()), line);
        }
        assert_eq!(text_before(b"\n", b"last\r"), "last\r");
    }

    #[test]
    fn a_carriage_return_within_a_line_is_shown() {
        assert_eq!(text(b"evil\rgood\n"), "evil\\rgood\n");
        assert_eq!(text(b"a\r\r\n"), "a\\r\r\n");
        let mut out = Vec::new();
        NO_COLORS.append_text(&mut out, b"ab\rcd\n", 0..3, b"");
        assert_eq!(out, b"ab\\r", "nor is it kept where a part ends");
    }

    #[test]
    fn what_follows_tells_whether_a_line_has_ended() {
        for next in [&b"\0"[..], b" [... 0 more matches]", b"\r\n", b""] {
            assert_eq!(text_before(next, b"record\r"), "record\\r", "{}", next.escape_ascii());
        }
        assert_eq!(text_before(b"\n", b"a\0"), "a\\x00");
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
        let mut out = "\u{9b}{\"text\":\"é\u{9b}2J\u{7f}\u{202e}\"}".as_bytes().to_vec();
        escape_json(&mut out, "\u{9b}".len());
        let expected = "\u{9b}{\"text\":\"é\\u009b2J\\u007f\\u202e\"}";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn messages_keep_their_lines() {
        assert_eq!(visible("a:\n\tb\x1b[2J"), b"a:\n\tb\\x1b[2J");
        assert_eq!(visible_line("a:\n\tb\x1b[2J"), br"a:\n\tb\x1b[2J");
    }
}
