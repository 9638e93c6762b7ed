//! Zstandard: one or more frames, with skippable frames between them.

use std::io::{self, Read};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{DecodeBlockContentError, DecompressBlockError, FrameDecoderError},
};

use super::{
    input::{Input, is_skippable},
    streams::Streams,
};

/// The largest window, in bytes, which is the default limit of the program zstd.
const LARGEST_WINDOW: u64 = 128 << 20;

/// A decoder is dropped if its window has held more bytes than this.
const MAX_KEPT_BYTES: u64 = 8 << 20;

/// An empty last block and a checksum. Decoded in place of a damaged block, they make the decoder
/// return the bytes that it holds in its window.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// The magic number of a frame.
pub(super) const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Decodes one file after the other with the same tables and window.
pub(super) struct Zstd {
    input: Input,
    frame: FrameDecoder,
    /// The error behind the bytes that remain.
    fault: Option<io::Error>,
    /// How many bytes this file has returned, which bounds the window.
    returned: u64,
}

impl Zstd {
    /// Decodes about `wanted` bytes.
    fn decode(&mut self, wanted: usize) {
        let strategy = BlockDecodingStrategy::UptoBytes(wanted);
        let Err(error) = self.frame.decode_blocks(&mut self.input, strategy) else { return };
        // A block enters the window after it is decoded, but some of its copies may have entered it
        // before.
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
        self.fault = Some(self.explain(error));
    }

    /// The error to report for `error`.
    fn explain(&self, error: FrameDecoderError) -> io::Error {
        match self.input.has_ended() {
            true => io::ErrorKind::UnexpectedEof.into(),
            false => io::Error::other(error),
        }
    }

    fn check_sum(&self) -> io::Result<()> {
        let wanted = self.frame.get_checksum_from_data();
        if wanted.is_some() && wanted != self.frame.get_calculated_checksum() {
            return Err(io::Error::other("the checksum does not match"));
        }
        Ok(())
    }
}

impl Streams for Zstd {
    fn new() -> Zstd {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(LARGEST_WINDOW);
        Zstd { input: Input::default(), frame, fault: None, returned: 0 }
    }

    fn input(&mut self) -> &mut Input {
        &mut self.input
    }

    /// The file has to begin with a frame, at least a skippable one.
    fn next(&mut self, mut first: bool) -> io::Result<bool> {
        if first {
            (self.fault, self.returned) = (None, 0);
        }
        loop {
            let magic = self.input.peek(ZSTD_MAGIC.len())?;
            match magic {
                [] if first => return Err(io::ErrorKind::UnexpectedEof.into()),
                [] => return Ok(false),
                ZSTD_MAGIC => break,
                _ if is_skippable(magic) => self.input.skip_frame()?,
                _ if first => return Err(io::Error::other("unsupported format")),
                _ => return Err(io::Error::other("something follows the compressed data")),
            }
            first = false;
        }
        let reset = self.frame.reset(&mut self.input);
        reset.map_err(|error| self.explain(error))?;
        Ok(true)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let got = self.frame.read(into)?;
            if got > 0 {
                self.returned += got as u64;
                return Ok(got);
            }
            match self.fault.take() {
                Some(error) => return Err(error),
                None if self.frame.is_finished() => return self.check_sum().map(|()| 0),
                None => self.decode(into.len()),
            }
        }
    }

    fn is_worth_keeping(&self) -> bool {
        self.returned <= MAX_KEPT_BYTES
    }
}
