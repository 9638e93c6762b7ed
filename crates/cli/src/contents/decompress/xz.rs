//! Xz, whose streams may follow each other, and lzma, its predecessor, of which a file holds one.

use std::{
    fs::File,
    io::{self, BufRead, Read},
    mem,
};

use lzma_rust2::{Action, LzmaReader, Status, XzStream};

use super::input::Input;

/// The memory a file may ask for, in KiB: what the largest dictionary takes that the program xz writes (1.5 GiB), and
/// some for the rest of the decoder. Memory is used only as far as a file really holds as much.
const MEMORY_KIB: u32 = 1600 << 10;

/// What a stream of xz begins with.
const MAGIC: &[u8] = b"\xfd7zXZ\0";

/// Decodes xz. The decoder that is handed pieces is used, not the crate's reader: that one wants all of a compressed
/// chunk (up to 2 MiB of contents) before it gives any of it, which is then lost if the file is damaged.
pub(super) struct Xz {
    input: Input,
    streams: XzStream,
    /// What went wrong behind the bytes given last.
    fault: Option<io::Error>,
}

impl Xz {
    /// A decoder of `file`.
    pub(super) fn new(file: File) -> Xz {
        let mut input = Input::default();
        input.open(file);
        Xz { input, streams: XzStream::new_mem_limit(true, MEMORY_KIB), fault: None }
    }
}

impl Read for Xz {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.input.begin_with(MAGIC, "xz")?;
        loop {
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            let bytes = self.input.fill_buf()?;
            let has_ended = bytes.is_empty();
            let action = if has_ended { Action::Finish } else { Action::Run };
            let before = self.streams.total_out();
            let mut is_done = false;
            match self.streams.process(bytes, into, action) {
                Ok(done) => {
                    self.input.consume(done.bytes_consumed);
                    is_done = done.status == Status::StreamEnd;
                    if has_ended && done.bytes_produced == 0 && !is_done {
                        self.fault = Some(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(fault) => self.fault = Some(fault),
            }
            // Counted also where it fails in the end. It is a part of `into`, whose length is a usize.
            let got = (self.streams.total_out() - before) as usize;
            if got > 0 || is_done {
                return Ok(got);
            }
        }
    }
}

/// Decodes lzma.
pub(super) enum Lzma {
    /// Not even the header was read.
    Fresh(Input),
    Running(Box<LzmaReader<Input>>),
    Ended,
}

impl Lzma {
    /// A decoder of `file`.
    pub(super) fn new(file: File) -> Lzma {
        let mut input = Input::default();
        input.open(file);
        Lzma::Fresh(input)
    }
}

impl Read for Lzma {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match mem::replace(self, Lzma::Ended) {
                Lzma::Fresh(input) => {
                    let mut stream = LzmaReader::new_mem_limit(input, MEMORY_KIB, None)?;
                    // What was decoded before a fault is to be searched.
                    stream.set_defer_errors(true);
                    *self = Lzma::Running(Box::new(stream));
                }
                Lzma::Running(mut stream) => {
                    let got = stream.read(into)?;
                    if got > 0 {
                        *self = Lzma::Running(stream);
                        return Ok(got);
                    }
                    let (mut input, unused) = stream.into_parts();
                    if !unused.is_empty() || !input.peek(1)?.is_empty() {
                        return Err(io::Error::other("something follows the compressed data"));
                    }
                }
                Lzma::Ended => return Ok(0),
            }
        }
    }
}
