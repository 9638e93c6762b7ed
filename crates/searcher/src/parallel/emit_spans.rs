//! Where matches may span lines: those that begin in a chunk are found in it and what follows, as far as they may
//! [reach](heist_matcher::Reach), and the owner emits their lines.
//!
//! Matches are found in a chunk as if the search began there. Where one of the chunk before reaches into it, some are
//! none, and others may begin before the next that is one ([`Spans`] looks for them). Nothing is emitted before it is
//! certain what it belongs to: lines of a block that may go on are kept, and so is the last line of each chunk, behind
//! which the text may end.

use std::{ops::ControlFlow, slice};

use heist_matcher::{Finder, Reach};

use super::{
    chunk::Chunk,
    chunks::{ChunkHelpers, Chunks},
    emit::{Carry, Emitted, SkipFirst, Stopped, end},
};
use crate::{
    SearchConfig, Sink,
    line_search::LineSearch,
    lines,
    multiline::{self, Found, NulWatch, Part, Spans},
};

/// So many chunks are kept at most, of lines that may belong to one block: what is kept is moved for each of them.
const MOST_KEPT: usize = 8;

/// Search `chunks` of a text that begins with `head`, and emit `sink`, with the help of others.
pub(crate) fn emit_spans<S: Sink>(
    config: &SearchConfig,
    head: &[u8],
    finder: &mut Finder,
    chunks: &Chunks,
    helpers: &mut dyn ChunkHelpers,
    sink: &mut S,
) -> Emitted {
    let config = &multiline::of_spans(config);
    let mut sink = SkipFirst::new(sink, 0);
    let mut watch = NulWatch::new(&mut sink, config.binary);
    let mut search = LineSearch::new(config, finder, &mut watch);
    let stopped = match multiline::begin(config, &mut search, head) {
        ControlFlow::Continue(()) => emit_chunks(config, &mut search, chunks, helpers),
        ControlFlow::Break(()) => ControlFlow::Continue(()),
    };
    chunks.close();
    end(search, stopped).map_or_else(|| Emitted::Events(sink.events), Emitted::All)
}

fn emit_chunks<S: Sink>(
    config: &SearchConfig,
    search: &mut LineSearch<'_, S>,
    chunks: &Chunks,
    helpers: &mut dyn ChunkHelpers,
) -> ControlFlow<Stopped> {
    let mut emitter = SpanEmitter { config, passed: Carry::default(), spans: Spans::new(config) };
    for index in 0.. {
        let chunk = chunks.take(index, search.finder(), helpers);
        let Some(mut chunk) = chunk.map_break(|()| Stopped::Unwanted)? else { break };
        let is_next = emitter.passed.is_followed_by(&chunk);
        if chunk.needs_fallback || !is_next || emitter.passed.kept.len() > MOST_KEPT * chunks.size()
        {
            return ControlFlow::Break(Stopped::Fallback);
        }
        if emitter.pass(search, &mut chunk).is_break() {
            return ControlFlow::Continue(());
        }
        chunks.emitted(chunk);
    }
    let lead = emitter.lead();
    let SpanEmitter { passed, mut spans, .. } = emitter;
    let bytes = [lead, &passed.kept].concat();
    let rest = Part { bytes: &bytes, lead: lead.len(), end: passed.kept.len(), is_last: true };
    // Broken or not, it is over.
    let _ = spans.pass(search, &rest);
    ControlFlow::Continue(())
}

/// Whether a match that begins in the lines `before` may reach beyond those that come `next`.
fn may_go_on(finder: &Finder, before: &[u8], next: &[u8]) -> bool {
    let goes_on = |reach: &Reach| reach.may_begin_in(before) && reach.end(next).is_none();
    finder.matcher().reach().is_some_and(goes_on)
}

/// How far chunks have been emitted.
struct SpanEmitter<'a> {
    config: &'a SearchConfig,
    /// What is kept are lines of which nothing has been emitted, behind those that may become context.
    passed: Carry,
    spans: Spans,
}

impl<'a> SpanEmitter<'a> {
    /// Emit what is to be emitted of the lines kept and those of `chunk`.
    fn pass<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        chunk: &mut Chunk,
    ) -> ControlFlow<()> {
        let (before, own) = (self.passed.kept.len(), chunk.lines.len());
        if own == 0 {
            return ControlFlow::Continue(());
        }
        let lead = self.lead();
        self.learn(chunk);
        self.passed.end += own as u64;
        self.passed.terminators += chunk.terminators;
        if chunk.is_alone && may_go_on(search.finder(), &self.passed.kept, chunk.lines()) {
            // It may reach further than what has been read.
            self.passed.kept.extend_from_slice(chunk.lines());
            return ControlFlow::Continue(());
        }
        chunk.prepend(lead, &self.passed.kept);
        let bytes = &chunk.bytes[chunk.lines.start - lead.len()..chunk.behind];
        let lines = &bytes[lead.len()..][..before + own];
        let terminator = self.config.line_terminator;
        let part = Part {
            bytes,
            lead: lead.len(),
            end: lines::last_lines(lines, terminator, 1),
            is_last: false,
        };
        let decided = self.spans.pass(search, &part)?;
        if self.config.line_numbers {
            let behind = lines::count(&lines[decided..], terminator);
            search.learn_number(decided, self.passed.terminators - behind);
        }
        let consumed = search.roll(&lines[..decided]);
        self.spans.roll(consumed);
        self.passed.kept.clear();
        self.passed.kept.extend_from_slice(&lines[consumed..]);
        ControlFlow::Continue(())
    }

    /// The terminator before the lines that are kept, unless they begin the text.
    fn lead(&self) -> &'a [u8] {
        let Carry { kept, end, .. } = &self.passed;
        let len = usize::from(*end > kept.len() as u64);
        &slice::from_ref(&self.config.line_terminator)[..len]
    }

    /// Learn which matches have been found in `chunk`, the lines of which come behind those kept.
    fn learn(&mut self, chunk: &Chunk) {
        let SpanEmitter { config, passed, spans } = self;
        let before = passed.kept.len();
        let found = chunk.hits.iter().map(|hit| {
            let lines_before = passed.terminators + u64::from(hit.lines_before);
            Found {
                range: before + hit.start as usize..before + hit.end as usize,
                lines_before: config.line_numbers.then_some(lines_before),
            }
        });
        spans.learn(found, before..before + chunk.searched.min(chunk.lines.len()));
    }
}
