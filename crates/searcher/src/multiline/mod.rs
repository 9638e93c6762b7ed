//! Searches for matches that may span lines, and emits blocks of lines. The haystack is in memory
//! as a whole or [part](Part) by part.
//!
//! The rules are ripgrep 15.2's (read in grep-searcher 0.1.17 and confirmed by running it):
//!
//! 1. The search for the next match starts at the end of the previous one, or one byte further if
//!    that was empty. Matches with overlapping or adjacent lines form one block, which is emitted
//!    once: `a\nb|c` in `xa⏎b c⏎x⏎c⏎` gives the block `xa⏎b c⏎` and the line `c⏎`.
//! 2. An empty match directly after another match does not count as a match (as in the iterators of
//!    regex engines), but it counts for the limit, and the line it is in belongs to the block.
//! 3. The limit counts matches. The last match's block also shows what else matches in its lines.
//! 4. In an inverted search, the lines that no match touches are selected, each on its own, and the
//!    search for the next match starts after the lines of the previous one.
//! 5. NUL bytes are searched for in the first 64 KiB and in emitted lines. They never end a line.
//!
//! Three rules differ from ripgrep's. A match is searched for in the whole haystack instead of the
//! rest: `\A` matches once, and `^` does not match where a match ended within a line. In an
//! inverted search the limit counts lines, as it does without multiline matching. A match after the
//! last terminator is in no line and does not count.

mod part;
mod spans;
mod watch;

use std::io;

use memchr::memchr;

pub(crate) use self::{
    part::{Found, Part, behind},
    spans::Spans,
    watch::NulWatch,
};
use crate::{BinaryPolicy, Flow, SearchConfig, Sink, line_search::LineSearch, search::Search};

/// How many bytes are checked for NUL before the search: the size of ripgrep's buffer.
pub(crate) const NUL_CHECK_BYTES: usize = 64 << 10;

impl<S: Sink> Search<'_, S> {
    /// Searches all of `haystack` for matches that may span lines. The only error is that the
    /// engine fails, after the last event.
    pub(crate) fn spans(&mut self, haystack: &[u8]) -> io::Result<()> {
        let config = &of_spans(self.config);
        let mut spans = Spans::new(config, self.sink);
        let mut watch = NulWatch::new(self.sink, config.binary);
        let mut search = LineSearch::new(config, self.finder, &mut watch);
        let all = Part { bytes: haystack, lead: 0, end: haystack.len(), is_last: true };
        if begin(config, &mut search, haystack).is_continue() {
            // The search is over after this part, whether the sink breaks or not.
            let _ = spans.pass(&mut search, &all);
        }
        search.finish(None)
    }
}

/// A copy of `config` without the setting that requires single lines.
pub(crate) fn of_spans(config: &SearchConfig) -> SearchConfig {
    SearchConfig { stop_on_nonmatch: false, ..config.clone() }
}

/// Begins to search a haystack that begins with `head`; its first 64 KiB are checked for NUL.
pub(crate) fn begin<S: Sink>(
    config: &SearchConfig,
    search: &mut LineSearch<'_, S>,
    head: &[u8],
) -> Flow {
    search.begin_if_wanted()?;
    if config.binary != BinaryPolicy::Text
        && let Some(offset) = memchr(0, &head[..head.len().min(NUL_CHECK_BYTES)])
    {
        search.binary(offset as u64)?;
        if config.binary == BinaryPolicy::Quit {
            return Flow::Break(());
        }
    }
    Flow::Continue(())
}
