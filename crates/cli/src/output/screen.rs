//! How much of a screen text takes.

use bstr::ByteSlice as _;

use crate::sys::TerminalSize;

/// The rows that text takes on a terminal, as far as that can be known: terminals disagree about
/// the width of characters that are not ASCII.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScreenExtent {
    screen: TerminalSize,
    /// The position behind the text if characters are narrow, and if they are wide.
    least: Position,
    most: Position,
    /// Whether there is a character with an unknown effect.
    has_unknown: bool,
}

/// A position on an endless screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Position {
    row: usize,
    column: usize,
}

impl Position {
    /// Moves over a character with this width. A row wraps in front of the first character that it
    /// has no room for.
    fn advance(&mut self, width: usize, columns: usize) {
        self.column += width;
        if self.column > columns {
            *self = Position { row: self.row + 1, column: width };
        }
    }
}

impl ScreenExtent {
    /// The extent of an empty text on a terminal with this size.
    pub(super) fn new(screen: TerminalSize) -> ScreenExtent {
        let (least, most) = Default::default();
        ScreenExtent { screen, least, most, has_unknown: false }
    }

    /// Adds text, in which escape sequences are whole, as far as it fits on the screen.
    pub(super) fn add(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(&first) = rest.first().filter(|_| !self.exceeds_screen()) {
            rest = match first {
                b'\x1b' => &rest[escape_len(rest)..],
                b' '..=b'~' => {
                    self.advance(1, 1);
                    &rest[1..]
                }
                0..b' ' | b'\x7f' => {
                    self.control(first);
                    &rest[1..]
                }
                _ => {
                    self.advance(0, 2);
                    let (_, len) = bstr::decode_utf8(rest);
                    &rest[len..]
                }
            };
        }
    }

    fn advance(&mut self, least: usize, most: usize) {
        self.least.advance(least, self.screen.columns);
        self.most.advance(most, self.screen.columns);
    }

    fn control(&mut self, byte: u8) {
        let last = self.screen.columns.saturating_sub(1);
        for position in [&mut self.least, &mut self.most] {
            match byte {
                b'\n' => *position = Position { row: position.row + 1, column: 0 },
                b'\r' => position.column = 0,
                // A tab never wraps.
                b'\t' => position.column = (position.column / 8 * 8 + 8).min(last),
                // Terminals show nothing for it.
                0 => {}
                _ => self.has_unknown = true,
            }
        }
    }

    /// Whether the text may leave no row for the prompt of a shell.
    pub(super) fn exceeds_screen(&self) -> bool {
        let Position { row, column } = self.most;
        row + usize::from(column > 0) >= self.screen.rows
    }

    /// How many rows lie between the beginning and the end of the text, if this is known.
    pub(super) fn rows(&self) -> Option<usize> {
        (!self.has_unknown && self.least.row == self.most.row).then_some(self.most.row)
    }
}

/// How long the escape sequence at the beginning of `text` is: a style, or a hyperlink's.
fn escape_len(text: &[u8]) -> usize {
    let end = match text.get(1) {
        Some(b'[') => {
            text[2..].iter().position(|byte| (b'@'..=b'~').contains(byte)).map(|at| at + 3)
        }
        Some(b']') => text.find(b"\x1b\\").map(|at| at + 2),
        _ => None,
    };
    end.unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> ScreenExtent {
        let mut extent = ScreenExtent::new(TerminalSize { rows: 4, columns: 10 });
        extent.add(text.as_bytes());
        extent
    }

    #[test]
    fn rows_are_counted_as_a_terminal_shows_them() {
        for (text, rows) in [
            ("", Some(0)),
            ("a", Some(0)),
            ("a\nb\n", Some(2)),
            ("0123456789", Some(0)),
            ("0123456789\n", Some(1)),
            ("0123456789a\n", Some(2)),
            ("\t\t\t\tx\n", Some(1)),
            ("a\tbc\n", Some(1)),
            ("a\tbcd\n", Some(2)),
            ("0123456789\rabc\r\n", Some(1)),
            ("\x1b[0m\x1b[1m\x1b[31m0123456789\x1b[0m\n", Some(1)),
            ("\x1b]8;;file:///a/long/path\x1b\\name\x1b]8;;\x1b\\\n", Some(1)),
            ("caf\u{e9}\n", Some(1)),
            ("\u{4e00}\u{4e01}\u{4e02}\u{4e03}\u{4e04}\n", Some(1)),
            ("\u{4e00}\u{4e01}\u{4e02}\u{4e03}\u{4e04}x\n", None),
            ("12345678\u{e9}\u{e9}\n", None),
            ("a\x08\n", None),
        ] {
            assert_eq!(extent(text).rows(), rows, "{text:?}");
        }
    }

    #[test]
    fn a_row_is_left_for_the_prompt() {
        assert!(!extent("").exceeds_screen());
        assert!(!extent("1\n2\n3\n").exceeds_screen());
        assert!(!extent("1\n2\n3").exceeds_screen());
        assert!(extent("1\n2\n3\n4").exceeds_screen());
        assert!(extent("1\n2\n3\n4\n").exceeds_screen());
        assert!(extent(&"x".repeat(31)).exceeds_screen());
    }
}
