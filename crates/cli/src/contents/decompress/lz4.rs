//! Lz4: one or more frames, with skippable frames between them.

use std::{
    io::{self, Read},
    mem,
};

use lz4_flex::frame::FrameDecoder;

use super::{
    input::{Input, is_skippable},
    streams::Streams,
};

/// The magic number of a frame.
pub(super) const LZ4_MAGIC: &[u8] = &[0x04, 0x22, 0x4d, 0x18];

/// The magic number of a frame in the legacy format, which ends where the file does.
pub(super) const LEGACY_MAGIC: &[u8] = &[0x02, 0x21, 0x4c, 0x18];

/// Decodes one file after the other. Each frame has its own decoder, with buffers as large as its
/// blocks, 8 MB at most; two thirds are not touched if the frame is small.
pub(super) struct Lz4 {
    frame: FrameDecoder<Input>,
    /// Whether the frame has no end mark.
    is_legacy: bool,
}

impl Streams for Lz4 {
    fn new() -> Lz4 {
        Lz4 { frame: FrameDecoder::new(Input::default()), is_legacy: false }
    }

    fn input(&mut self) -> &mut Input {
        self.frame.get_mut()
    }

    fn next(&mut self, first: bool) -> io::Result<bool> {
        let input = self.frame.get_mut();
        self.is_legacy = loop {
            let magic = input.peek(LZ4_MAGIC.len())?;
            match magic {
                [] => return Ok(false),
                LZ4_MAGIC => break false,
                LEGACY_MAGIC => break true,
                _ if is_skippable(magic) => input.skip_frame()?,
                _ if first => return Err(io::Error::other("not in lz4 format")),
                _ => return Err(io::Error::other("something follows the compressed data")),
            }
        };
        let input = mem::take(input);
        self.frame = FrameDecoder::new(input);
        Ok(true)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.frame.read(into)?;
        // The decoder takes the file's end for the frame's.
        if got == 0 && !self.is_legacy && self.frame.get_ref().has_ended() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(got)
    }

    fn is_worth_keeping(&self) -> bool {
        true
    }
}
