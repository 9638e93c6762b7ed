//! Expressions that no ASCII text matches, such as `\p{Greek}`: only other text is searched.

use std::ops::Range;

use super::expression::Expression;
use super::line_finder::{Fallback, LineFinder, Step};
use super::parts::{Least, Part};
use crate::block_scan::BlockScan;
use crate::exact::ExactSearch;

/// Bytes that are looked at together.
const WINDOW: usize = 96 << 10;

/// Passes over ASCII text and leaves the rest to the engine.
#[derive(Clone, Debug)]
pub(crate) struct AsciiSkip {
    is_exact: bool,
}

impl LineFinder for AsciiSkip {
    fn cost(expression: &Expression<'_>) -> Option<f64> {
        expression.ascii_cost().filter(|_| expression.ascii_hir().is_none())
    }

    fn new(expression: &Expression<'_>) -> Option<AsciiSkip> {
        let is_exact = expression.is_exact;
        expression.ascii_hir().is_none().then_some(AsciiSkip { is_exact })
    }

    fn is_exact(&self) -> bool {
        self.is_exact
    }

    #[inline(never)]
    fn fill(
        &mut self,
        exact: &mut ExactSearch,
        scan: &mut BlockScan<'_>,
        lines: Range<usize>,
    ) -> Step {
        let terminator = exact.ends.terminator;
        match Part::first(scan.haystack(), terminator, lines, WINDOW, Least::LINE) {
            Part::Ascii(stop) => {
                scan.pass(stop + 1);
                Step::Learned
            }
            Part::Mixed(stop) => Step::Leave(stop),
        }
    }

    fn fallback(&self) -> Fallback {
        Fallback::Engine
    }
}
