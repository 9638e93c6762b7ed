//! Gzip: one or more members, padded with zeros at most.

use std::{
    fs::File,
    io::{self, BufRead, Read},
    mem,
};

use flate2::bufread::GzDecoder;

use super::input::Input;

/// The magic number of a member.
const MAGIC: &[u8] = &[0x1f, 0x8b];

/// Decodes one file after the other with the same window.
#[derive(Debug)]
pub(super) struct Gzip {
    member: GzDecoder<Input>,
}

impl Gzip {
    /// Returns a decoder without a file.
    pub(super) fn new() -> Gzip {
        Gzip { member: GzDecoder::new(Input::default()) }
    }

    /// Starts to decode `file`.
    pub(super) fn open(&mut self, file: File) {
        let mut input = mem::take(self.member.get_mut());
        input.open(file);
        self.member.reset(input);
    }

    /// Closes the file.
    pub(super) fn close(&mut self) {
        self.member.get_mut().close();
    }

    /// Begins the next member, if there is one.
    ///
    /// # Errors
    /// Other bytes follow. As with the program gzip, the decoded contents are valid.
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
