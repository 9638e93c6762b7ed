//! The strategy: many needles, or needles in either case.

use std::ops::Range;
use std::sync::Arc;

use super::grams::ProbeBits;
use super::search;
use crate::lines::line_start;
use crate::literals::case_fold::CaseFolded;
use crate::strategies::budget::Lookahead;
use crate::strategies::cost;
use crate::strategies::line_finder::{LineFinder, Step, Task, Traits};

/// Looks for many needles. Every match contains one.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    needles: Arc<search::Needles>,
    is_exact: bool,
    probes: ProbeBits,
}

impl Many {
    /// A search for `needles`. Each is a match if the search `is_exact`.
    pub(crate) fn of(needles: &[Vec<u8>], is_exact: bool) -> Option<Many> {
        Some(Many::with(search::Needles::new(needles, false, &[])?, is_exact))
    }

    /// A search for `needles`, which are literals of `folded`, in either case.
    pub(crate) fn of_folded(
        needles: &[Vec<u8>],
        folded: &CaseFolded,
        is_exact: bool,
    ) -> Option<Many> {
        Some(Many::with(search::Needles::new(needles, true, &folded.non_ascii_folds)?, is_exact))
    }

    fn with(needles: search::Needles, is_exact: bool) -> Many {
        Many { needles: Arc::new(needles), is_exact, probes: Vec::new() }
    }
}

impl LineFinder for Many {
    fn traits(&self) -> Traits {
        let least_spacing = if self.is_exact { 0 } else { cost::NEEDLE_SPACING };
        Traits { least_spacing, ..Traits::of(self.is_exact) }
    }

    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        let (Range { start, end }, (haystack, terminator)) = (task.ahead(), task.text());
        let Many { needles, probes, .. } = self;
        task.scan.learn(|hits| {
            if end - start <= 2 * Lookahead::MAX_BYTES {
                needles.find(haystack, start..end, terminator, probes, hits);
                return end + 1;
            }
            // The last line is long, and one hit in it is enough.
            let last = line_start(haystack, terminator, start, start + Lookahead::MAX_BYTES);
            if last > start {
                needles.find(haystack, start..last - 1, terminator, probes, hits);
            }
            needles.find_in_line(haystack, last..end, terminator, probes, hits);
            end + 1
        });
        Step::Learned
    }

    fn may_match(&mut self, haystack: &[u8], terminator: u8) -> bool {
        let mut hits = Vec::new();
        let all = 0..haystack.len();
        self.needles.find_in_line(haystack, all, terminator, &mut self.probes, &mut hits);
        !hits.is_empty()
    }
}
