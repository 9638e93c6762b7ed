//! Brotli: one stream, without a magic number, and nothing behind it.

use std::io::{self, Read};

use brotli_decompressor::Decompressor;

use super::{input::Input, streams::Streams};

/// How large the decoder's own buffer is, in bytes. [`Input`] makes the reads large.
const BUFFER_BYTES: usize = 4 << 10;

/// Decodes one file. The stream sets how large the window is, 16 MiB at most.
pub(super) struct Brotli(Decompressor<Input>);

impl Streams for Brotli {
    fn new() -> Brotli {
        Brotli(Decompressor::new(Input::default(), BUFFER_BYTES))
    }

    fn input(&mut self) -> &mut Input {
        self.0.get_mut()
    }

    fn next(&mut self, first: bool) -> io::Result<bool> {
        // Further bytes are in the decoder's buffer, which the next read reveals, or in ours.
        if !first && (self.0.read(&mut [0]).is_err() || !self.input().peek(1)?.is_empty()) {
            return Err(io::Error::other("something follows the compressed data"));
        }
        Ok(first)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|_| match self.0.get_ref().has_ended() {
            true => io::ErrorKind::UnexpectedEof.into(),
            false => io::Error::other("corrupt input"),
        })
    }

    fn is_worth_keeping(&self) -> bool {
        false
    }
}
