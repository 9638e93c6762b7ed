//! A compressed file, read in blocks by whichever decoder is at it. The block's buffer outlives the file: a worker
//! has one for all of them.

use std::{
    fs::File,
    io::{self, BufRead, Read},
    mem,
};

/// How much of a file is read at a time, in bytes.
const BLOCK: usize = 64 << 10;

/// A file to decode, or none: what decoders hold between two files.
#[derive(Debug, Default)]
pub(super) struct Input {
    file: Option<File>,
    buffer: Vec<u8>,
    /// What is read and not yet taken lies in `buffer[start..end]`.
    start: usize,
    end: usize,
    ended: bool,
    /// Nobody has looked at how it begins.
    is_fresh: bool,
}

impl Input {
    /// Read `file` from now on.
    pub(super) fn open(&mut self, file: File) {
        if self.buffer.is_empty() {
            self.buffer = vec![0; BLOCK];
        }
        (self.file, self.start, self.end, self.ended) = (Some(file), 0, 0, false);
        self.is_fresh = true;
    }

    /// Close the file.
    pub(super) fn close(&mut self) {
        (self.file, self.start, self.end) = (None, 0, 0);
    }

    /// Whether somebody asked for more than there is.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The next bytes, `count` of them unless the file ends before. They are not taken.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.start + count > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < count && self.read_block()? > 0 {}
        let end = self.end.min(self.start + count);
        Ok(&self.buffer[self.start..end])
    }

    /// See that the file begins with `magic`, as far as it goes; to be called before each read, and looks at the first.
    ///
    /// # Errors
    /// It does not, or cannot be read.
    pub(super) fn begin_with(&mut self, magic: &[u8], format: &str) -> io::Result<()> {
        if mem::take(&mut self.is_fresh) && !magic.starts_with(self.peek(magic.len())?) {
            return Err(io::Error::other(format!("not in {format} format")));
        }
        Ok(())
    }

    /// Pass over `count` bytes.
    ///
    /// # Errors
    /// There are fewer, or they cannot be read.
    pub(super) fn skip(&mut self, mut count: u64) -> io::Result<()> {
        while count > 0 {
            let available = self.fill_buf()?.len();
            if available == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let taken = usize::try_from(count).map_or(available, |count| count.min(available));
            self.consume(taken);
            count -= taken as u64;
        }
        Ok(())
    }

    /// Pass over a frame that [`is_skippable`].
    pub(super) fn skip_frame(&mut self) -> io::Result<()> {
        let mut header = [0; 8];
        self.read_exact(&mut header)?;
        let [_, _, _, _, length @ ..] = header;
        self.skip(u64::from(u32::from_le_bytes(length)))
    }

    /// Read what fits behind the bytes that are there.
    fn read_block(&mut self) -> io::Result<usize> {
        let Some(file) = &mut self.file else {
            self.ended = true;
            return Ok(0);
        };
        loop {
            match file.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(got) => {
                    self.end += got;
                    self.ended |= got == 0;
                    return Ok(got);
                }
            }
        }
    }
}

/// Whether `magic` begins a frame that says only how long it is: both lz4 and zstd have these.
pub(super) fn is_skippable(magic: &[u8]) -> bool {
    matches!(magic, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end && !self.ended {
            (self.start, self.end) = (0, 0);
            self.read_block()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.start = self.end.min(self.start + count);
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let available = self.fill_buf()?;
        let count = available.len().min(into.len());
        into[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        // An end that was met before is met again.
        self.ended |= count == 0;
        Ok(count)
    }
}
