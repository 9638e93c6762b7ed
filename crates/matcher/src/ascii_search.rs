//! Searches that find the matches of an expression without an automaton, as long as they only meet
//! ASCII text.

use std::ops::Range;

use regex_syntax::hir::Hir;

use crate::class_run::{ClassRun, NotAscii};
use crate::gap::Gap;

/// A search for an expression of one of these forms.
#[derive(Clone, Debug)]
pub(crate) enum AsciiSearch {
    /// `\w+`
    Run(ClassRun),
    /// `A.{1,200}?B`
    Gap(Box<Gap>),
}

impl AsciiSearch {
    /// `None` if `hir` is of another form.
    pub(crate) fn of(hir: &Hir) -> Option<AsciiSearch> {
        let run = ClassRun::of(hir).map(AsciiSearch::Run);
        run.or_else(|| Gap::of(hir).map(Box::new).map(AsciiSearch::Gap))
    }

    /// The leftmost match in `haystack` that starts at or after `at`, which must not be beyond its
    /// end. An error if that depends on text that is not ASCII.
    #[inline]
    pub(crate) fn find(
        &self,
        haystack: &[u8],
        at: usize,
    ) -> Result<Option<Range<usize>>, NotAscii> {
        match self {
            AsciiSearch::Run(run) => run.find(haystack, at),
            AsciiSearch::Gap(gap) => gap.find(haystack, at),
        }
    }

    /// Appends all matches in `line` to `spans`, from left to right. `false`, and none of them, if
    /// they have to be found one by one.
    pub(crate) fn find_all(&self, line: &[u8], spans: &mut Vec<Range<usize>>) -> bool {
        match self {
            AsciiSearch::Run(run) => run.find_all(line, spans).is_ok(),
            AsciiSearch::Gap(_) => false,
        }
    }

    /// The number of matches in `line`; `None` if they have to be found one by one.
    pub(crate) fn count(&self, line: &[u8]) -> Option<u64> {
        match self {
            AsciiSearch::Run(run) => run.count(line).ok(),
            AsciiSearch::Gap(_) => None,
        }
    }
}
