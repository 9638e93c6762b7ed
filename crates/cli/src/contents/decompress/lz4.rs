//! Lz4: one or more frames, with skippable frames between them.

use std::{
    fs::File,
    io::{self, Read},
    mem,
};

use lz4_flex::frame::FrameDecoder;

use super::input::{Input, is_skippable};

/// The magic number of a frame.
const MAGIC: &[u8] = &[0x04, 0x22, 0x4d, 0x18];

/// The magic number of a frame in the legacy format, which ends where the file does.
const LEGACY_MAGIC: &[u8] = &[0x02, 0x21, 0x4c, 0x18];

/// Decodes one file after the other. Each frame has its own decoder, whose buffers have the size of
/// its blocks, 8 MB at most; two thirds of that are not touched if the frame is small.
pub(super) struct Lz4 {
    frame: FrameDecoder<Input>,
    position: Position,
}

/// The decoder's position in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// Before the first frame, or before another one.
    Before { first: bool },
    /// In a frame with an end mark.
    Frame,
    /// In a legacy frame.
    Legacy,
}

impl Lz4 {
    /// Returns a decoder without a file.
    pub(super) fn new() -> Lz4 {
        Lz4 {
            frame: FrameDecoder::new(Input::default()),
            position: Position::Before { first: true },
        }
    }

    /// Starts to decode `file`.
    pub(super) fn open(&mut self, file: File) {
        self.frame.get_mut().open(file);
        self.position = Position::Before { first: true };
    }

    /// Closes the file.
    pub(super) fn close(&mut self) {
        self.frame.get_mut().close();
    }

    /// Begins the next frame, if there is one.
    fn next_frame(&mut self, first: bool) -> io::Result<bool> {
        let input = self.frame.get_mut();
        loop {
            let magic = input.peek(MAGIC.len())?;
            self.position = match magic {
                [] => return Ok(false),
                MAGIC => Position::Frame,
                LEGACY_MAGIC => Position::Legacy,
                _ if is_skippable(magic) => {
                    input.skip_frame()?;
                    continue;
                }
                _ if first => return Err(io::Error::other("not in lz4 format")),
                _ => return Err(io::Error::other("something follows the compressed data")),
            };
            let input = mem::take(input);
            self.frame = FrameDecoder::new(input);
            return Ok(true);
        }
    }
}

impl Read for Lz4 {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.position {
                Position::Before { first } => {
                    if !self.next_frame(first)? {
                        return Ok(0);
                    }
                }
                Position::Frame | Position::Legacy => {
                    let got = self.frame.read(into)?;
                    if got > 0 {
                        return Ok(got);
                    }
                    // The decoder mistakes the end of the file for the end of the frame.
                    if self.position == Position::Frame && self.frame.get_ref().has_ended() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    self.position = Position::Before { first: false };
                }
            }
        }
    }
}
