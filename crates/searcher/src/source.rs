//! Where bytes come from, and the reader that gives bytes already read a second time.
//!
//! What a search emits about a haystack with NUL bytes depends on the blocks it is read in (see `line_buffer`). The reads
//! asked for here are those of ripgrep 15.2: its encoding detection takes the first three bytes in a read of their
//! own, whatever the encoding setting is, and only a byte order mark that is stripped makes that block vanish.

use std::io::{self, Read};

use crate::BinaryPolicy;

/// The length of the read that looks for a byte order mark, in bytes.
pub(crate) const PEEK: usize = 3;

/// One haystack yet to be read.
#[derive(Debug)]
pub struct Source<R> {
    /// Gives the raw bytes.
    pub reader: R,
    /// What a NUL byte in them means.
    pub binary: BinaryPolicy,
    /// How its end shows.
    pub end: End,
}

/// How the end of a haystack shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A read that gives less than it was asked for and stops within a page: plain local files. Spares the read that gives
    /// nothing. A page that cannot be read makes the read before it short as well, but at the beginning of that page.
    ShortRead,
    /// A read that gives nothing: any file.
    EmptyRead,
    /// As before, and what has come must not wait for what may still come: pipes, terminals, sockets.
    Stream,
}

/// Pages have this length or a multiple of it, on every system.
const PAGE: usize = 4 << 10;

impl End {
    /// Whether a read that brought the haystack to `offset`, and was asked for more, has met the end.
    #[must_use]
    pub fn shows_at(self, offset: usize) -> bool {
        self == End::ShortRead && !offset.is_multiple_of(PAGE)
    }
}

/// Gives `head`, which was read before, then what `rest` still has.
pub(crate) struct Feed<'a, R> {
    head: &'a [u8],
    rest: Option<R>,
    /// Bytes that a read may still give as part of the first block.
    peek: usize,
    end: End,
}

impl<'a> Feed<'a, io::Empty> {
    /// A reader over a haystack in memory, in the blocks that a file of the same bytes is read in.
    pub(crate) fn replay(bytes: &'a [u8], peek: usize) -> Feed<'a, io::Empty> {
        Feed { head: bytes, rest: None, peek, end: End::ShortRead }
    }
}

impl<'a, R: Read> Feed<'a, R> {
    /// A reader over `head` and the rest of `source`, beginning with a block of `peek` bytes.
    pub(crate) fn new(head: &'a [u8], source: Source<R>, peek: usize) -> Feed<'a, R> {
        Feed { head, rest: Some(source.reader), peek, end: source.end }
    }

    fn give_head(&mut self, buffer: &mut [u8]) -> usize {
        let most = if self.peek > 0 { self.peek } else { buffer.len() };
        let given = most.min(buffer.len()).min(self.head.len());
        buffer[..given].copy_from_slice(&self.head[..given]);
        self.head = &self.head[given..];
        given
    }
}

impl<R: Read> Read for Feed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let given = self.give_head(buffer);
        if self.peek > 0 && given > 0 {
            self.peek -= given;
            return Ok(given);
        }
        self.peek = 0;
        // A stream that waits for its writer must not keep back what it has given already; a file is read across the
        // seam, so that blocks are as long as if the head had not been read before.
        let wants_more = given < buffer.len() && (given == 0 || self.end != End::Stream);
        let Some(rest) = self.rest.as_mut().filter(|_| wants_more) else {
            return Ok(given);
        };
        match read_some(rest, &mut buffer[given..]) {
            // What was read before is searched first; the next read gives the error again.
            Err(_) if given > 0 => Ok(given),
            Err(error) => Err(error),
            Ok(got) => {
                if got == 0 {
                    self.rest = None;
                }
                Ok(given + got)
            }
        }
    }
}

/// One read, tried again when a signal interrupts it.
pub(crate) fn read_some<R: Read>(reader: &mut R, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
