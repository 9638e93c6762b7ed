//! Lines as text, and offsets in characters.

use std::ops::Range;

use bstr::ByteSlice as _;

/// The offset in characters of `at`, a byte of `line`, in the line as text: each invalid sequence
/// of bytes counts as the one character U+FFFD that takes its place.
pub(crate) fn char_offset(line: &[u8], at: usize) -> usize {
    let before = &line[..at.min(line.len())];
    if before.is_ascii() { before.len() } else { before.chars().count() }
}

/// The range in characters of `span`, bytes of `line`.
pub(crate) fn char_span(line: &[u8], span: &Range<usize>) -> (usize, usize) {
    (char_offset(line, span.start), char_offset(line, span.end))
}
