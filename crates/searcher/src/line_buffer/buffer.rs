//! The buffer, and how it is filled.

use std::{
    io::{self, Read},
    mem,
    ops::Range,
};

use memchr::{memchr, memrchr};

use super::long_lines::{LongLines, PassedLine};
use crate::{
    BinaryPolicy, Flow, SearchConfig, Stop, mmap::prefer_large_pages, source::is_cut_off,
    source::read_some,
};

/// The size of a fresh buffer, in bytes.
pub(crate) const CAPACITY: usize = 64 << 10;

/// How many times its size a buffer takes that is full without a line terminator.
pub(crate) const GROWTH: usize = 3;

/// A buffer that a long line made grow beyond this many bytes is freed before the next haystack.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// How many bytes are read into a large buffer at once: more than any pipe holds, so that no read
/// waits for more when something has arrived.
const READ_BYTES: usize = 2 << 20;

/// A buffer that needs more than [`LARGE_BUFFER_BYTES`] bytes reserves this many times as many.
/// Memory that is reserved and not used costs nothing.
const RESERVE_FACTOR: usize = 16;
const LARGE_BUFFER_BYTES: usize = 2 << 20;

/// What [`LineBuffer::fill`] has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filled {
    /// At least one more line to search.
    Lines,
    /// A NUL byte that ends the haystack.
    Quit,
    /// The haystack is over.
    Nothing,
}

/// A buffer of whole lines, used for one haystack after the other. It allocates on first use.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    pub(super) bytes: Vec<u8>,
    /// How much of `bytes` may be used. Grows with long lines and is reset for each haystack, so
    /// that blocks do not depend on the haystacks before.
    pub(super) limit: usize,
    /// What `limit` is at the start of a haystack.
    pub(super) capacity: usize,
    /// The end of the last whole line.
    pub(super) lines_end: usize,
    /// The end of the bytes read.
    pub(super) end: usize,
    /// The position of the buffer's first byte in the haystack.
    pub(super) offset: u64,
    /// The length of the haystack, if it is known.
    expected: Option<u64>,
    /// The line before the buffer that the last fill passed over.
    pub(super) passed: Option<PassedLine>,
    /// The position of the first NUL byte in the haystack.
    nul: Option<u64>,
    /// Where NUL bytes have become line terminators, as far as the caller has not taken that. Only
    /// known if lines are numbered.
    pub(crate) converted: Vec<Range<u64>>,
    pub(super) ended: bool,
    /// The error that cut the haystack off, which comes after its last line.
    fault: Option<io::Error>,
    /// What ends haystacks early.
    pub(crate) stop: Option<Stop>,
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
            expected: None,
            passed: None,
            nul: None,
            converted: Vec::new(),
            ended: false,
            fault: None,
            stop: None,
        }
    }

    /// Sets the length that haystacks are expected to have; `None` if it is not known. The longest
    /// line is not longer, which is all that this is used for.
    pub(crate) fn expect(&mut self, len: Option<u64>) {
        self.expected = len;
    }

    /// Empties the buffer for the next haystack.
    pub(crate) fn restart(&mut self) {
        if self.bytes.len() > MAX_KEPT_BYTES.max(self.capacity) {
            self.bytes = Vec::new();
        }
        self.limit = self.capacity;
        self.lines_end = 0;
        self.end = 0;
        self.offset = 0;
        self.passed = None;
        self.nul = None;
        self.converted.clear();
        self.ended = false;
        self.fault = None;
    }

    /// Sets the state after `lines` were searched, which begin at `offset` in the haystack: reading
    /// goes on behind them.
    pub(crate) fn resume(&mut self, lines: &[u8], offset: u64) {
        self.restart();
        while self.limit < lines.len() {
            self.limit = self.limit.saturating_mul(GROWTH);
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(lines);
        self.lines_end = lines.len();
        self.end = lines.len();
        self.offset = offset;
    }

    /// Takes the whole lines out of the buffer, which is then empty.
    pub(crate) fn take_lines(&mut self) -> Vec<u8> {
        let mut bytes = mem::take(&mut self.bytes);
        bytes.truncate(self.lines_end);
        self.restart();
        bytes
    }

    /// The incomplete line after the whole ones.
    pub(crate) fn incomplete_line(&self) -> &[u8] {
        &self.bytes[self.lines_end..self.end]
    }

    /// The least size of a haystack's first block, unless the haystack is smaller or its first read
    /// is shorter.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The whole lines in the buffer, including those kept as context.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.bytes[..self.lines_end]
    }

    /// Whether the haystack is to end early.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(Stop::is_over)
    }

    /// The position of the first NUL byte, if one was seen.
    pub(crate) fn nul(&self) -> Option<u64> {
        self.nul
    }

    /// The line that the last [fill](LineBuffer::fill) passed over. The lines in the buffer come
    /// after it.
    pub(crate) fn passed(&self) -> Option<PassedLine> {
        self.passed
    }

    /// Drops the first `consumed` bytes and reads until there is another whole line, or the rest of
    /// the last one. With `long`, it may pass over one line first.
    pub(crate) fn fill(
        &mut self,
        consumed: usize,
        reader: &mut dyn Read,
        config: &SearchConfig,
        mut long: Option<&mut LongLines<'_>>,
    ) -> io::Result<Filled> {
        let searched = self.lines_end - consumed;
        self.roll(consumed);
        self.passed = None;
        loop {
            if self.ended {
                self.lines_end = self.end;
                if self.end > searched {
                    return Ok(Filled::Lines);
                }
                return self.fault.take().map_or(Ok(Filled::Nothing), Err);
            }
            if self.is_stopped() {
                return Ok(Filled::Nothing);
            }
            if self.end == self.limit
                && let Some(long) = long.take_if(|_| self.lines_end == 0)
                && let Some(filled) = self.pass_over(reader, config, long)?
            {
                return Ok(filled);
            }
            if self.end == self.limit {
                self.grow()?;
            }
            let got = match self.read(reader, self.limit) {
                Err(error) if is_cut_off(&error) => {
                    self.fault = Some(error);
                    0
                }
                read => read?,
            };
            self.ended = got == 0;
            let fresh = self.end..self.end + got;
            self.end = fresh.end;
            if self.detect_nul(fresh.clone(), 0, config).is_break() {
                return Ok(Filled::Quit);
            }
            if let Some(i) = memrchr(config.line_terminator, &self.bytes[fresh.clone()]) {
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

    /// Lets the buffer take [more](GROWTH).
    pub(super) fn grow(&mut self) -> io::Result<()> {
        self.limit = self.limit.checked_mul(GROWTH).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(())
    }

    /// Fills the part before `limit` with one read or, if it is large, with several full ones.
    /// Returns how many bytes were read.
    ///
    /// # Errors
    /// The reader's error, or that there is not enough memory: how long a line is depends on
    /// untrusted input. After an error, the bytes before it are returned first.
    pub(super) fn read(&mut self, reader: &mut dyn Read, limit: usize) -> io::Result<usize> {
        let mut end = self.end;
        loop {
            let wanted = limit.min(self.bytes.len().max(end + READ_BYTES));
            let got = match self.use_up_to(wanted) {
                Ok(()) => read_some(reader, &mut self.bytes[end..wanted]),
                Err(error) => Err(error),
            };
            match got {
                // The next read returns the error again.
                Err(error) if end == self.end => return Err(error),
                Err(_) => break,
                Ok(got) => end += got,
            }
            if end < wanted || end == limit {
                break;
            }
        }
        Ok(end - self.end)
    }

    /// Ensures that the buffer has `len` bytes. Reserved first, because filling with zeros cannot
    /// fail gracefully.
    pub(super) fn use_up_to(&mut self, len: usize) -> io::Result<()> {
        if self.bytes.len() < len {
            self.reserve(len)?;
            self.bytes.resize(len, 0);
        }
        Ok(())
    }

    /// Reserves memory for `len` bytes. A large buffer is reserved for the rest of the haystack, in
    /// large pages, if its length is known: a line that long seldom ends soon, and page faults cost
    /// more than everything else that is done with it. If not, it grows in place: its pages are
    /// remapped. See docs/decisions/0142-long-lines-in-large-pages.md.
    fn reserve(&mut self, len: usize) -> io::Result<()> {
        let expected =
            self.expected.filter(|_| len > LARGE_BUFFER_BYTES && len > self.bytes.capacity());
        if let Some(expected) = expected {
            let left = usize::try_from(expected.saturating_sub(self.offset)).unwrap_or(usize::MAX);
            // The end of a haystack is found by a read beyond it.
            let most = left
                .saturating_add(2 * READ_BYTES)
                .min(len.saturating_mul(RESERVE_FACTOR))
                .max(len);
            let mut larger = Vec::new();
            if larger.try_reserve_exact(most).is_ok() {
                prefer_large_pages(larger.spare_capacity_mut());
                larger.extend_from_slice(&self.bytes);
                self.bytes = larger;
            }
        }
        Ok(self.bytes.try_reserve(len - self.bytes.len())?)
    }

    /// Checks the bytes just read for NUL, if `dropped` bytes before the buffer have been dropped.
    /// `Break` if the haystack ends here.
    pub(super) fn detect_nul(
        &mut self,
        fresh: Range<usize>,
        dropped: usize,
        config: &SearchConfig,
    ) -> Flow {
        if !config.detects_nul() {
            return Flow::Continue(());
        }
        let start = self.offset + (dropped + fresh.start) as u64;
        let fresh = &mut self.bytes[fresh];
        let Some(first) = memchr(0, fresh) else {
            return Flow::Continue(());
        };
        self.nul = self.nul.or(Some(start + first as u64));
        if config.binary == BinaryPolicy::Quit {
            return Flow::Break(());
        }
        let mut at = start + first as u64;
        replace_nuls(&mut fresh[first..], config.line_terminator, |passed, run| {
            at += passed as u64;
            if config.line_numbers {
                self.converted.push(at..at + run as u64);
            }
            at += run as u64;
        });
        Flow::Continue(())
    }
}

/// NUL bytes come in long runs, for which a loop over bytes is faster than one vector search each.
/// `replaced` receives, for each run, the number of bytes before it and its length.
fn replace_nuls(mut bytes: &mut [u8], terminator: u8, mut replaced: impl FnMut(usize, usize)) {
    while let Some(first) = memchr(0, bytes) {
        bytes = &mut bytes[first..];
        let run = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes[..run].fill(terminator);
        replaced(first, run);
        bytes = &mut bytes[run..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_for_a_haystack_of_known_length_moves_once() {
        let line = b"x".repeat(20 << 20);
        for expected in [None, Some(line.len() as u64), Some(1), Some(u64::MAX)] {
            let (mut buffer, mut reader) = (LineBuffer::new(64 << 10), &line[..]);
            buffer.expect(expected);
            buffer.restart();
            let filled = buffer.fill(0, &mut reader, &SearchConfig::default(), None).unwrap();
            assert_eq!((filled, buffer.lines() == line), (Filled::Lines, true), "{expected:?}");
            let used = buffer.bytes.capacity();
            match expected {
                Some(len) if len == line.len() as u64 => {
                    assert_eq!(used, line.len() + 2 * READ_BYTES, "it was not reserved again");
                }
                _ => assert!(used < RESERVE_FACTOR * (line.len() + 2 * READ_BYTES), "{used}"),
            }
        }
    }
}
