//! Bzip2: one or more streams. Bytes behind the last one are ignored, as by the program bzip2,
//! unless they begin like a stream, which is then damaged.
//!
//! Each stream sets the size of its blocks and thus of the decoder (4 MB at most), so a decoder is
//! not reused for the next stream.

use std::{
    fs::File,
    io::{self, Read},
    mem,
};

use bzip2::bufread::BzDecoder;

use super::input::Input;

/// The magic number of a stream, which a digit for the size of its blocks follows.
const MAGIC: &[u8] = b"BZh";

/// Decodes one file after the other.
pub(super) struct Bzip2 {
    stream: BzDecoder<Input>,
}

impl Bzip2 {
    /// Returns a decoder without a file.
    pub(super) fn new() -> Bzip2 {
        Bzip2 { stream: BzDecoder::new(Input::default()) }
    }

    /// Starts to decode `file`.
    pub(super) fn open(&mut self, file: File) {
        self.stream.get_mut().open(file);
        self.begin_stream();
    }

    /// Closes the file.
    pub(super) fn close(&mut self) {
        self.stream.get_mut().close();
    }

    fn begin_stream(&mut self) {
        let input = mem::take(self.stream.get_mut());
        self.stream = BzDecoder::new(input);
    }

    /// Begins the next stream, if there is one.
    ///
    /// # Errors
    /// The file ends within the magic number of a stream.
    fn next_stream(&mut self) -> io::Result<bool> {
        match self.stream.get_mut().peek(MAGIC.len() + 1)? {
            [magic @ .., b'1'..=b'9'] if magic == MAGIC => {
                self.begin_stream();
                Ok(true)
            }
            [] => Ok(false),
            rest if MAGIC.starts_with(rest) => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(false),
        }
    }
}

impl Read for Bzip2 {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let got = self.stream.read(into)?;
            if got > 0 || !self.next_stream()? {
                return Ok(got);
            }
        }
    }
}
