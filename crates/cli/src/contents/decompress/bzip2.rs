//! Bzip2: one or more streams. Bytes behind the last one are ignored, as by the program bzip2,
//! unless they begin like a stream, which is then damaged.
//!
//! Each stream sets how large its blocks are and thus its decoder (4 MB at most), so a decoder is
//! not reused for the next stream.

use std::{
    io::{self, Read},
    mem,
};

use bzip2::bufread::BzDecoder;

use super::{input::Input, streams::Streams};

/// The magic number of a stream. A digit for its blocks' size follows.
pub(super) const BZIP2_MAGIC: &[u8] = b"BZh";

/// What follows the digit: a block, or a stream's end if it has none.
const BLOCK_MAGIC: &[u8] = &[0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
const STREAM_END: &[u8] = &[0x17, 0x72, 0x45, 0x38, 0x50, 0x90];

/// Whether a file that begins like this is a bzip2 file. The magic number alone may begin a text.
pub(super) fn begins(start: &[u8]) -> bool {
    match start {
        [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => {
            rest.starts_with(BLOCK_MAGIC) || rest.starts_with(STREAM_END)
        }
        _ => false,
    }
}

/// Decodes one file after the other.
pub(super) struct Bzip2(BzDecoder<Input>);

impl Streams for Bzip2 {
    fn new() -> Bzip2 {
        Bzip2(BzDecoder::new(Input::default()))
    }

    fn input(&mut self) -> &mut Input {
        self.0.get_mut()
    }

    fn next(&mut self, first: bool) -> io::Result<bool> {
        if !first {
            match self.input().peek(BZIP2_MAGIC.len() + 1)? {
                [magic @ .., b'1'..=b'9'] if magic == BZIP2_MAGIC => {}
                [] => return Ok(false),
                rest if BZIP2_MAGIC.starts_with(rest) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                _ => return Ok(false),
            }
        }
        let input = mem::take(self.input());
        self.0 = BzDecoder::new(input);
        Ok(true)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }

    fn is_worth_keeping(&self) -> bool {
        true
    }
}
