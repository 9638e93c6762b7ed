//! Each line alone, for an engine that may look around: in a block, even `\s*+$` would match
//! elsewhere.

use std::ops::Range;

use super::line_finder::{LineFinder, Step, Task, Traits};
use crate::lines::{LineHit, line_end};

/// Calls the exact search on one line after the other.
#[derive(Clone, Debug)]
pub(crate) struct LineByLine;

impl LineFinder for LineByLine {
    fn traits(&self) -> Traits {
        Traits::of(true)
    }

    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        let (haystack, terminator) = task.text();
        let (exact, Range { start: mut at, end }) = (&mut *task.exact, task.lines.clone());
        while at <= end {
            let stop = line_end(haystack, terminator, at, end);
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
