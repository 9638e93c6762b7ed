//! A compressed file, read in blocks by its decoder. A worker reuses the buffer for all files.

use std::{
    fs::File,
    io::{self, BufRead, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// How many bytes are read at once.
const BLOCK_BYTES: usize = 64 << 10;

/// How many bytes may be read from a file while nothing is decoded: padding, empty streams, frames
/// with other data. No format needs that many, and a hole in a file has any number.
const MAX_IDLE_BYTES: u64 = 16 << 20;

/// How much of a file has been read. The input and the decoder's owner share it.
#[derive(Debug, Default)]
pub(super) struct Counts {
    read: AtomicU64,
    /// How much had been read when something was decoded last.
    at_progress: AtomicU64,
}

impl Counts {
    /// How many bytes have been read.
    pub(super) fn read(&self) -> u64 {
        // Ordering: Relaxed, here and below; one thread uses a decoder at a time.
        self.read.load(Ordering::Relaxed)
    }

    /// Notes that something was decoded.
    pub(super) fn note_progress(&self) {
        self.at_progress.store(self.read(), Ordering::Relaxed);
    }

    /// Adds bytes that were read.
    fn add(&self, bytes: usize) {
        self.read.store(self.read() + bytes as u64, Ordering::Relaxed);
    }

    fn is_idle(&self) -> bool {
        self.read() - self.at_progress.load(Ordering::Relaxed) > MAX_IDLE_BYTES
    }
}

/// A file to decode; none between two files.
#[derive(Debug, Default)]
pub(super) struct Input {
    file: Option<File>,
    buffer: Vec<u8>,
    /// The bytes that are read but not consumed are `buffer[start..end]`.
    start: usize,
    end: usize,
    ended: bool,
    counts: Arc<Counts>,
}

impl Input {
    /// Starts to read `file`. `start` has been read from it. `counts` counts what is read.
    pub(super) fn open(&mut self, file: File, start: &[u8], counts: Arc<Counts>) {
        if self.buffer.is_empty() {
            self.buffer = vec![0; BLOCK_BYTES];
        }
        self.buffer[..start.len()].copy_from_slice(start);
        counts.add(start.len());
        (self.file, self.start, self.end, self.ended) = (Some(file), 0, start.len(), false);
        self.counts = counts;
    }

    /// Closes the file.
    pub(super) fn close(&mut self) {
        (self.file, self.start, self.end) = (None, 0, 0);
    }

    /// Whether a read has met the file's end.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the next `count` bytes, or fewer at the file's end, without consuming them.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.start + count > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < count && self.read_block()? > 0 {}
        let end = self.end.min(self.start + count);
        Ok(&self.buffer[self.start..end])
    }

    /// Checks that the file begins with `magic`, or with a part of it if it is shorter.
    ///
    /// # Errors
    /// The file begins otherwise, or cannot be read.
    pub(super) fn begin_with(&mut self, magic: &[u8], format: &str) -> io::Result<()> {
        match magic.starts_with(self.peek(magic.len())?) {
            true => Ok(()),
            false => Err(io::Error::other(format!("not in {format} format"))),
        }
    }

    /// Consumes `count` bytes.
    ///
    /// # Errors
    /// There are fewer bytes, or they cannot be read.
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

    /// Consumes a frame with a magic number that [`is_skippable`].
    pub(super) fn skip_frame(&mut self) -> io::Result<()> {
        let mut header = [0; 8];
        self.read_exact(&mut header)?;
        let [_, _, _, _, length @ ..] = header;
        self.skip(u64::from(u32::from_le_bytes(length)))
    }

    /// Reads as many bytes as fit behind those in the buffer.
    fn read_block(&mut self) -> io::Result<usize> {
        let Some(file) = &mut self.file else {
            self.ended = true;
            return Ok(0);
        };
        if self.counts.is_idle() {
            let most = MAX_IDLE_BYTES >> 20;
            return Err(io::Error::other(format!("nothing is in {most} MiB of it")));
        }
        loop {
            match file.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(got) => {
                    self.end += got;
                    self.counts.add(got);
                    self.ended |= got == 0;
                    return Ok(got);
                }
            }
        }
    }
}

/// Whether `magic` begins a frame of other data, which lz4 and zstd define alike.
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
        // Reading nothing means that the end was met before.
        self.ended |= count == 0;
        Ok(count)
    }
}
