//! What is printed for one line, with escape sequences counted apart: ripgrep does not include them
//! in the printed bytes.

use std::ops::{ControlFlow, Deref, DerefMut};

use heist_searcher::Flow;

use crate::{LongText, Output};

/// A buffer that a line is appended to.
#[derive(Debug)]
pub(crate) struct OutBuffer<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    /// How many bytes after `start` are escape sequences.
    escapes: usize,
}

impl<'a> OutBuffer<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> OutBuffer<'a> {
        OutBuffer { start: out.len(), out, escapes: 0 }
    }

    /// Appends an escape sequence.
    pub(crate) fn escape(&mut self, sequence: &[u8]) {
        // Perf: without colours there is none, and a copy is a call even if it is empty.
        if !sequence.is_empty() {
            self.out.extend_from_slice(sequence);
            self.escapes += sequence.len();
        }
    }

    /// Counts `escapes` appended bytes as escape sequences.
    pub(crate) fn count_as_escape(&mut self, escapes: usize) {
        self.escapes += escapes;
    }

    /// How many bytes were appended since the start, without escape sequences.
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

/// Receives the output for one emitted line in pieces of whole lines. The output for a line that is
/// printed once per match is quadratic in its length, and should not be in memory as a whole.
pub(crate) trait Pieces {
    /// Adds the piece that `append` appends. `Break` if no more pieces are wanted.
    fn piece(&mut self, append: impl FnOnce(&mut OutBuffer<'_>)) -> Flow;

    /// Adds a piece: what `append` appends, then a long line's bytes as they are, then `end`.
    fn long_piece(
        &mut self,
        append: impl FnOnce(&mut OutBuffer<'_>),
        bytes: &[u8],
        end: &[u8],
    ) -> Flow {
        self.piece(|out| {
            append(out);
            out.extend_from_slice(bytes);
            out.extend_from_slice(end);
        })
    }
}

/// Commits every piece to an output.
#[derive(Debug)]
pub(crate) struct Committed<'a, O> {
    output: &'a mut O,
    /// How many bytes there are, without escape sequences.
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

    fn long_piece(
        &mut self,
        append: impl FnOnce(&mut OutBuffer<'_>),
        bytes: &[u8],
        end: &[u8],
    ) -> Flow {
        let out = &mut OutBuffer::new(self.output.buffer());
        append(out);
        self.count += out.count() + (bytes.len() + end.len()) as u64;
        // Bytes in memory can be read.
        self.output.append_long(LongText::Read(bytes)).unwrap_or(ControlFlow::Break(()))?;
        self.output.buffer().extend_from_slice(end);
        self.output.commit()
    }
}

/// Detects whether anything is printed at all.
#[derive(Debug)]
pub(crate) struct Probe;

impl Pieces for Probe {
    fn piece(&mut self, append: impl FnOnce(&mut OutBuffer<'_>)) -> Flow {
        let mut piece = Vec::new();
        append(&mut OutBuffer::new(&mut piece));
        if piece.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
