//! Emits how many lines match in a file whose lines may be of any length, from the summaries of its
//! chunks.
//!
//! What a search emits depends on where the first NUL byte is, if there is one (see `line_buffer`):
//! the lines of its block are not emitted. So a count is held back until that block, if it began at
//! the end of the chunk, would be over.

use std::{collections::VecDeque, ops::ControlFlow};

use heist_matcher::Finder;

use super::{
    chunks::{ChunkHelpers, Chunks},
    emit::{Emitted, Stopped, emit_by},
    summary::Summary,
};
use crate::{SearchConfig, Sink, line_buffer::GROWTH, line_search::LineSearch};

/// Counts the matching lines of `chunks`, which are summarized, together with the helpers. If the
/// lines have to be emitted, falls back as soon as one matches.
pub(crate) fn emit_summaries<S: Sink>(
    config: &SearchConfig,
    finder: &mut Finder,
    chunks: &Chunks,
    emitted: u64,
    helpers: &mut dyn ChunkHelpers,
    sink: &mut S,
) -> Emitted {
    emit_by(config, finder, chunks, emitted, sink, |search| emit_chunks(search, chunks, helpers))
}

fn emit_chunks<S: Sink>(
    search: &mut LineSearch<'_, S>,
    chunks: &Chunks,
    helpers: &mut dyn ChunkHelpers,
) -> ControlFlow<Stopped> {
    let mut total = Total::default();
    let mut held = VecDeque::new();
    for index in 0.. {
        let chunk = chunks.take(index, search.finder(), helpers);
        let Some(chunk) = chunk.map_break(|()| Stopped::Cancelled)? else { break };
        if chunk.needs_fallback {
            return ControlFlow::Break(Stopped::Fallback);
        }
        let matched = total.add(&chunk.summary);
        if (matched > 0 || total.is_open_matched) && !chunks.are_lines_counted() {
            return ControlFlow::Break(Stopped::Fallback);
        }
        held.push_back((total.len, chunk.summary.len, matched));
        chunks.emitted(chunk);
        // A block is no larger than half a chunk, unless a line fills it: then it grows.
        let block = total.longest.saturating_mul(GROWTH as u64).max(chunks.size() as u64);
        let safe = total.len.saturating_sub(block);
        while let Some((_, len, matched)) = held.pop_front_if(|(end, ..)| *end <= safe) {
            if search.count_lines(len, matched).is_break() {
                return ControlFlow::Continue(());
            }
        }
    }
    let last = (0, 0, u64::from(total.is_open_matched));
    for (_, len, matched) in held.into_iter().chain([last]) {
        if search.count_lines(len, matched).is_break() {
            break;
        }
    }
    ControlFlow::Continue(())
}

/// The sum of the summaries so far.
#[derive(Default)]
struct Total {
    /// The number of bytes.
    len: u64,
    /// The last line, which may go on, matches.
    is_open_matched: bool,
    /// The length of that line.
    open_len: u64,
    /// The length of the longest line.
    longest: u64,
}

impl Total {
    /// Adds the next chunk. Returns how many of the lines that end in it match.
    fn add(&mut self, next: &Summary) -> u64 {
        self.len += next.len as u64;
        let mut matched = 0;
        if next.has_end {
            matched = next.whole_matched + u64::from(self.is_open_matched || next.is_begun_matched);
            self.longest = self.longest.max(self.open_len + next.begun_len as u64);
            self.longest = self.longest.max(next.longest as u64);
            self.is_open_matched = false;
            self.open_len = 0;
        }
        self.is_open_matched |= next.is_open_matched;
        self.open_len += next.open_len as u64;
        self.longest = self.longest.max(self.open_len);
        matched
    }
}
