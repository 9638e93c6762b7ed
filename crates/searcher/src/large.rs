//! A search of a large file in chunks, as far as that is possible.
//!
//! There are two ways for lines, and both give up where they cannot emit what a search block by
//! block would: to find the matching lines in each chunk, if none is too long; and to summarize the
//! chunks, if it is known which bytes matching lines must have. Where matches span lines, each
//! chunk has the matches that begin in it.

use std::{fs, io, ops::ControlFlow, sync::Arc};

use heist_matcher::NeedleSearch;
use memchr::memchr;

use crate::{
    ChunkHelpers, ReadAt, Sink, Source, UnreadMatches,
    block_search::Searched,
    line_buffer::{CAPACITY, are_common},
    line_search::{LineSearch, is_counted},
    multiline::{self, NulWatch, Spans},
    parallel::{
        ChunkedFile, Chunks, FileCursor, Layout, Stopped, chunk_size, emit_lines, emit_spans,
        emit_summaries, is_possible, survey_of,
    },
    replay::Replay,
    route::{Cut, Ending, Facts},
    search::Search,
    source::Feed,
    survey::Survey,
};

/// A large file, which is read at any position.
pub(crate) struct LargeFile {
    pub(crate) source: Arc<dyn ReadAt>,
    pub(crate) len: u64,
    /// The size of a chunk.
    pub(crate) size: usize,
    /// Finds the lines that need not be read.
    pub(crate) survey: Option<Arc<Survey>>,
}

impl LargeFile {
    /// A file with `len` bytes.
    pub(crate) fn new(file: fs::File, len: u64) -> LargeFile {
        LargeFile { source: Arc::new(file), len, size: chunk_size(len), survey: None }
    }
}

impl<S: Sink> Search<'_, Replay<'_, S>> {
    /// Adds to `facts` what is known of a large file that begins with `head`, and a survey to the
    /// file if it is of use.
    pub(crate) fn learn(
        &mut self,
        facts: Facts,
        head: &[u8],
        file: &mut LargeFile,
        helpers: usize,
    ) -> Facts {
        file.survey =
            survey_of(&*file.source, self.config, self.finder, head, file.size).map(Arc::new);
        let text = facts.form.text(head).bytes;
        let layout = self.layout(&facts, head, file, helpers);
        Facts {
            has_short_lines: layout.has_short_lines(self.config, text),
            has_help: helpers > 0 || file.survey.is_some(),
            ..facts
        }
    }

    /// How a large file that begins with `head` is cut into chunks.
    fn layout(&self, facts: &Facts, head: &[u8], file: &LargeFile, helpers: usize) -> Layout {
        let capacity = self.buffers.line_buffer.capacity();
        Layout {
            start: head.len() - facts.form.text(head).bytes.len(),
            is_counted: is_counted(self.config, self.sink),
            ..Layout::of_file(self.config, helpers + 1, file.size, capacity)
        }
    }

    /// Searches a large file that begins with `head` in chunks, together with the helpers.
    pub(crate) fn chunks(
        &mut self,
        cut: Cut,
        facts: &Facts,
        head: &[u8],
        file: &LargeFile,
        helpers: &mut dyn ChunkHelpers,
    ) -> io::Result<Ending> {
        let text = facts.form.text(head);
        let mut layout = self.layout(facts, head, file, helpers.count());
        let (source, survey) = (Arc::clone(&file.source), file.survey.clone());
        let needles = if cut == Cut::Summaries { self.needles(text.bytes, &layout) } else { None };
        if cut == Cut::Summaries {
            if needles.is_none() {
                return Ok(Ending::GaveUp);
            }
            layout.matches = self.sink.wants().unread;
        }
        if cut == Cut::Lines && facts.has_limit {
            // The limit is often reached before a helper could begin.
            let reader = &mut FileCursor { source: &*source, offset: head.len() as u64 };
            let mut feed = Feed::new(text, Source { reader, end: facts.end });
            if self.first_blocks(file.size as u64 / 4, &mut feed, None)? == Searched::All {
                return Ok(Ending::Over);
            }
            self.sink.restart();
        }
        let chunked = ChunkedFile { source, survey, needles };
        let chunks = Arc::new(Chunks::of_file(chunked, self.config.clone(), layout));
        helpers.begin(&chunks);
        let ending = if cut == Cut::Spans {
            let config = &multiline::of_spans(self.config);
            let spans = Spans::new(config, self.sink);
            let mut watch = NulWatch::new(self.sink, config.binary);
            let mut search = LineSearch::new(config, self.finder, &mut watch);
            let stopped = match multiline::begin(config, &mut search, text.bytes) {
                ControlFlow::Continue(()) => emit_spans(&mut search, spans, &chunks, helpers),
                ControlFlow::Break(()) => ControlFlow::Continue(()),
            };
            end(search, stopped, &chunks)
        } else {
            let mut search = LineSearch::new(self.config, self.finder, self.sink);
            let stopped = match search.begin_if_wanted() {
                ControlFlow::Break(()) => ControlFlow::Continue(()),
                ControlFlow::Continue(()) if cut == Cut::Summaries => emit_summaries(
                    &mut search,
                    &*file.source,
                    layout.start as u64,
                    &chunks,
                    helpers,
                ),
                ControlFlow::Continue(()) => emit_lines(&mut search, &chunks, helpers),
            };
            end(search, stopped, &chunks)
        };
        helpers.end();
        ending
    }

    /// The needles of which each line that matches has one, if it is faster to summarize chunks by
    /// them than to search block by block. The file's text begins with `text`.
    fn needles(&mut self, text: &[u8], layout: &Layout) -> Option<NeedleSearch> {
        let needles = self.finder.matcher().needle_search()?;
        let terminator = self.config.line_terminator;
        let is_unread = self.sink.wants().unread == UnreadMatches::None;
        // Parts are searched as ASCII text.
        let is_slow = is_unread && are_common(&needles, text) && text.is_ascii();
        // Lines that match near their beginning are passed over at the speed of a read.
        let begin = &text[..text.len().min(CAPACITY)];
        let mut are_passed_over = || {
            (is_unread || layout.is_counted)
                && memchr(terminator, begin).is_none()
                && needles.is_in(begin)
                && self.finder.matches_within(begin, true)
        };
        let suits = is_possible(&needles, terminator) && !is_slow && !are_passed_over();
        suits.then_some(needles)
    }
}

/// Ends `search` after its `chunks` were emitted, or as far as that was possible.
fn end<S: Sink>(
    search: LineSearch<'_, S>,
    stopped: ControlFlow<Stopped>,
    chunks: &Chunks,
) -> io::Result<Ending> {
    chunks.close();
    match stopped {
        ControlFlow::Continue(()) => search.finish(None)?,
        ControlFlow::Break(Stopped::Cancelled) => search.abandon(None),
        ControlFlow::Break(Stopped::Fallback) => return Ok(Ending::GaveUp),
    }
    Ok(Ending::Over)
}
