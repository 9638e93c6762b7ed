//! Each line alone, for an engine that may look around: in a block, even `\s*+$` would match
//! elsewhere.

use std::ops::Range;

use super::line_finder::{LineFinder, Step};
use crate::block_scan::BlockScan;
use crate::exact::ExactSearch;
use crate::lines::{LineHit, line_end};

/// Calls the exact search on one line after the other.
#[derive(Clone, Debug)]
pub(crate) struct LineByLine;

impl LineFinder for LineByLine {
    fn is_exact(&self) -> bool {
        true
    }

    #[inline(never)]
    fn fill(
        &mut self,
        exact: &mut ExactSearch,
        scan: &mut BlockScan<'_>,
        lines: Range<usize>,
    ) -> Step {
        let (haystack, Range { start: mut at, end }) = (scan.haystack(), lines);
        while at <= end {
            let stop = line_end(haystack, exact.ends.terminator, at, end);
            if exact.matches_line(haystack, at, stop) {
                return Step::Hit(LineHit::Confirmed(at));
            }
            if exact.has_failed() {
                break;
            }
            at = stop + 1;
        }
        Step::Nothing
    }
}
