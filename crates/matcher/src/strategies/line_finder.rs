//! The contract of a strategy.

use std::ops::Range;

use super::backoff::Backoff;
use super::expression::Expression;
use crate::block_scan::BlockScan;
use crate::exact::ExactSearch;
use crate::lines::LineHit;

/// A way to find the lines of a block that match or may match.
///
/// One value serves one worker: what is compiled is behind an `Arc`, the scratch space beside it is
/// the worker's own. To add a strategy, implement this in a file of its own and give it a row in
/// `table.rs`.
pub(crate) trait LineFinder: Sized {
    /// Nanoseconds per byte that a search for `expression` is expected to take, by the prices in
    /// `cost.rs`; `None` if the strategy cannot search for it. This is called before `new`, and has
    /// to be cheap.
    fn cost(_: &Expression<'_>) -> Option<f64> {
        None
    }

    /// Prepares the search; `None` if that turns out to be impossible or not worth it.
    fn new(_: &Expression<'_>) -> Option<Self> {
        None
    }

    /// Whether a line that it confirms is known to match. Otherwise all its hits are candidates.
    fn is_exact(&self) -> bool;

    /// Whether it finds one hit at a time, by [`find`](LineFinder::find) alone.
    fn is_direct(&self) -> bool {
        false
    }

    /// The offset of the first hit in `lines` of `haystack`; `None` from a strategy that is not
    /// direct. The range is that of [`fill`](LineFinder::fill).
    fn find(&mut self, _haystack: &[u8], _lines: Range<usize>) -> Option<usize> {
        None
    }

    /// Searches `lines` of the block of `scan` from their beginning. The range begins at the start
    /// of a line and ends at the end of one, before its terminator.
    fn fill(
        &mut self,
        _exact: &mut ExactSearch,
        scan: &mut BlockScan<'_>,
        lines: Range<usize>,
    ) -> Step {
        Step::at(self.find(scan.haystack(), lines), self.is_exact())
    }

    /// Mean distance of two stops, in bytes, below which the strategy is not worth it.
    fn least_spacing(&self) -> Option<usize> {
        None
    }

    /// The hits that count as stops.
    fn stops(&self) -> Stops {
        Stops::Hits
    }

    /// Which strategies follow this one.
    fn fallback(&self) -> Fallback {
        Fallback::Nothing
    }

    /// Whether every line is known to match.
    fn matches_all(&self) -> bool {
        false
    }

    /// Counts the matching lines of the first part of `lines`, if that is faster than to find them.
    /// Returns their number, and the end of the last line that was searched.
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

/// What a strategy gives way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// It never does.
    Nothing,
    /// Operations on bits, if they are exact. They find any number of lines at the same speed; the
    /// engine would be no faster than the strategy.
    ExactBits,
    /// Whatever searches best without literals.
    WithoutLiterals,
    /// The strategies that follow it among those without literals.
    Engine,
}
