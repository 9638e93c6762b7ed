//! Files with one or more streams (members, frames): what all decoders share.

use std::{
    fs::File,
    io::{self, Read},
    sync::Arc,
};

use super::input::{Counts, Input};

/// The decoder for one format.
pub(super) trait Streams: Send {
    /// Returns a decoder without a file.
    fn new() -> Self;

    /// The file.
    fn input(&mut self) -> &mut Input;

    /// Begins the next stream, the `first` one of a file or another. Returns false if there is
    /// none.
    ///
    /// # Errors
    /// Something else follows, or cannot be read.
    fn next(&mut self, first: bool) -> io::Result<bool>;

    /// Decodes bytes of the stream: none at its end.
    ///
    /// # Errors
    /// Invalid data.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize>;

    /// Whether the decoder, with its tables and windows, is worth keeping for another file.
    fn is_worth_keeping(&self) -> bool;
}

/// Decodes one file after the other.
pub(super) struct StreamDecoder<S> {
    streams: S,
    position: Position,
    counts: Arc<Counts>,
}

/// The decoder's position in its file.
enum Position {
    /// Before the first stream, or before another one.
    Before {
        first: bool,
    },
    Within,
}

impl<S: Streams> StreamDecoder<S> {
    /// Returns a decoder without a file.
    pub(super) fn new() -> StreamDecoder<S> {
        let (position, counts) = (Position::Before { first: true }, Arc::default());
        StreamDecoder { streams: S::new(), position, counts }
    }
}

/// A decoder for any format.
pub(super) trait AnyDecoder: Read + Send {
    /// Starts to decode `file`. `start` has been read from it.
    fn open(&mut self, file: File, start: &[u8]);

    /// How many bytes in the file have been read.
    fn bytes_read(&self) -> u64;

    /// Closes the file, and returns whether the decoder is worth keeping.
    fn close(&mut self) -> bool;
}

impl<S: Streams> AnyDecoder for StreamDecoder<S> {
    fn open(&mut self, file: File, start: &[u8]) {
        self.counts = Arc::default();
        self.streams.input().open(file, start, Arc::clone(&self.counts));
        self.position = Position::Before { first: true };
    }

    fn bytes_read(&self) -> u64 {
        self.counts.read()
    }

    fn close(&mut self) -> bool {
        self.streams.input().close();
        self.streams.is_worth_keeping()
    }
}

impl<S: Streams> Read for StreamDecoder<S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Position::Before { first } = self.position {
                if !self.streams.next(first)? {
                    return Ok(0);
                }
                self.position = Position::Within;
            }
            let got = self.streams.read(into)?;
            if got > 0 {
                self.counts.note_progress();
                return Ok(got);
            }
            self.position = Position::Before { first: false };
        }
    }
}
