//! Searches a haystack with the buffers that its form requires: the line buffer, the decoder's
//! input, or the whole haystack.

use std::io::{self, Read};

use heist_matcher::Finder;

use crate::{
    ReadAt, SearchConfig, Sink, Source, Surroundings, UnreadMatches,
    aligned::AlignedBytes,
    block_search::search_blocks,
    decode::{Decoder, Form},
    line_buffer::{LineBuffer, LongLines, MatchingLines},
    line_search::is_counted,
    multiline, slice_search,
    source::{Feed, Head, PEEK},
    surroundings,
};

/// A buffer for whole haystacks that grew beyond this many bytes is freed after the search.
const KEPT: usize = 4 << 20;

/// The buffers that a search needs after the first bytes of a haystack.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) line_buffer: LineBuffer,
    /// Raw bytes on their way to the decoder, or that are looked through.
    pub(crate) raw: AlignedBytes,
    /// A whole decoded haystack, in a search whose matches may span lines or have surroundings.
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
            self.search_feed(config, finder, Feed::replay(text), form, None, sink)
        } else if let Some(wanted) = &config.surroundings {
            let Buffers { line_buffer, surroundings: scratch, .. } = self;
            surroundings::search(config, wanted, scratch, line_buffer, finder, text, sink)
        } else if finder.matcher().spans_lines() {
            multiline::search(config, finder, text.bytes, sink)
        } else {
            slice_search::search(config, &mut self.line_buffer, finder, text, sink)
        }
    }

    /// Searches a haystack whose first bytes are `head`. Long lines that cannot match are passed
    /// over if they can be read again from `file`, which is the whole haystack.
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
        let matching = match sink.wants().unread {
            _ if is_counted(config, sink) => MatchingLines::Counted,
            UnreadMatches::None => MatchingLines::Unread,
            _ => MatchingLines::Read,
        };
        let mut long = file.and_then(|file| LongLines::new(config, finder, file, start, matching));
        self.search_feed(config, finder, Feed::new(text, source), form, long.as_mut(), sink)
    }

    fn search_feed<S: Sink>(
        &mut self,
        config: &SearchConfig,
        finder: &mut Finder,
        mut feed: Feed<'_>,
        form: Form,
        long: Option<&mut LongLines<'_>>,
        sink: &mut S,
    ) -> io::Result<()> {
        if let Some(wanted) = &config.surroundings {
            return self.search_surrounded(config, wanted, finder, feed, form, sink);
        }
        let Buffers { line_buffer, raw, whole, .. } = self;
        match (form, finder.matcher().spans_lines()) {
            (Form::Decoded, false) => {
                let mut text = Decoder::new(config, feed, raw);
                return search_blocks(config, line_buffer, finder, &mut text, None, sink);
            }
            (_, false) => {
                return search_blocks(config, line_buffer, finder, &mut feed, long, sink);
            }
            (Form::Decoded, true) => read_whole(Decoder::new(config, feed, raw), whole)?,
            (_, true) => read_whole(feed, whole)?,
        }
        let searched = multiline::search(config, finder, whole, sink);
        whole.clear();
        whole.shrink_to(KEPT);
        searched
    }
}

impl Buffers {
    /// Reads a haystack into memory, and searches it for matches and their surroundings.
    #[cold]
    fn search_surrounded<S: Sink>(
        &mut self,
        config: &SearchConfig,
        wanted: &Surroundings,
        finder: &mut Finder,
        feed: Feed<'_>,
        form: Form,
        sink: &mut S,
    ) -> io::Result<()> {
        let Buffers { line_buffer, raw, whole, surroundings: scratch } = self;
        match form {
            Form::Decoded => read_whole(Decoder::new(config, feed, raw), whole)?,
            _ => read_whole(feed, whole)?,
        }
        let text = Head { bytes: whole, peek: PEEK };
        let searched =
            surroundings::search(config, wanted, scratch, line_buffer, finder, text, sink);
        whole.clear();
        whole.shrink_to(KEPT);
        searched
    }
}

fn read_whole<R: Read>(mut reader: R, whole: &mut Vec<u8>) -> io::Result<()> {
    whole.clear();
    reader.read_to_end(whole).map(drop)
}
