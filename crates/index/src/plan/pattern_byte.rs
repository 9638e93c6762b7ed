//! The bytes that matches contain. Some stand for a letter in either case.

use std::collections::BTreeSet;

/// A byte in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PatternByte {
    /// The byte; the lower-case one, if it is a letter in either case.
    pub(crate) byte: u8,
    /// Whether it may as well be the upper-case letter.
    any_case: bool,
}

impl From<u8> for PatternByte {
    fn from(byte: u8) -> PatternByte {
        PatternByte { byte, any_case: false }
    }
}

impl PatternByte {
    /// A letter in either case.
    pub(crate) fn of_any_case(letter: u8) -> PatternByte {
        PatternByte { byte: letter.to_ascii_lowercase(), any_case: true }
    }

    /// The byte; the upper-case one, if it is a letter in either case.
    pub(crate) fn upper(self) -> u8 {
        if self.any_case { self.byte.to_ascii_uppercase() } else { self.byte }
    }
}

/// The bytes in `text`, as they are.
pub(crate) fn exactly(text: &[u8]) -> Vec<PatternByte> {
    text.iter().copied().map(PatternByte::from).collect()
}

/// A set of strings. The empty string alone carries no information as an end.
pub(crate) type Strings = BTreeSet<Vec<PatternByte>>;
