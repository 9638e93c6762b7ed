//! The regex engine on a block of lines.

use std::ops::Range;
use std::sync::Arc;

use bstr::ByteSlice;
use regex_automata::{Input, meta};

use super::budget::EnginePiece;
use super::expression::Expression;
use super::line_finder::{LineFinder, Step, Task, Traits};
use crate::exact::ExactSearch;
use crate::lines::{LineHit, line_end, line_start};

/// Runs a regex engine over a block.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    /// The regex for blocks, unless the exact search serves them too.
    block: Option<Arc<meta::Regex>>,
    cache: Option<meta::Cache>,
    stops_at_non_ascii: bool,
}

impl Engine {
    /// A search for the matches of `expression`, whatever that is.
    pub(super) fn new(expression: &Expression<'_>) -> Engine {
        let stops_at_non_ascii = expression.stops_at_non_ascii;
        Engine { block: expression.block.clone(), cache: None, stops_at_non_ascii }
    }

    /// A search for the matches of the exact search.
    pub(crate) fn exact(stops_at_non_ascii: bool) -> Engine {
        Engine { block: None, cache: None, stops_at_non_ascii }
    }

    fn search(
        &mut self,
        exact: &mut ExactSearch,
        haystack: &[u8],
        lines: Range<usize>,
    ) -> Option<LineHit> {
        let Some(block) = &self.block else {
            return exact.find_end(haystack, lines).map(LineHit::Confirmed);
        };
        let cache = self.cache.get_or_insert_with(|| block.create_cache());
        let input = Input::new(haystack).range(lines).earliest(true);
        let half = block.search_half_with(cache, &input)?;
        Some(LineHit::Candidate(half.offset()))
    }

    /// Searches with an engine that quits its fast part at bytes that are not ASCII, since it
    /// cannot decide on Unicode word boundaries. It would fall back to its slow part for the rest
    /// of the block, in every call anew. So it gets only ASCII lines as a block, and others alone.
    fn search_in_pieces(&mut self, task: &mut Task<'_, '_>) -> Option<LineHit> {
        let (haystack, terminator) = task.text();
        let Task { exact, scan, lines } = task;
        let Range { start: mut at, end } = lines.clone();
        let mut pieces = EnginePiece::default();
        // Lines that an earlier call has found to be ASCII.
        if let Some(stop) = scan.ascii_from(at).filter(|stop| *stop <= end) {
            if let Some(hit) = self.search(exact, haystack, at..stop) {
                return Some(hit);
            }
            (at, pieces) = (stop + 1, EnginePiece::after(stop - at));
        }
        // Bytes that are tested for being ASCII. Their number doubles while nothing is found.
        let mut size = pieces.next();
        while at <= end {
            let stop = line_end(haystack, terminator, at.saturating_add(size), end);
            let Some(offset) = haystack[at..stop].find_non_ascii_byte() else {
                if let Some(hit) = self.search(exact, haystack, at..stop) {
                    scan.learn_ascii(stop);
                    return Some(hit);
                }
                at = stop + 1;
                size = pieces.next();
                continue;
            };
            let non_ascii = at + offset;
            let start = line_start(haystack, terminator, at, non_ascii);
            if start > at
                && let Some(hit) = self.search(exact, haystack, at..start - 1)
            {
                return Some(hit);
            }
            let stop = line_end(haystack, terminator, non_ascii, end);
            if exact.matches_line(haystack, start, stop) {
                return Some(LineHit::Confirmed(start));
            }
            at = stop + 1;
        }
        None
    }
}

impl LineFinder for Engine {
    fn traits(&self) -> Traits {
        Traits::of(self.block.is_none())
    }

    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        let hit = match self.stops_at_non_ascii {
            true => self.search_in_pieces(task),
            false => self.search(task.exact, task.scan.haystack(), task.lines.clone()),
        };
        hit.map_or(Step::Nothing, Step::Hit)
    }
}
