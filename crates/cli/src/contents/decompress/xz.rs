//! Xz, which has one or more streams, and its predecessor lzma, which has one.

use std::{
    io::{self, BufRead, Read},
    mem,
};

use lzma_rust2::{Action, LzmaReader, Status, XzStream};

use super::{input::Input, streams::Streams};

/// How much memory a file may take, in KiB: the largest dictionary that the program xz writes (1.5
/// GiB), and what else the decoder needs. Memory is touched only as far as the file fills it.
const MEMORY_KIB: u32 = 1600 << 10;

/// The magic number of an xz stream.
pub(super) const XZ_MAGIC: &[u8] = b"\xfd7zXZ\0";

/// Decodes one xz file. All its streams count as one. This uses the push decoder: the crate's
/// reader buffers a whole compressed chunk (up to 2 MiB of contents), which would be lost if the
/// file is damaged.
pub(super) struct Xz {
    input: Input,
    streams: XzStream,
    /// The error behind the last read's bytes.
    fault: Option<io::Error>,
}

impl Streams for Xz {
    fn new() -> Xz {
        let streams = XzStream::new_mem_limit(true, MEMORY_KIB);
        Xz { input: Input::default(), streams, fault: None }
    }

    fn input(&mut self) -> &mut Input {
        &mut self.input
    }

    fn next(&mut self, first: bool) -> io::Result<bool> {
        if first {
            self.input.begin_with(XZ_MAGIC, "xz")?;
        }
        Ok(first)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
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
            // An error may follow bytes that were decoded. They lie in `into`, so usize holds the
            // count.
            let got = (self.streams.total_out() - before) as usize;
            if got > 0 || is_done {
                return Ok(got);
            }
        }
    }

    fn is_worth_keeping(&self) -> bool {
        false
    }
}

/// Decodes one lzma file.
pub(super) struct Lzma {
    /// The file, before the stream.
    input: Input,
    stream: Option<Box<LzmaReader<Input>>>,
}

impl Streams for Lzma {
    fn new() -> Lzma {
        Lzma { input: Input::default(), stream: None }
    }

    fn input(&mut self) -> &mut Input {
        &mut self.input
    }

    fn next(&mut self, first: bool) -> io::Result<bool> {
        if let Some(stream) = self.stream.take() {
            let (mut input, unused) = stream.into_parts();
            if !unused.is_empty() || !input.peek(1)?.is_empty() {
                return Err(io::Error::other("something follows the compressed data"));
            }
        } else if first {
            let input = mem::take(&mut self.input);
            let mut stream = LzmaReader::new_mem_limit(input, MEMORY_KIB, None)?;
            // Bytes that precede an error are to be searched.
            stream.set_defer_errors(true);
            self.stream = Some(Box::new(stream));
        }
        Ok(first)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.as_mut().map_or(Ok(0), |stream| stream.read(into))
    }

    fn is_worth_keeping(&self) -> bool {
        false
    }
}
