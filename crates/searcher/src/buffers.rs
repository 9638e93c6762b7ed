//! Searches a haystack with the buffers that its form requires: the line buffer, the decoder's
//! input, or the whole haystack.

use std::io::{self, Read};

use heist_matcher::Finder;
use memchr::memrchr;

use crate::{
    ReadAt, SearchConfig, Sink, Source, Stop, UnreadMatches,
    aligned::AlignedBytes,
    block_search::search_blocks,
    cut_off::{CutOff, is_cut_off},
    decode::{Decoder, Form},
    line_buffer::{LineBuffer, LongLines, WantedLines},
    line_search::is_counted,
    multiline, slice_search,
    source::{Feed, Head, PEEK},
    surroundings,
    whole::{InFile, MAX_KEPT_WHOLE_BYTES, read_whole},
};

/// The buffers that a search needs after the first bytes of a haystack.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) line_buffer: LineBuffer,
    /// Raw bytes on their way to the decoder, or that are looked through.
    pub(crate) raw: AlignedBytes,
    /// A whole decoded haystack, in a search with matches that may span lines or have surroundings.
    whole: Vec<u8>,
    pub(crate) surroundings: surroundings::Scratch,
}

impl Buffers {
    /// Buffers that are not allocated yet, with a line buffer of `capacity` bytes.
    pub(crate) fn new(capacity: usize) -> Buffers {
        let line_buffer = LineBuffer::new(capacity);
        let (raw, surroundings) = Default::default();
        Buffers { line_buffer, raw, whole: Vec::new(), surroundings }
    }

    /// Searches a haystack in memory.
    pub(crate) fn search_slice<S: Sink>(
        &mut self,
        config: &SearchConfig,
        finder: &mut Finder,
        bytes: &[u8],
        sink: &mut S,
    ) -> io::Result<()> {
        let form = Form::of_whole(config, bytes);
        let text = form.text(bytes);
        if form == Form::Decoded {
            let feed = Feed::replay(text);
            if needs_whole(config, finder) {
                return self.search_whole(config, finder, feed, form, None, sink);
            }
            self.search_lines(config, finder, feed, form, None, sink)
        } else if let Some(wanted) = &config.surroundings {
            let Buffers { line_buffer, surroundings: scratch, .. } = self;
            surroundings::search(config, wanted, scratch, line_buffer, finder, text, sink)
        } else if finder.matcher().spans_lines() {
            multiline::search(config, finder, text.bytes, sink)
        } else {
            slice_search::search(config, &mut self.line_buffer, finder, text, sink)
        }
    }

    /// Searches a haystack that begins with `head`. Long lines that cannot match are passed over if
    /// they can be read again from `file`, which is the whole haystack; the memory for others
    /// depends on how long it is.
    pub(crate) fn search_rest<'a, S: Sink>(
        &mut self,
        config: &SearchConfig,
        finder: &mut Finder,
        head: &'a [u8],
        source: Source<&'a mut dyn Read>,
        file: Option<&dyn ReadAt>,
        sink: &mut S,
    ) -> io::Result<()> {
        let form = Form::of(config, head);
        let text = form.text(head);
        let start = (head.len() - text.bytes.len()) as u64;
        let wanted = match sink.wants().unread {
            _ if is_counted(config, sink) => WantedLines::Counted,
            UnreadMatches::None => WantedLines::Unread,
            _ => WantedLines::Read,
        };
        let feed = Feed::new(text, source);
        if needs_whole(config, finder) {
            let in_file = file.and_then(ReadAt::file).map(|file| InFile { file, start });
            return self.search_whole(config, finder, feed, form, in_file, sink);
        }
        let mut long =
            file.and_then(|file| LongLines::new(config, finder, file, start, text.bytes, wanted));
        let metadata = file.and_then(ReadAt::file).and_then(|file| file.metadata().ok());
        self.line_buffer.expect(metadata.map(|metadata| metadata.len()));
        let searched = self.search_lines(config, finder, feed, form, long.as_mut(), sink);
        self.line_buffer.expect(None);
        searched
    }

    fn search_lines<S: Sink>(
        &mut self,
        config: &SearchConfig,
        finder: &mut Finder,
        mut feed: Feed<'_>,
        form: Form,
        long: Option<&mut LongLines<'_>>,
        sink: &mut S,
    ) -> io::Result<()> {
        let Buffers { line_buffer, raw, .. } = self;
        if form == Form::Decoded {
            let mut text = Decoder::new(config, feed, raw);
            return search_blocks(config, line_buffer, finder, &mut text, None, sink);
        }
        search_blocks(config, line_buffer, finder, &mut feed, long, sink)
    }

    /// Reads a haystack into memory, which may be the one in `file`, and searches it.
    fn search_whole<S: Sink>(
        &mut self,
        config: &SearchConfig,
        finder: &mut Finder,
        feed: Feed<'_>,
        form: Form,
        file: Option<InFile<'_>>,
        sink: &mut S,
    ) -> io::Result<()> {
        let read = match form {
            Form::Decoded => {
                let text = Decoder::new(config, feed, &mut self.raw);
                read_whole(
                    Stopping { reader: text, stop: self.line_buffer.stop.as_ref() },
                    None,
                    &mut self.whole,
                )
            }
            _ => read_whole(
                Stopping { reader: feed, stop: self.line_buffer.stop.as_ref() },
                file,
                &mut self.whole,
            ),
        };
        let searched = match read {
            Ok(()) if self.line_buffer.is_stopped() => Ok(()),
            Ok(()) => self.search_read(config, finder, sink),
            Err(error) => self.search_cut_off(config, finder, error, sink),
        };
        self.whole.clear();
        self.whole.shrink_to(MAX_KEPT_WHOLE_BYTES);
        searched
    }

    /// Searches the haystack that has been read into memory.
    fn search_read<S: Sink>(
        &mut self,
        config: &SearchConfig,
        finder: &mut Finder,
        sink: &mut S,
    ) -> io::Result<()> {
        let Buffers { line_buffer, whole, surroundings: scratch, .. } = self;
        match &config.surroundings {
            Some(wanted) => {
                let text = Head { bytes: whole, peek: PEEK };
                surroundings::search(config, wanted, scratch, line_buffer, finder, text, sink)
            }
            None => multiline::search(config, finder, whole, sink),
        }
    }

    /// Searches what was read of a haystack before `error`, with which this fails.
    #[cold]
    fn search_cut_off<S: Sink>(
        &mut self,
        config: &SearchConfig,
        finder: &mut Finder,
        error: io::Error,
        sink: &mut S,
    ) -> io::Result<()> {
        if !is_cut_off(&error) {
            let end = memrchr(config.line_terminator, &self.whole).map_or(0, |at| at + 1);
            self.whole.truncate(end);
        }
        if !self.whole.is_empty() && error.kind() != io::ErrorKind::OutOfMemory {
            // If the engine fails as well, the earlier error is the one to report.
            let _ = self.search_read(config, finder, &mut CutOff { sink });
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

/// Whether a haystack has to be in memory as a whole, unless it is searched in chunks.
pub(crate) fn needs_whole(config: &SearchConfig, finder: &Finder) -> bool {
    finder.matcher().spans_lines() || config.surroundings.is_some()
}
