//! Lz4: frames one after the other, with frames between them that are to be skipped.

use std::{
    fs::File,
    io::{self, Read},
    mem,
};

use lz4_flex::frame::FrameDecoder;

use super::input::{Input, is_skippable};

/// What a frame begins with.
const MAGIC: &[u8] = &[0x04, 0x22, 0x4d, 0x18];

/// What a frame of the oldest kind begins with. Nothing marks its end but that of the file.
const LEGACY_MAGIC: &[u8] = &[0x02, 0x21, 0x4c, 0x18];

/// Decodes one file after the other. Each frame has a decoder of its own: its buffers follow from the size of its
/// blocks, 8 MB at most, and two thirds of it are not touched if the frame is small.
pub(super) struct Lz4 {
    frame: FrameDecoder<Input>,
    place: Place,
}

/// Where the decoder is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a frame, the first or another.
    Before { first: bool },
    /// In a frame that marks its end.
    Frame,
    /// In one that does not.
    Legacy,
}

impl Lz4 {
    /// A decoder that reads nothing yet.
    pub(super) fn new() -> Lz4 {
        Lz4 { frame: FrameDecoder::new(Input::default()), place: Place::Before { first: true } }
    }

    /// Decode `file` from now on.
    pub(super) fn open(&mut self, file: File) {
        self.frame.get_mut().open(file);
        self.place = Place::Before { first: true };
    }

    /// Close the file.
    pub(super) fn close(&mut self) {
        self.frame.get_mut().close();
    }

    /// Begin the next frame, if there is one.
    fn next_frame(&mut self, first: bool) -> io::Result<bool> {
        let input = self.frame.get_mut();
        loop {
            let magic = input.peek(MAGIC.len())?;
            self.place = match magic {
                [] => return Ok(false),
                MAGIC => Place::Frame,
                LEGACY_MAGIC => Place::Legacy,
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
            match self.place {
                Place::Before { first } => {
                    if !self.next_frame(first)? {
                        return Ok(0);
                    }
                }
                Place::Frame | Place::Legacy => {
                    let got = self.frame.read(into)?;
                    if got > 0 {
                        return Ok(got);
                    }
                    // The decoder takes the end of its input for the end of the frame.
                    if self.place == Place::Frame && self.frame.get_ref().has_ended() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    self.place = Place::Before { first: false };
                }
            }
        }
    }
}
