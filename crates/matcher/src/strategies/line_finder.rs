//! The contract of a strategy.

use std::ops::Range;

use super::backoff::Backoff;
use crate::block_scan::BlockScan;
use crate::exact::ExactSearch;
use crate::lines::{LineHit, line_end};

/// A way to find the lines of a block that match or may match.
///
/// One value serves one worker: what is compiled is behind an `Arc`, the scratch space beside it is
/// the worker's own. To add a strategy, implement this in a file of its own, name it in
/// `strategy.rs`, and use it in a plan of `plans.rs`.
pub(crate) trait LineFinder: Sized {
    /// What a plan and its levels know of it.
    fn traits(&self) -> Traits;

    /// Where the first hit in `lines` of `haystack` is; `None` from a strategy that is not
    /// [direct](Traits::is_direct). The range is as in a [`Task`].
    fn find(&mut self, _haystack: &[u8], _lines: Range<usize>) -> Option<usize> {
        None
    }

    /// Searches the lines of `task` from their beginning.
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        Step::at(self.find(task.scan.haystack(), task.lines.clone()), self.traits().is_exact)
    }

    /// Counts the matching lines in the first part of `lines`, if that is faster than to find them.
    /// Returns how many there are, and where the last line ends that was searched.
    fn count(
        &mut self,
        _exact: &mut ExactSearch,
        _backoff: &mut Backoff,
        _haystack: &[u8],
        _lines: Range<usize>,
    ) -> Option<(u64, usize)> {
        None
    }

    /// Whether anything in `haystack`, which is searched as a whole, may match.
    fn may_match(&mut self, _haystack: &[u8], _terminator: u8) -> bool {
        true
    }
}

/// Lines that a strategy is to search.
pub(crate) struct Task<'t, 'h> {
    /// The search that decides on a line alone.
    pub(crate) exact: &'t mut ExactSearch,
    /// Has the block, and takes the hits.
    pub(crate) scan: &'t mut BlockScan<'h>,
    /// The lines to search. The range begins at the start of a line, and ends at the end of one,
    /// before its terminator.
    pub(crate) lines: Range<usize>,
}

impl<'h> Task<'_, 'h> {
    /// The block that the lines are in, and the byte that ends each.
    #[inline(always)]
    pub(crate) fn text(&self) -> (&'h [u8], u8) {
        (self.scan.haystack(), self.exact.ends.terminator)
    }

    /// The first lines of the task, as many as are worth a search ahead, and the rest of the last
    /// line.
    #[inline(always)]
    pub(crate) fn ahead(&mut self) -> Range<usize> {
        let (haystack, terminator) = self.text();
        let Range { start, end } = self.lines;
        start..line_end(haystack, terminator, start + self.scan.lookahead(), end)
    }
}

/// What a strategy is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    /// Whether a line that it confirms is known to match. Otherwise all its hits are candidates.
    pub(crate) is_exact: bool,
    /// Whether it finds one hit at a time, by [`find`](LineFinder::find) alone.
    pub(crate) is_direct: bool,
    /// Whether every line is known to match.
    pub(crate) matches_all: bool,
    /// Mean distance of two stops, in bytes, below which it is not worth it; 0 if it always is.
    pub(crate) least_spacing: usize,
    /// The hits that count as stops.
    pub(crate) stops: Stops,
}

impl Traits {
    /// The traits of a strategy that finds several hits at a time, and never gives way.
    pub(crate) fn of(is_exact: bool) -> Traits {
        Traits {
            is_exact,
            is_direct: false,
            matches_all: false,
            least_spacing: 0,
            stops: Stops::Hits,
        }
    }
}

/// How far [`LineFinder::fill`] got.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The first hit in the lines.
    Hit(LineHit),
    /// No line has a hit.
    Nothing,
    /// Hits of the first lines, perhaps none, are in the scan.
    Learned,
    /// Left the lines up to this one's end to the next strategy.
    Leave(usize),
}

impl Step {
    /// From the `offset` of the first hit, if there is one.
    #[inline]
    pub(crate) fn at(offset: Option<usize>, is_exact: bool) -> Step {
        offset.map_or(Step::Nothing, |offset| Step::Hit(LineHit::new(offset, is_exact)))
    }
}

/// The hits that count as stops of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stops {
    Never,
    /// Only those that have to be checked.
    Candidates,
    /// All of them.
    Hits,
}
