//! Searches haystacks in memory: those that the first read returned, and those that have to be read
//! as a whole.

use std::{
    io::{self, Read},
    mem,
};

use memchr::memrchr;

use crate::{
    Sink, Stop,
    decode::{Decoder, Form},
    replay::Replay,
    search::Search,
    source::{Feed, Head, PEEK, is_cut_off},
    whole::{InFile, MAX_KEPT_WHOLE_BYTES, read_whole},
};

impl<S: Sink> Search<'_, S> {
    /// Searches all of `text`.
    pub(crate) fn text(&mut self, text: Head<'_>) -> io::Result<()> {
        match &self.config.surroundings {
            Some(surroundings) => self.surrounded(surroundings, text),
            None if self.finder.matcher().spans_lines() => self.spans(text.bytes),
            None => self.slice(text),
        }
    }
}

impl<S: Sink> Search<'_, Replay<'_, S>> {
    /// Reads a haystack into memory, which may be the one in `file`, and searches it.
    pub(crate) fn whole(
        &mut self,
        feed: Feed<'_>,
        form: Form,
        file: Option<InFile<'_>>,
    ) -> io::Result<()> {
        let mut whole = mem::take(&mut self.buffers.whole);
        let stop = self.buffers.line_buffer.stop.as_ref();
        let read = if form.is_decoded() {
            let reader = Decoder::new(self.config, form.detected(), feed, &mut self.buffers.raw);
            read_whole(Stopping { reader, stop }, None, &mut whole)
        } else {
            read_whole(Stopping { reader: feed, stop }, file, &mut whole)
        };
        let searched = match read {
            Ok(()) if self.buffers.line_buffer.is_stopped() => Ok(()),
            Ok(()) => self.text(Head { bytes: &whole, peek: PEEK }),
            Err(error) => self.cut_off(&whole, error),
        };
        whole.clear();
        whole.shrink_to(MAX_KEPT_WHOLE_BYTES);
        self.buffers.whole = whole;
        searched
    }

    /// Searches what was read of a haystack before `error`, with which this fails.
    #[cold]
    fn cut_off(&mut self, mut read: &[u8], error: io::Error) -> io::Result<()> {
        if !is_cut_off(&error) {
            let terminator = self.config.line_terminator;
            read = &read[..memrchr(terminator, read).map_or(0, |at| at + 1)];
        }
        if !read.is_empty() && error.kind() != io::ErrorKind::OutOfMemory {
            self.sink.cut_off();
            // If the engine fails as well, the earlier error is the one to report.
            let _ = self.text(Head { bytes: read, peek: PEEK });
        }
        Err(error)
    }
}

/// A reader that ends where the search does.
struct Stopping<'a, R> {
    reader: R,
    stop: Option<&'a Stop>,
}

impl<R: Read> Read for Stopping<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_some_and(Stop::is_over) { Ok(0) } else { self.reader.read(buffer) }
    }
}
