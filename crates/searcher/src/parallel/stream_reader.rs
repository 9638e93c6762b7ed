//! The part of a stream that has been read but not yet cut into chunks.

use std::io;

use memchr::memrchr;

use super::{
    chunk::{CHUNK_FRONT_BYTES, Chunk},
    stream::{BlockingRead, Stream},
};
use crate::{
    aligned::{AlignedBytes, CACHE_LINE_BYTES},
    source::read_some,
};

/// Reads a stream and cuts it into chunks.
#[derive(Debug)]
pub(super) struct StreamReader {
    /// Holds the bytes read from `start` to `end`. Between reads this is one incomplete line.
    bytes: AlignedBytes,
    start: usize,
    end: usize,
    /// The end of the last whole line; `start` if there is none.
    lines_end: usize,
    /// The position of `start` in the text.
    offset: u64,
    /// The most bytes read for a chunk.
    size: usize,
    is_over: bool,
    /// The error that ended the stream.
    error: Option<io::Error>,
}

impl StreamReader {
    /// A reader for a stream with an incomplete first line that begins at `offset` in the text.
    pub(super) fn new(incomplete: &[u8], offset: u64, size: usize) -> StreamReader {
        let mut reader = StreamReader {
            bytes: AlignedBytes::default(),
            start: 0,
            end: 0,
            lines_end: 0,
            offset,
            size,
            is_over: false,
            error: None,
        };
        reader.begin(AlignedBytes::default(), incomplete);
        reader
    }

    /// The bytes that are in no chunk yet.
    pub(super) fn incomplete_line(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Continues in the buffer `bytes` after an incomplete line. Reads go to a multiple of a cache
    /// line.
    fn begin(&mut self, mut bytes: AlignedBytes, incomplete: &[u8]) {
        self.end = (CHUNK_FRONT_BYTES + incomplete.len()).next_multiple_of(CACHE_LINE_BYTES);
        self.start = self.end - incomplete.len();
        self.lines_end = self.start;
        bytes.grow(self.end + self.size);
        bytes[self.start..self.end].copy_from_slice(incomplete);
        self.bytes = bytes;
    }

    /// Reads the next lines as long as that does not block; if `is_patient`, the first read may
    /// block. Returns whether there are lines to cut off, or the stream is over.
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

    /// Turns what has been read into a chunk, with its buffer; `spare` becomes the next buffer.
    pub(super) fn cut(&mut self, spare: &mut AlignedBytes) -> Chunk {
        // An incomplete line before an error is not emitted.
        let is_whole = self.is_over && self.error.is_none();
        // A line that fills the buffer is left to the line buffer, which grows.
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
