//! The strategy: operations on bits for text that is ASCII, as in `[A-Z]\w+\(`.

use std::ops::Range;
use std::sync::Arc;

use super::bitmap::Results;
use super::long_line::BitsInParts;
use super::program::{Bits, Piece};
use crate::exact::ExactSearch;
use crate::lines::{LineHit, line_start};
use crate::strategies::backoff::Backoff;
use crate::strategies::cost;
use crate::strategies::expression::Expression;
use crate::strategies::line_finder::{LineFinder, Step, Stops, Task, Traits};

/// Finds the lines of ASCII text that match; others it leaves to the engine.
#[derive(Clone, Debug)]
pub(crate) struct BitParallel {
    bits: Arc<Bits>,
    is_exact: bool,
    least_spacing: usize,
    results: Results,
    /// Scratch space for lines that are not ASCII.
    non_ascii: Vec<LineHit>,
}

impl BitParallel {
    /// A search for the matches of `expression`; `None` if an automaton is faster.
    pub(crate) fn new(expression: &Expression<'_>) -> Option<BitParallel> {
        let bits = Arc::clone(expression.bits()?);
        Some(BitParallel::with(bits, expression.is_exact, cost::BITS_SPACING))
    }

    /// A search for candidates by `bits`, for an engine that searches line by line what is left to
    /// it. That gives way only where nearly every line is a candidate.
    #[cfg(feature = "pcre2")]
    pub(crate) fn outlined(bits: Bits) -> BitParallel {
        BitParallel::with(Arc::new(bits), false, cost::OUTLINE_SPACING)
    }

    /// The search of a line part by part, if that finds just the lines that match.
    pub(crate) fn in_parts(&self) -> Option<BitsInParts> {
        self.is_exact.then(|| BitsInParts::new(&self.bits))
    }

    fn with(bits: Arc<Bits>, is_exact: bool, least_spacing: usize) -> BitParallel {
        BitParallel {
            bits,
            is_exact,
            least_spacing,
            results: Results::default(),
            non_ascii: Vec::new(),
        }
    }
}

impl LineFinder for BitParallel {
    /// All places are found at once, however many. Only those cost anything that have to be
    /// checked.
    fn traits(&self) -> Traits {
        Traits {
            least_spacing: self.least_spacing,
            stops: Stops::Candidates,
            ..Traits::of(self.is_exact)
        }
    }

    /// Searches a few lines, or leaves the first one alone if it is very long and not ASCII.
    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        let (haystack, lines) = (task.scan.haystack(), task.lines.clone());
        let (from, mut step) = (lines.start, Step::Learned);
        task.scan.learn(|hits| match self.bits.find(haystack, lines, &mut self.results, hits) {
            Piece::Searched { end } => end + 1,
            Piece::Left { end } => {
                step = Step::Leave(end);
                from
            }
        });
        step
    }

    fn count(
        &mut self,
        exact: &mut ExactSearch,
        backoff: &mut Backoff,
        haystack: &[u8],
        lines: Range<usize>,
    ) -> Option<(u64, usize)> {
        if !self.is_exact {
            return None;
        }
        let mut at = lines.start;
        self.non_ascii.clear();
        let (mut count, piece) =
            self.bits.count(haystack, lines, &mut self.results, &mut self.non_ascii);
        let stop = match piece {
            Piece::Searched { end } => end,
            Piece::Left { end } => {
                count += u64::from(exact.matches_line(haystack, at, end));
                end
            }
        };
        for stop in self.non_ascii.iter().map(|hit| hit.offset()) {
            let start = line_start(haystack, exact.ends.terminator, at, stop);
            backoff.stopped_after(start - at);
            count += u64::from(exact.matches_line(haystack, start, stop));
            at = stop + 1;
        }
        Some((count, stop))
    }
}
