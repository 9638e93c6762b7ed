//! The part of a stream that has been read but not yet cut into chunks.

use std::io;

use memchr::memrchr;

use super::{
    chunk::{Chunk, FRONT},
    stream::{BlockingRead, Stream},
};
use crate::{
    aligned::{AlignedBytes, LINE},
    source::read_some,
};

/// What has been read of a stream and is in no chunk yet.
#[derive(Debug)]
pub(super) struct StreamReader {
    /// Holds what has been read from `start` to `end`: one line that has been begun, while nobody reads.
    bytes: AlignedBytes,
    start: usize,
    end: usize,
    /// The end of the last whole line; none has been read if it is `start`.
    lines_end: usize,
    /// Where that stands in the text.
    offset: u64,
    /// How many bytes are read for a chunk at most.
    size: usize,
    is_over: bool,
    /// Why it is over.
    error: Option<io::Error>,
}

impl StreamReader {
    /// The first line has been begun already, at `offset` of the text.
    pub(super) fn new(begun: &[u8], offset: u64, size: usize) -> StreamReader {
        let mut tap = StreamReader {
            bytes: AlignedBytes::default(),
            start: 0,
            end: 0,
            lines_end: 0,
            offset,
            size,
            is_over: false,
            error: None,
        };
        tap.begin(AlignedBytes::default(), begun);
        tap
    }

    /// What is in no chunk.
    pub(super) fn begun(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Go on in the buffer `bytes`, with a line that has been begun. What is read goes to a multiple of a cache line.
    fn begin(&mut self, mut bytes: AlignedBytes, begun: &[u8]) {
        self.end = (FRONT + begun.len()).next_multiple_of(LINE);
        self.start = self.end - begun.len();
        self.lines_end = self.start;
        bytes.grow(self.end + self.size);
        bytes[self.start..self.end].copy_from_slice(begun);
        self.bytes = bytes;
    }

    /// Read the next lines, as far as they come without waiting, or with waiting once if `is_patient`. Gives whether there
    /// are any to be cut off: the end of the stream counts as such.
    pub(super) fn read(
        &mut self,
        stream: &dyn Stream,
        terminator: u8,
        mut is_patient: bool,
    ) -> bool {
        let fresh = self.end;
        while self.end < self.bytes.len() && !self.is_over && (is_patient || stream.is_ready()) {
            is_patient = false;
            match read_some(&mut BlockingRead(stream), &mut self.bytes[self.end..]) {
                Ok(got) => {
                    self.end += got;
                    self.is_over = got == 0;
                }
                Err(error) => {
                    self.error = Some(error);
                    self.is_over = true;
                }
            }
        }
        if let Some(last) = memrchr(terminator, &self.bytes[fresh..self.end]) {
            self.lines_end = fresh + last + 1;
        }
        self.has_lines() || self.is_over || self.end == self.bytes.len()
    }

    fn has_lines(&self) -> bool {
        self.lines_end > self.start
    }

    /// What has been read becomes a chunk, in the buffer that it was read into; `spare` takes its place.
    pub(super) fn cut(&mut self, spare: &mut AlignedBytes) -> Chunk {
        // Of a line that cannot be read to its end nothing is emitted.
        let is_whole = self.is_over && self.error.is_none();
        // One that fills the buffer is left to another, which grows.
        let needs_fallback = !self.has_lines() && !self.is_over;
        let end = if is_whole || needs_fallback { self.end } else { self.lines_end };
        let (bytes, lines) = (std::mem::take(&mut self.bytes), self.start..end);
        let (offset, behind, error) = (self.offset, end, self.error.take());
        self.offset += lines.len() as u64;
        self.begin(std::mem::take(spare), &bytes[end..self.end]);
        let is_last = self.is_over;
        Chunk { bytes, lines, behind, offset, error, needs_fallback, is_last, ..Chunk::default() }
    }
}
