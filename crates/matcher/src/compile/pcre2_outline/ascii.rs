//! What the outline for ASCII text takes.

use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir};

/// What the outline for ASCII text takes.
#[derive(Clone, Debug)]
pub(super) struct Ascii {
    /// The byte that is in no line.
    pub(super) terminator: u8,
    pub(super) groups: Groups,
}

/// The groups that are numbered.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// The outline of each that has ended, and whether its letters matched in either case.
    pub(super) groups: Vec<Option<(Hir, bool)>>,
    /// Whether they have the numbers that PCRE2 gives them.
    pub(super) are_known: bool,
}

impl Ascii {
    /// A character that is an ASCII character for which `is_member` is true.
    pub(super) fn class(&self, is_member: impl Fn(u8) -> bool) -> Hir {
        let bytes = (0..128).filter(|byte| *byte != self.terminator && is_member(*byte));
        Hir::class(Class::Bytes(ClassBytes::new(bytes.map(|b| ClassBytesRange::new(b, b)))))
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}
