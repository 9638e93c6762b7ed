//! Expressions that match every line or none: `x*`, `^`, `[a&&b]`.

use std::ops::Range;

use memchr::memchr_iter;
use regex_syntax::hir::{Hir, HirKind, Look};

use super::backoff::Backoff;
use super::expression::Expression;
use super::line_finder::{LineFinder, Traits};
use crate::exact::ExactSearch;

/// Reports every line.
#[derive(Clone, Debug)]
pub(crate) struct EveryLine {
    is_exact: bool,
}

impl EveryLine {
    /// `None` if a line may have no match of `expression`. Where that is unknown, since assertions
    /// about the ends of lines are left out in blocks, every line is a candidate.
    pub(super) fn new(expression: &Expression<'_>) -> Option<EveryLine> {
        if fits_every_line(expression.line) {
            return Some(EveryLine { is_exact: true });
        }
        fits(expression.hir, &|_| false).then_some(EveryLine { is_exact: expression.is_exact })
    }
}

impl LineFinder for EveryLine {
    fn traits(&self) -> Traits {
        Traits { is_direct: true, matches_all: self.is_exact, ..Traits::of(self.is_exact) }
    }

    #[inline]
    fn find(&mut self, _: &[u8], lines: Range<usize>) -> Option<usize> {
        Some(lines.start)
    }

    fn count(
        &mut self,
        exact: &mut ExactSearch,
        _: &mut Backoff,
        haystack: &[u8],
        lines: Range<usize>,
    ) -> Option<(u64, usize)> {
        let end = lines.end;
        let ends = memchr_iter(exact.ends.terminator, &haystack[lines]).count() as u64;
        self.is_exact.then_some((ends + 1, end))
    }
}

/// Reports no line.
#[derive(Clone, Debug)]
pub(crate) struct NoLine;

impl LineFinder for NoLine {
    fn traits(&self) -> Traits {
        Traits { is_direct: true, ..Traits::of(true) }
    }
}

/// Whether `hir` has an empty match at the beginning or at the end of every line. `^`, `$` and
/// `x*$` do, `^$` does not.
fn fits_every_line(hir: &Hir) -> bool {
    let begins = |look| matches!(look, Look::Start | Look::StartLF | Look::StartCRLF);
    let ends = |look| matches!(look, Look::End | Look::EndLF | Look::EndCRLF);
    fits(hir, &begins) || fits(hir, &ends)
}

/// Whether `hir` has an empty match at a place where exactly the assertions hold for which `holds`
/// is true.
fn fits(hir: &Hir, holds: &impl Fn(Look) -> bool) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Look(look) => holds(*look),
        HirKind::Literal(_) | HirKind::Class(_) => false,
        HirKind::Repetition(repetition) => repetition.min == 0 || fits(&repetition.sub, holds),
        HirKind::Capture(capture) => fits(&capture.sub, holds),
        HirKind::Concat(subs) => subs.iter().all(|sub| fits(sub, holds)),
        HirKind::Alternation(subs) => subs.iter().any(|sub| fits(sub, holds)),
    }
}
