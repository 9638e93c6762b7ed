//! What the search for lines that meet conditions is to a finder.

use std::fmt;

use regex_syntax::hir::Hir;

use crate::block_scan::BlockScan;
use crate::error::Error;
use crate::lines::LineHit;

/// One worker's search for lines that meet conditions. Displays as the plan by which it finds
/// candidates.
pub(crate) trait LineConditions: fmt::Debug + fmt::Display + Send + Sync {
    /// A search for another worker.
    fn copy(&self) -> Box<dyn LineConditions>;

    /// Finds the first line from `at` on that may meet the conditions, as
    /// [`Finder::next_line`](crate::Finder::next_line) does.
    fn next_line(&mut self, scan: &mut BlockScan<'_>, at: usize) -> Option<LineHit>;

    /// Whether `line` meets the conditions.
    fn are_met(&mut self, line: &[u8]) -> bool;

    /// Counts the lines from `at` to `end` that meet the conditions.
    fn count(&mut self, scan: &mut BlockScan<'_>, at: usize, end: usize) -> u64;

    /// Whether an engine has given up.
    fn has_failed(&self) -> bool;

    /// Takes the reason why an engine gave up.
    fn take_failure(&mut self) -> Option<Error>;

    /// Expressions that each line which meets the conditions matches.
    fn requirements(&self) -> Vec<&Hir>;
}

impl Clone for Box<dyn LineConditions> {
    fn clone(&self) -> Box<dyn LineConditions> {
        self.copy()
    }
}
