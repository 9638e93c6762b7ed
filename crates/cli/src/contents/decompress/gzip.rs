//! Gzip: one or more members, padded with zeros at most.

use std::{
    io::{self, BufRead, Read},
    mem,
};

use flate2::bufread::GzDecoder;

use super::{input::Input, streams::Streams};

/// The magic number of a member.
pub(super) const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// Whether a file that begins like this is one of gzip: the only method is 8, and three flags are
/// reserved (RFC 1952).
pub(super) fn begins(start: &[u8]) -> bool {
    matches!(start, [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0)
}

/// Decodes one file after the other with the same window.
pub(super) struct Gzip(GzDecoder<Input>);

impl Streams for Gzip {
    fn new() -> Gzip {
        Gzip(GzDecoder::new(Input::default()))
    }

    fn input(&mut self) -> &mut Input {
        self.0.get_mut()
    }

    /// If other bytes follow, the decoded contents are valid, as with the program gzip.
    fn next(&mut self, first: bool) -> io::Result<bool> {
        let input = self.0.get_mut();
        if first {
            input.begin_with(GZIP_MAGIC, "gzip")?;
        } else if !input.peek(GZIP_MAGIC.len())?.starts_with(GZIP_MAGIC) {
            loop {
                let rest = input.fill_buf()?;
                if rest.is_empty() {
                    return Ok(false);
                }
                if rest.iter().any(|&byte| byte != 0) {
                    return Err(io::Error::other("decompression OK, trailing garbage ignored"));
                }
                let padding = rest.len();
                input.consume(padding);
            }
        }
        let input = mem::take(input);
        self.0.reset(input);
        Ok(true)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }

    fn is_worth_keeping(&self) -> bool {
        true
    }
}
