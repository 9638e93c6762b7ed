//! Context that the text determines: the function around a match, its paragraph, or everything up
//! to a line that matches another pattern.
//!
//! The haystack is in memory as a whole. The usual search finds the matching lines, without any
//! context; [`sink::Surrounded`] stands between it and the caller's sink, and adds the lines around
//! each match, which `extent` finds. No other search pays for this.
//!
//! For example, with [`function_line`](Surroundings::function_line) and a match in line 3:
//!
//! ```text
//! 1  int main()     emitted as Function
//! 2  {
//! 3      x = 1;     emitted as Match
//! ```
//!
//! Which lines may match at all can be limited as well ([`LineRules`](crate::LineRules)): the sink
//! passes over the others, before it adds any context.
//!
//! What a function is follows `git grep`: a *function line* matches the pattern of its file type,
//! and a function reaches from there, or from the comment above it, to the next function line. As
//! in `git grep`, nothing is emitted twice, and no line is looked for behind one that was emitted.

mod extent;
mod heads;
mod line_tests;
mod sink;
#[cfg(test)]
mod tests;

use std::{io, mem};

pub use self::heads::FunctionHeads;
pub(crate) use self::line_tests::Scratch;
use self::sink::Surrounded;
use crate::{SearchConfig, Sink, Surroundings, search::Search, source::Head};

impl<S: Sink> Search<'_, S> {
    /// Searches all of `text`, and emits what surrounds its matches.
    #[cold]
    #[inline(never)]
    pub(crate) fn surrounded(
        &mut self,
        surroundings: &Surroundings,
        text: Head<'_>,
    ) -> io::Result<()> {
        let Search { config, ref mut finder, ref mut buffers, ref mut sink } = *self;
        let mut alone = SearchConfig {
            before_context: 0,
            after_context: 0,
            surroundings: None,
            ..config.clone()
        };
        let rules = surroundings.lines.as_ref();
        let lines = rules.map_or(Ok(None), |rules| rules.lines_of(&buffers.surroundings.path))?;
        if lines.is_some() {
            // Lines are chosen by their numbers, and those that are not chosen do not count.
            (alone.line_numbers, alone.max_matches) = (true, None);
        }
        let alone = &alone;
        let mut scratch = mem::take(&mut buffers.surroundings);
        let mut around =
            Surrounded::new(config, surroundings, &mut scratch, text.bytes, lines, *sink);
        let mut search = Search { config: alone, finder, buffers, sink: &mut around };
        let searched = match search.finder.matcher().spans_lines() {
            true => search.spans(text.bytes),
            false => search.slice(text),
        };
        around.end(finder);
        buffers.surroundings = scratch;
        searched
    }
}
