//! What is appended for one line, with what terminals do not show kept apart: ripgrep's count of printed bytes leaves
//! escape sequences out.

use std::ops::{ControlFlow, Deref, DerefMut};

use heist_searcher::Flow;

use crate::Output;

/// A buffer that a line is appended to.
#[derive(Debug)]
pub(crate) struct OutBuffer<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    /// Bytes since `start` that are part of escape sequences.
    escapes: usize,
}

impl<'a> OutBuffer<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> OutBuffer<'a> {
        OutBuffer { start: out.len(), out, escapes: 0 }
    }

    /// Append an escape sequence.
    pub(crate) fn escape(&mut self, sequence: &[u8]) {
        self.out.extend_from_slice(sequence);
        self.escapes += sequence.len();
    }

    /// So many of the bytes appended are part of escape sequences.
    pub(crate) fn count_as_escape(&mut self, escapes: usize) {
        self.escapes += escapes;
    }

    /// How many bytes were appended since this was made, but for escape sequences.
    pub(crate) fn count(&self) -> u64 {
        (self.out.len() - self.start - self.escapes) as u64
    }
}

impl Deref for OutBuffer<'_> {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        self.out
    }
}

impl DerefMut for OutBuffer<'_> {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        self.out
    }
}

/// Takes what is printed of one reported line, in pieces of whole lines of output. A line that is printed once per match
/// takes the square of its length, and is not to be in memory so often.
pub(crate) trait Pieces {
    /// The next piece is what `append` appends. `Break`: no more are wanted.
    fn piece(&mut self, append: impl FnOnce(&mut OutBuffer<'_>)) -> Flow;
}

/// Hands every piece to the owner of an output.
#[derive(Debug)]
pub(crate) struct Committed<'a, O> {
    output: &'a mut O,
    /// How many bytes there were, but for escape sequences.
    pub(crate) count: u64,
}

impl<'a, O> Committed<'a, O> {
    pub(crate) fn new(output: &'a mut O) -> Committed<'a, O> {
        Committed { output, count: 0 }
    }
}

impl<O: Output> Pieces for Committed<'_, O> {
    fn piece(&mut self, append: impl FnOnce(&mut OutBuffer<'_>)) -> Flow {
        let out = &mut OutBuffer::new(self.output.buffer());
        append(out);
        self.count += out.count();
        self.output.commit()
    }
}

/// Sees whether anything is printed at all.
#[derive(Debug)]
pub(crate) struct Probe;

impl Pieces for Probe {
    fn piece(&mut self, append: impl FnOnce(&mut OutBuffer<'_>)) -> Flow {
        let mut piece = Vec::new();
        append(&mut OutBuffer::new(&mut piece));
        if piece.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
