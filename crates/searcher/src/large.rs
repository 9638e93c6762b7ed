//! A search of a large file in chunks, as far as that is possible.
//!
//! There are two ways, and both give up where they cannot emit what a search block by block would:
//! to find the matching lines in each chunk, if none is too long; and to summarize the chunks, if
//! it is known which bytes matching lines must have.

use std::{io, sync::Arc};

use heist_matcher::{Finder, NeedleSearch};
use memchr::memchr;

use crate::{
    ChunkHelpers, ReadAt, SearchConfig, Sink, Source, UnreadMatches,
    block_search::{Searched, search_first},
    decode::Form,
    line_buffer::{CAPACITY, LineBuffer, LongLines, are_common},
    line_search::is_counted,
    parallel::{
        self, ChunkedFile, Chunks, Emitted, FileCursor, Layout, SkipFirst, emit_spans,
        emit_summaries,
    },
    source::{End, Feed},
    survey::Survey,
};

/// A large file and how it is searched.
pub(crate) struct LargeFile<'a> {
    pub(crate) config: &'a SearchConfig,
    /// The file's first bytes.
    pub(crate) head: &'a [u8],
    pub(crate) source: Arc<dyn ReadAt>,
    pub(crate) end: End,
    /// The size of a chunk.
    pub(crate) size: usize,
    /// Finds the lines that need not be read.
    pub(crate) survey: Option<Arc<Survey>>,
}

impl LargeFile<'_> {
    /// Searches the file together with the helpers. If it has to be searched block by block,
    /// returns how many events have been emitted already.
    pub(crate) fn search<S: Sink>(
        &self,
        finder: &mut Finder,
        line_buffer: &mut LineBuffer,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<Option<u64>> {
        let LargeFile { config, head, ref source, size, .. } = *self;
        let form = Form::of(config, head);
        let text = form.text(head).bytes;
        let workers = helpers.count() + 1;
        let layout = Layout {
            start: head.len() - text.len(),
            is_counted: is_counted(config, sink),
            ..Layout::of_file(config, workers, size, line_buffer.capacity())
        };
        let spans_lines = finder.matcher().spans_lines();
        let has_reach = finder.matcher().reach().is_some();
        let has_nul = || layout.detects_nul && memchr(0, head).is_some();
        // In chunks, matches that span lines need not be in memory with the whole file.
        let is_wanted = workers > 1 || has_reach || self.survey.is_some();
        let is_cut =
            is_wanted && form != Form::Decoded && (has_reach || !spans_lines && !has_nul());
        if !is_cut {
            return Ok(Some(0));
        }
        let mut emitted = 0;
        let has_short_lines = layout.has_short_lines(config, text);
        let has_limit = config.max_matches.is_some() || sink.wants().first_only;
        if !spans_lines && has_short_lines && has_limit {
            // The limit is often reached before a helper could begin.
            let offset = head.len() as u64;
            let reader = &mut FileCursor { source: &**source, offset };
            let mut feed = Feed::new(form.text(head), Source { reader, end: self.end });
            let mut counted = SkipFirst::new(sink, 0);
            let first = size as u64 / 4;
            match search_first(config, line_buffer, finder, &mut feed, None, first, &mut counted)? {
                Searched::All => return Ok(None),
                Searched::Part => emitted = counted.events(),
            }
        }
        if spans_lines {
            return self.in_chunks(None, layout, finder, emitted, helpers, sink);
        }
        if has_short_lines {
            match self.in_chunks(None, layout, finder, emitted, helpers, sink)? {
                Some(events) => emitted = events,
                None => return Ok(None),
            }
        }
        // Some lines are too long for chunks.
        let needles = LongLines::needles(config, finder)
            .filter(|needles| self.suits(needles, text, &layout, finder, sink));
        match needles {
            Some(needles) => self.in_chunks(Some(needles), layout, finder, emitted, helpers, sink),
            None => Ok(Some(emitted)),
        }
    }

    /// Whether to summarize chunks, where lines that match have one of the `needles`, is faster
    /// than to search block by block.
    fn suits<S: Sink>(
        &self,
        needles: &NeedleSearch,
        text: &[u8],
        layout: &Layout,
        finder: &mut Finder,
        sink: &S,
    ) -> bool {
        let terminator = self.config.line_terminator;
        let is_unread = sink.wants().unread == UnreadMatches::None;
        // Parts are searched as ASCII text.
        let is_slow = is_unread && are_common(needles, text) && text.is_ascii();
        // Lines that match near their beginning are passed over at the speed of a read.
        let begin = &text[..text.len().min(CAPACITY)];
        let mut are_passed_over = || {
            (is_unread || layout.is_counted)
                && memchr(terminator, begin).is_none()
                && needles.is_in(begin)
                && finder.matches_within(begin, true)
        };
        parallel::is_possible(needles, terminator) && !is_slow && !are_passed_over()
    }

    /// Searches the chunks, which are summarized if there are `needles`, and emits all but the
    /// first `emitted` events. Returns how many have been emitted if it gives up.
    fn in_chunks<S: Sink>(
        &self,
        needles: Option<NeedleSearch>,
        layout: Layout,
        finder: &mut Finder,
        emitted: u64,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<Option<u64>> {
        let LargeFile { config, head, ref source, ref survey, .. } = *self;
        let is_summarized = needles.is_some();
        let matches = if is_summarized { sink.wants().unread } else { layout.matches };
        let layout = Layout { matches, ..layout };
        let file = ChunkedFile { source: Arc::clone(source), survey: survey.clone(), needles };
        let chunks = Arc::new(Chunks::of_file(file, config.clone(), layout));
        helpers.begin(&chunks);
        let outcome = if is_summarized {
            let (file, start) = (&**source, layout.start as u64);
            emit_summaries(config, finder, file, start, &chunks, emitted, helpers, sink)
        } else if finder.matcher().spans_lines() {
            emit_spans(config, &head[layout.start..], finder, &chunks, helpers, sink)
        } else {
            parallel::emit(config, finder, &chunks, emitted, helpers, sink)
        };
        helpers.end();
        match outcome {
            Emitted::All(result) => result.map(|()| None),
            Emitted::Events(events) => Ok(Some(events)),
        }
    }
}
