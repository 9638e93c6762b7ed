//! A haystack of any length passes through one buffer: whole lines are searched, what is left of them is dropped, the
//! begun line at the end moves to the front and the rest of the buffer is read anew.
//!
//! The size of the blocks shows in results, because a NUL byte is looked for in newly read bytes before their lines
//! are searched. They are therefore those of ripgrep 15.2 (read in the source of grep-searcher 0.1.17 and confirmed
//! by running it):
//!
//! 1. The buffer holds 64 KiB. One read fills what is free of it; reads go on until one brought a line terminator.
//! 2. A buffer that is full without one grows to three times its size.
//! 3. Lines that may become context before a match, and any since the last line emitted, stay in the buffer and leave
//!    less room for the next read.
//! 4. [`BinaryPolicy::Quit`]: the haystack ends before the first NUL byte, and none of the lines in the buffer are
//!    searched. [`BinaryPolicy::Convert`]: NUL bytes become line terminators, in a single read each on its own.

use std::{
    io::{self, Read},
    ops::Range,
};

use memchr::{memchr, memrchr};

use crate::{BinaryPolicy, Flow, source::read_some};

/// The size of a fresh buffer, in bytes.
pub(crate) const CAPACITY: usize = 64 << 10;

/// A buffer grown beyond this many bytes by a long line is given back before the next haystack.
const KEPT: usize = 4 << 20;

/// How much of a large buffer is read into at once, in bytes. More than any pipe gives, so that no read waits for more
/// when something has come.
const STEP: usize = 2 << 20;

/// What a [`LineBuffer::fill`] brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filled {
    /// At least one more line to search.
    Lines,
    /// A NUL byte that ends the haystack.
    Quit,
    /// Nothing; the haystack is over.
    Nothing,
}

/// The buffer, used for one haystack after the other. It allocates on its first use.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    bytes: Vec<u8>,
    /// How much of `bytes` is used: grows with long lines, and starts small again with each haystack, so that blocks
    /// do not depend on the haystacks before.
    limit: usize,
    /// The size a haystack starts with.
    capacity: usize,
    /// The end of the last whole line.
    lines_end: usize,
    /// The end of what was read.
    end: usize,
    /// Where the buffer's first byte stands in the haystack.
    offset: u64,
    /// Where the first NUL byte stands in the haystack.
    nul: Option<u64>,
    ended: bool,
}

impl LineBuffer {
    pub(crate) fn new(capacity: usize) -> LineBuffer {
        LineBuffer {
            bytes: Vec::new(),
            limit: capacity,
            capacity,
            lines_end: 0,
            end: 0,
            offset: 0,
            nul: None,
            ended: false,
        }
    }

    /// Forget the haystack before.
    pub(crate) fn restart(&mut self) {
        if self.bytes.len() > KEPT.max(self.capacity) {
            self.bytes = Vec::new();
        }
        self.limit = self.capacity;
        self.lines_end = 0;
        self.end = 0;
        self.offset = 0;
        self.nul = None;
        self.ended = false;
    }

    /// As if the haystack had been read up to the end of `lines`, which begin at `offset` and have been searched.
    pub(crate) fn resume(&mut self, lines: &[u8], offset: u64) {
        self.restart();
        while self.limit < lines.len() {
            self.limit = self.limit.saturating_mul(3);
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(lines);
        self.lines_end = lines.len();
        self.end = lines.len();
        self.offset = offset;
    }

    /// What has been read of a line that has not ended.
    pub(crate) fn begun(&self) -> &[u8] {
        &self.bytes[self.lines_end..self.end]
    }

    /// The least size of a haystack's first block, unless the haystack is smaller or begins with a smaller read.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The whole lines in the buffer, those kept as context included.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.bytes[..self.lines_end]
    }

    /// Where the first NUL byte was, if one was seen.
    pub(crate) fn nul(&self) -> Option<u64> {
        self.nul
    }

    /// Drop the first `consumed` bytes and read until there is another whole line, or the rest of the last one.
    pub(crate) fn fill<R: Read>(
        &mut self,
        consumed: usize,
        reader: &mut R,
        binary: BinaryPolicy,
        terminator: u8,
    ) -> io::Result<Filled> {
        let searched = self.lines_end - consumed;
        self.roll(consumed);
        loop {
            if self.ended {
                self.lines_end = self.end;
                return Ok(if self.end > searched { Filled::Lines } else { Filled::Nothing });
            }
            self.make_room()?;
            let got = self.read(reader)?;
            self.ended = got == 0;
            let fresh = self.end..self.end + got;
            self.end = fresh.end;
            if self.detect_nul(fresh.clone(), binary, terminator).is_break() {
                return Ok(Filled::Quit);
            }
            if let Some(i) = memrchr(terminator, &self.bytes[fresh.clone()]) {
                self.lines_end = fresh.start + i + 1;
                return Ok(Filled::Lines);
            }
        }
    }

    fn roll(&mut self, consumed: usize) {
        if consumed == 0 {
            return;
        }
        self.bytes.copy_within(consumed..self.end, 0);
        self.end -= consumed;
        self.lines_end -= consumed;
        self.offset += consumed as u64;
    }

    /// See that there is something free to read into.
    ///
    /// # Errors
    /// There is not enough memory: whoever wrote a line decides how long it is.
    fn make_room(&mut self) -> io::Result<()> {
        if self.end == self.limit {
            self.limit = self.limit.checked_mul(3).ok_or(io::ErrorKind::OutOfMemory)?;
        }
        // Asked for as a whole, because zeros cannot be refused, and grown where it is: a large buffer's pages move, and
        // those that no line fills are never touched.
        self.bytes.try_reserve_exact(self.limit.saturating_sub(self.bytes.len()))?;
        Ok(())
    }

    /// Fill what is free by one read, or if it is large by several that are all filled. Gives how much came.
    fn read<R: Read>(&mut self, reader: &mut R) -> io::Result<usize> {
        let mut end = self.end;
        loop {
            let wanted = self.limit.min(self.bytes.len().max(end + STEP));
            if self.bytes.len() < wanted {
                self.bytes.resize(wanted, 0);
            }
            match read_some(reader, &mut self.bytes[end..wanted]) {
                // The next read gives the error again.
                Err(error) if end == self.end => return Err(error),
                Err(_) => break,
                Ok(got) => end += got,
            }
            if end < wanted || end == self.limit {
                break;
            }
        }
        Ok(end - self.end)
    }

    /// Look for NUL bytes in what was just read. `Break`: the haystack ends here.
    fn detect_nul(&mut self, fresh: Range<usize>, binary: BinaryPolicy, terminator: u8) -> Flow {
        // Where NUL ends lines anyway there is nothing to convert, and nothing emitted.
        if binary == BinaryPolicy::Text || (binary == BinaryPolicy::Convert && terminator == 0) {
            return Flow::Continue(());
        }
        let start = self.offset + fresh.start as u64;
        let fresh = &mut self.bytes[fresh];
        let Some(first) = memchr(0, fresh) else {
            return Flow::Continue(());
        };
        self.nul = self.nul.or(Some(start + first as u64));
        if binary == BinaryPolicy::Quit {
            return Flow::Break(());
        }
        replace_nuls(&mut fresh[first..], terminator);
        Flow::Continue(())
    }
}

/// NUL bytes come in long runs, where going byte by byte beats starting a vector search for each.
fn replace_nuls(mut bytes: &mut [u8], terminator: u8) {
    while let Some(first) = memchr(0, bytes) {
        bytes = &mut bytes[first..];
        let run = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes[..run].fill(terminator);
        bytes = &mut bytes[run..];
    }
}
