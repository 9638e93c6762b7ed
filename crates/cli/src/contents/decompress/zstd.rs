//! Zstandard: frames one after the other, with frames between them that are to be skipped.

use std::{
    fs::File,
    io::{self, Read},
};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{DecodeBlockContentError, DecompressBlockError, FrameDecoderError},
};

use super::input::{Input, is_skippable};

/// A frame's window may have this many bytes; the program zstd asks to be told so before it takes more, too.
const LARGEST_WINDOW: u64 = 128 << 20;

/// A block that is the last one and holds nothing, and the checksum of a frame that needs one. Decoded in the place of
/// what cannot be decoded, it makes the decoder give what it holds back as its window.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// What a frame begins with.
const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Decodes one file after the other with the same tables and window.
pub(super) struct Zstd {
    input: Input,
    frame: FrameDecoder,
    place: Place,
    /// Bytes given of this file.
    given: u64,
}

/// Where the decoder is in its file.
enum Place {
    /// Before a frame, the first or another.
    Before {
        first: bool,
    },
    Frame,
    /// Behind a fault, with bytes left that were decoded before it.
    Fault(io::Error),
    Ended,
}

impl Zstd {
    /// A decoder that reads nothing yet.
    pub(super) fn new() -> Zstd {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(LARGEST_WINDOW);
        Zstd { input: Input::default(), frame, place: Place::Ended, given: 0 }
    }

    /// Decode `file` from now on.
    pub(super) fn open(&mut self, file: File) {
        self.input.open(file);
        self.place = Place::Before { first: true };
        self.given = 0;
    }

    /// Close the file.
    pub(super) fn close(&mut self) {
        self.input.close();
    }

    /// How many bytes the last file has given so far: its window holds no more.
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    /// Begin the next frame, if there is one; there has to be a first one, if only one to be skipped.
    fn next_frame(&mut self, mut first: bool) -> io::Result<()> {
        loop {
            let magic = self.input.peek(MAGIC.len())?;
            match magic {
                [] if first => return Err(io::ErrorKind::UnexpectedEof.into()),
                [] => self.place = Place::Ended,
                MAGIC => {
                    if let Err(error) = self.frame.reset(&mut self.input) {
                        return Err(self.fault(error));
                    }
                    self.place = Place::Frame;
                }
                _ if is_skippable(magic) => {
                    self.input.skip_frame()?;
                    first = false;
                    continue;
                }
                _ if first => return Err(io::Error::other("unsupported format")),
                _ => return Err(io::Error::other("something follows the compressed data")),
            }
            return Ok(());
        }
    }

    /// Decode about as many bytes as are wanted.
    fn decode(&mut self, wanted: usize) {
        let strategy = BlockDecodingStrategy::UptoBytes(wanted);
        let Err(error) = self.frame.decode_blocks(&mut self.input, strategy) else { return };
        // A block is decoded in full before it becomes part of the window, but for its copies, which may have become
        // part of it by halves.
        let is_half_done = matches!(
            error,
            FrameDecoderError::FailedToReadBlockBody(
                DecodeBlockContentError::DecompressBlockError(
                    DecompressBlockError::ExecuteSequencesError(_)
                )
            )
        );
        if !is_half_done {
            // Should it fail as well, there is nothing more to be had.
            let _ = self.frame.decode_blocks(LAST_BLOCK, BlockDecodingStrategy::All);
        }
        self.place = Place::Fault(self.fault(error));
    }

    /// What is said of `error`.
    fn fault(&self, error: FrameDecoderError) -> io::Error {
        match self.input.has_ended() {
            true => io::ErrorKind::UnexpectedEof.into(),
            false => io::Error::other(error),
        }
    }

    fn end_frame(&mut self) -> io::Result<()> {
        let wanted = self.frame.get_checksum_from_data();
        if wanted.is_some() && wanted != self.frame.get_calculated_checksum() {
            return Err(io::Error::other("the checksum does not match"));
        }
        self.place = Place::Before { first: false };
        Ok(())
    }
}

impl Read for Zstd {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Place::Before { first } = self.place {
                self.next_frame(first)?;
            }
            if let Place::Ended = self.place {
                return Ok(0);
            }
            let got = self.frame.read(into)?;
            if got > 0 {
                self.given += got as u64;
                return Ok(got);
            }
            match std::mem::replace(&mut self.place, Place::Ended) {
                Place::Fault(error) => return Err(error),
                _ if self.frame.is_finished() => self.end_frame()?,
                place => {
                    self.place = place;
                    self.decode(into.len());
                }
            }
        }
    }
}
