//! What is appended for one line, with what terminals do not show kept apart: ripgrep's count of printed bytes leaves
//! escape sequences out.

use std::ops::{Deref, DerefMut};

/// A buffer that a line is appended to.
#[derive(Debug)]
pub(crate) struct Printed<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    /// Bytes since `start` that are part of escape sequences.
    escapes: usize,
}

impl<'a> Printed<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Printed<'a> {
        Printed { start: out.len(), out, escapes: 0 }
    }

    /// Append an escape sequence.
    pub(crate) fn escape(&mut self, sequence: &[u8]) {
        self.out.extend_from_slice(sequence);
        self.escapes += sequence.len();
    }

    /// So many of the bytes appended are part of escape sequences.
    pub(crate) fn hide(&mut self, escapes: usize) {
        self.escapes += escapes;
    }

    /// How many bytes were appended since this was made, but for escape sequences.
    pub(crate) fn count(&self) -> u64 {
        (self.out.len() - self.start - self.escapes) as u64
    }
}

impl Deref for Printed<'_> {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        self.out
    }
}

impl DerefMut for Printed<'_> {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        self.out
    }
}
