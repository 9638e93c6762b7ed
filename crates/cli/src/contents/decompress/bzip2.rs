//! Bzip2: streams one after the other. What follows the last one is ignored, as by the program bzip2, unless it begins
//! like a stream: then it is a damaged one.
//!
//! Each stream says how large its blocks are, and the decoder's memory follows from that (4 MB at most), so there is
//! none to be kept from one stream to the next.

use std::{
    fs::File,
    io::{self, Read},
    mem,
};

use bzip2::bufread::BzDecoder;

use super::input::Input;

/// What a stream begins with, before the digit that tells the size of its blocks.
const MAGIC: &[u8] = b"BZh";

/// Decodes one file after the other.
pub(super) struct Bzip2 {
    stream: BzDecoder<Input>,
}

impl Bzip2 {
    /// A decoder that reads nothing yet.
    pub(super) fn new() -> Bzip2 {
        Bzip2 { stream: BzDecoder::new(Input::default()) }
    }

    /// Decode `file` from now on.
    pub(super) fn open(&mut self, file: File) {
        self.stream.get_mut().open(file);
        self.begin_stream();
    }

    /// Close the file.
    pub(super) fn close(&mut self) {
        self.stream.get_mut().close();
    }

    fn begin_stream(&mut self) {
        let input = mem::take(self.stream.get_mut());
        self.stream = BzDecoder::new(input);
    }

    /// Begin the stream that follows the one that ended, if there is one.
    ///
    /// # Errors
    /// The file ends where one may have begun.
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
