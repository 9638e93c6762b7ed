//! Zstandard: one or more frames, with skippable frames between them.

use std::{
    fs::File,
    io::{self, Read},
};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{DecodeBlockContentError, DecompressBlockError, FrameDecoderError},
};

use super::input::{Input, is_skippable};

/// The largest window, in bytes, which is the default limit of the program zstd.
const LARGEST_WINDOW: u64 = 128 << 20;

/// An empty last block and a checksum. Decoded in place of a damaged block, they make the decoder
/// return the bytes that it holds in its window.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// The magic number of a frame.
const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Decodes one file after the other with the same tables and window.
pub(super) struct Zstd {
    input: Input,
    frame: FrameDecoder,
    position: Position,
    /// The number of bytes that this file has returned.
    returned: u64,
}

/// The decoder's position in its file.
enum Position {
    /// Before the first frame, or before another one.
    Before {
        first: bool,
    },
    Frame,
    /// Behind an error; bytes that were decoded before it remain.
    Fault(io::Error),
    Ended,
}

impl Zstd {
    /// Returns a decoder without a file.
    pub(super) fn new() -> Zstd {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(LARGEST_WINDOW);
        Zstd { input: Input::default(), frame, position: Position::Ended, returned: 0 }
    }

    /// Starts to decode `file`.
    pub(super) fn open(&mut self, file: File) {
        self.input.open(file);
        self.position = Position::Before { first: true };
        self.returned = 0;
    }

    /// Closes the file.
    pub(super) fn close(&mut self) {
        self.input.close();
    }

    /// The number of bytes that the last file has returned, which bounds the window.
    pub(super) fn returned(&self) -> u64 {
        self.returned
    }

    /// Begins the next frame, if there is one. The file has to begin with a frame, at least a
    /// skippable one.
    fn next_frame(&mut self, mut first: bool) -> io::Result<()> {
        loop {
            let magic = self.input.peek(MAGIC.len())?;
            match magic {
                [] if first => return Err(io::ErrorKind::UnexpectedEof.into()),
                [] => self.position = Position::Ended,
                MAGIC => {
                    if let Err(error) = self.frame.reset(&mut self.input) {
                        return Err(self.fault(error));
                    }
                    self.position = Position::Frame;
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

    /// Decodes about `wanted` bytes.
    fn decode(&mut self, wanted: usize) {
        let strategy = BlockDecodingStrategy::UptoBytes(wanted);
        let Err(error) = self.frame.decode_blocks(&mut self.input, strategy) else { return };
        // A block enters the window after it is decoded, but for its copies, some of which may have
        // entered it.
        let is_half_done = matches!(
            error,
            FrameDecoderError::FailedToReadBlockBody(
                DecodeBlockContentError::DecompressBlockError(
                    DecompressBlockError::ExecuteSequencesError(_)
                )
            )
        );
        if !is_half_done {
            // If this fails as well, no bytes are left.
            let _ = self.frame.decode_blocks(LAST_BLOCK, BlockDecodingStrategy::All);
        }
        self.position = Position::Fault(self.fault(error));
    }

    /// The error to report for `error`.
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
        self.position = Position::Before { first: false };
        Ok(())
    }
}

impl Read for Zstd {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Position::Before { first } = self.position {
                self.next_frame(first)?;
            }
            if let Position::Ended = self.position {
                return Ok(0);
            }
            let got = self.frame.read(into)?;
            if got > 0 {
                self.returned += got as u64;
                return Ok(got);
            }
            match std::mem::replace(&mut self.position, Position::Ended) {
                Position::Fault(error) => return Err(error),
                _ if self.frame.is_finished() => self.end_frame()?,
                position => {
                    self.position = position;
                    self.decode(into.len());
                }
            }
        }
    }
}
