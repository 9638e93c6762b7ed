//! Gzip: members one after the other, padded with zeros at most.

use std::{
    fs::File,
    io::{self, BufRead, Read},
    mem,
};

use flate2::bufread::GzDecoder;

use super::input::Input;

/// What a member begins with.
const MAGIC: &[u8] = &[0x1f, 0x8b];

/// Decodes one file after the other with the same window.
#[derive(Debug)]
pub(super) struct Gzip {
    member: GzDecoder<Input>,
}

impl Gzip {
    /// A decoder that reads nothing yet.
    pub(super) fn new() -> Gzip {
        Gzip { member: GzDecoder::new(Input::default()) }
    }

    /// Decode `file` from now on.
    pub(super) fn open(&mut self, file: File) {
        let mut input = mem::take(self.member.get_mut());
        input.open(file);
        self.member.reset(input);
    }

    /// Close the file.
    pub(super) fn close(&mut self) {
        self.member.get_mut().close();
    }

    /// Whether another member follows the one that ended.
    ///
    /// # Errors
    /// Something else follows: as with the program gzip, what was decoded stays valid.
    fn next_member(&mut self) -> io::Result<bool> {
        let input = self.member.get_mut();
        if input.peek(MAGIC.len())?.starts_with(MAGIC) {
            let input = mem::take(input);
            self.member.reset(input);
            return Ok(true);
        }
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
}

impl Read for Gzip {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.member.get_mut().begin_with(MAGIC, "gzip")?;
        loop {
            let got = self.member.read(into)?;
            if got > 0 || !self.next_member()? {
                return Ok(got);
            }
        }
    }
}
