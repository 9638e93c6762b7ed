//! Brotli: one stream, without a magic number, and nothing behind it.

use std::{
    fs::File,
    io::{self, Read},
};

use brotli_decompressor::Decompressor;

use super::input::Input;

/// The size of the decoder's own buffer, in bytes. [`Input`] makes the reads large.
const BUFFER: usize = 4 << 10;

/// Decodes one file. The stream sets the size of the window, 16 MiB at most.
pub(super) struct Brotli {
    stream: Decompressor<Input>,
}

impl Brotli {
    /// Returns a decoder of `file`.
    pub(super) fn new(file: File) -> Brotli {
        let mut input = Input::default();
        input.open(file);
        Brotli { stream: Decompressor::new(input, BUFFER) }
    }

    fn corrupt(&self) -> io::Error {
        match self.stream.get_ref().has_ended() {
            true => io::ErrorKind::UnexpectedEof.into(),
            false => io::Error::other("corrupt input"),
        }
    }
}

impl Read for Brotli {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.stream.read(into).map_err(|_| self.corrupt())?;
        // The stream has ended. Further bytes are in the decoder's buffer, which the next read
        // reveals, or in ours.
        if got == 0 {
            let more = self.stream.read(into);
            if more.is_err() || !self.stream.get_mut().peek(1)?.is_empty() {
                return Err(io::Error::other("something follows the compressed data"));
            }
        }
        Ok(got)
    }
}
