//! Emits matches that may span lines: each chunk contains the matches that begin in it, found as
//! far as they may [reach](heist_matcher::Reach), and the owner emits their lines.
//!
//! Matches are found in a chunk as if the search began there. Where a match in the previous chunk
//! reaches into it, some do not count, and others may begin before the next one that does
//! ([`Spans`] searches for them). Nothing is emitted before its block is known: lines of a block
//! that may go on are kept, and so is the last line of each chunk, because the text may end after
//! it.

use std::{ops::ControlFlow, slice};

use heist_matcher::{Finder, Reach};

use super::{
    chunk::Chunk,
    chunks::{ChunkHelpers, Chunks},
    emit::{Carry, Stopped},
};
use crate::{
    SearchConfig, Sink,
    line_search::LineSearch,
    lines,
    multiline::{Found, Part, Spans},
};

/// The limit of kept lines that may belong to one block, in chunks. They are copied for each chunk.
const MOST_KEPT: usize = 8;

/// Emits the lines of the matches in `chunks`, found by `spans`, together with the helpers.
pub(crate) fn emit_spans<S: Sink>(
    search: &mut LineSearch<'_, S>,
    spans: Spans,
    chunks: &Chunks,
    helpers: &mut dyn ChunkHelpers,
) -> ControlFlow<Stopped> {
    let config = search.config();
    let mut emitter = SpanEmitter { config, carry: Carry::default(), spans };
    for index in 0.. {
        let chunk = chunks.take(index, search.finder(), helpers);
        let Some(mut chunk) = chunk.map_break(|()| Stopped::Cancelled)? else { break };
        let is_next = emitter.carry.is_followed_by(&chunk);
        if chunk.needs_fallback || !is_next || emitter.carry.kept.len() > MOST_KEPT * chunks.size()
        {
            return ControlFlow::Break(Stopped::Fallback);
        }
        if emitter.pass(search, &mut chunk).is_break() {
            return ControlFlow::Continue(());
        }
        chunks.emitted(chunk);
    }
    let lead = emitter.lead();
    let SpanEmitter { carry, mut spans, .. } = emitter;
    let bytes = [lead, &carry.kept].concat();
    let rest = Part { bytes: &bytes, lead: lead.len(), end: carry.kept.len(), is_last: true };
    // The search is over after this part, whether the sink breaks or not.
    let _ = spans.pass(search, &rest);
    ControlFlow::Continue(())
}

/// Whether a match that begins in the lines `before` may reach beyond the lines `next`.
fn may_go_on(finder: &Finder, before: &[u8], next: &[u8]) -> bool {
    let goes_on = |reach: &Reach| reach.may_begin_in(before) && reach.end(next).is_none();
    finder.matcher().reach().is_some_and(goes_on)
}

/// Emits the blocks of one chunk after the other.
struct SpanEmitter<'a> {
    config: &'a SearchConfig,
    /// The kept lines, which have not been emitted yet, except those in front that may become
    /// context.
    carry: Carry,
    spans: Spans,
}

impl<'a> SpanEmitter<'a> {
    /// Emits the blocks that are decided among the kept lines and the lines in `chunk`.
    fn pass<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        chunk: &mut Chunk,
    ) -> ControlFlow<()> {
        let (before, own) = (self.carry.kept.len(), chunk.lines.len());
        if own == 0 {
            return ControlFlow::Continue(());
        }
        let lead = self.lead();
        self.add_known(chunk);
        self.carry.end += own as u64;
        self.carry.terminators += chunk.terminators;
        if chunk.is_alone && may_go_on(search.finder(), &self.carry.kept, chunk.lines()) {
            // The match may reach further than the bytes read.
            self.carry.kept.append(chunk.lines());
            return ControlFlow::Continue(());
        }
        chunk.prepend(lead, &self.carry.kept);
        let bytes = &chunk.bytes[chunk.lines.start - lead.len()..chunk.behind];
        let lines = &bytes[lead.len()..][..before + own];
        let terminator = self.config.line_terminator;
        let part = Part {
            bytes,
            lead: lead.len(),
            end: lines::last_lines(lines, terminator, 1).0,
            is_last: false,
        };
        let decided = self.spans.pass(search, &part)?;
        if self.config.line_numbers {
            let behind = lines::count(&lines[decided..], terminator);
            search.set_number(decided, self.carry.terminators - behind);
        }
        let consumed = search.roll(&lines[..decided]);
        self.spans.roll(consumed);
        self.carry.kept.set(&lines[consumed..]);
        ControlFlow::Continue(())
    }

    /// The terminator before the kept lines, unless they begin the text.
    fn lead(&self) -> &'a [u8] {
        let Carry { kept, end, .. } = &self.carry;
        let len = usize::from(*end > kept.len() as u64);
        &slice::from_ref(&self.config.line_terminator)[..len]
    }

    /// Passes on the matches found in `chunk`. Its lines follow the kept ones.
    fn add_known(&mut self, chunk: &Chunk) {
        let SpanEmitter { config, carry, spans } = self;
        let before = carry.kept.len();
        let found = chunk.hits.iter().map(|hit| {
            let lines_before = carry.terminators + u64::from(hit.lines_before);
            Found {
                range: before + hit.start as usize..before + hit.end as usize,
                lines_before: config.line_numbers.then_some(lines_before),
            }
        });
        spans.add_known(found, before..before + chunk.searched.min(chunk.lines.len()));
    }
}
