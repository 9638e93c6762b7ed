//! Haystacks in which a match may span lines: they are searched as a whole.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::meta;
use regex_syntax::hir::Hir;

use crate::compile::ascii_hir::ascii_hir;
use crate::compile::over_approx::OverApprox;
use crate::exact::ExactSearch;
use crate::literals::case_fold::CaseFolded;
use crate::literals::required::Literals;
use crate::near_needles;
use crate::reach::Reach;
use crate::strategies::cost;
use crate::strategies::line_finder::LineFinder;
use crate::strategies::many::Many;
use crate::strategies::packed::Packed;
use crate::strategies::strategy::Strategy;

/// What is known of matches that may span lines. One value serves one worker; the rest is shared.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    /// Looks for needles such that every match contains one.
    needles: Option<Strategy>,
    /// How far matches may extend.
    pub(crate) reach: Option<Arc<Reach>>,
    /// Whether no match is all ASCII.
    skips_ascii: bool,
    /// What to search for first in haystacks that are not ASCII.
    pub(crate) over_approx: Option<Arc<OverApprox>>,
    over_approx_cache: Option<meta::Cache>,
    /// Whether the haystack last seen from its beginning is known not to be ASCII. This is only
    /// about speed: the one at hand may be another.
    is_non_ascii: bool,
    /// Where a long line ended, in this haystack or in another; likewise.
    long_line: usize,
}

impl Whole {
    /// The search for needles, if the engine is not left alone.
    pub(crate) fn needles(&self) -> Option<&Strategy> {
        self.needles.as_ref()
    }

    /// The search for `hir`, which has these `literals` and is compiled to `regex` under `config`.
    pub(crate) fn new(
        hir: &Hir,
        literals: &Literals,
        regex: &meta::Regex,
        config: meta::Config,
        terminator: u8,
    ) -> Whole {
        let reach = Reach::of(hir, literals, terminator).map(Arc::new);
        // The engine is left alone if it has a prefilter of its own: always if that looks for
        // beginnings, else if nothing better is known. What it looks for within matches may be
        // common, as the `=` in `\w+\s+=\s+kmalloc`.
        let is_fast = |reach: &Reach| reach.has_beginnings() || !reach.has_end();
        let is_left_alone = regex.is_accelerated() && reach.as_deref().is_none_or(is_fast);
        let needles = if is_left_alone { None } else { needles_of(hir, literals) };
        Whole {
            needles,
            reach,
            skips_ascii: ascii_hir(hir).is_none(),
            over_approx: OverApprox::new(hir, config).map(Arc::new),
            over_approx_cache: None,
            is_non_ascii: false,
            long_line: 0,
        }
    }

    /// The search for patterns of another engine. `outline`, if there is one, over-approximates
    /// them, and has these literals.
    #[cfg(feature = "pcre2")]
    pub(crate) fn outlined(outline: Option<(&Hir, &Literals)>) -> Whole {
        Whole {
            needles: outline.and_then(|(hir, literals)| needles_of(hir, literals)),
            reach: None,
            skips_ascii: false,
            over_approx: None,
            over_approx_cache: None,
            is_non_ascii: false,
            long_line: 0,
        }
    }

    /// Whether it looks for needles first.
    #[cfg(test)]
    pub(crate) fn has_needles(&self) -> bool {
        self.needles.is_some()
    }

    /// Whether it searches the lines around needles.
    #[cfg(test)]
    pub(crate) fn is_near_needles(&self) -> bool {
        let has_end = self.reach.as_ref().is_some_and(|reach| reach.has_end());
        has_end && matches!(self.needles, Some(Strategy::Packed(_)))
    }

    /// The leftmost match that begins at or after `at`. For the first of the searches in a
    /// haystack, it looks for the needles first: most haystacks have none.
    pub(crate) fn find_first(
        &mut self,
        exact: &mut ExactSearch,
        haystack: &[u8],
        at: usize,
    ) -> Option<Range<usize>> {
        if self.skips_ascii && haystack.is_ascii() {
            return None;
        }
        if let Some(needles) = &mut self.needles
            && !needles.may_match(haystack, exact.ends.terminator)
        {
            return None;
        }
        self.is_non_ascii = self.over_approx.is_some() && !haystack.is_ascii();
        self.find(exact, haystack, at)
    }

    /// The leftmost match that begins at or after `at`.
    pub(crate) fn find(
        &mut self,
        exact: &mut ExactSearch,
        haystack: &[u8],
        at: usize,
    ) -> Option<Range<usize>> {
        let over_approx = self.over_approx.as_ref().filter(|_| self.is_non_ascii);
        let (cache, terminator) = (&mut self.over_approx_cache, exact.ends.terminator);
        let mut search = |range: Range<usize>| {
            let Range { start, end } = range;
            let from = match over_approx {
                Some(over_approx) => over_approx.first(haystack, start..end, cache)?,
                None => start,
            };
            exact.find_in(haystack, from..end)
        };
        match (&mut self.needles, &self.reach) {
            _ if at > haystack.len() => None,
            (Some(Strategy::Packed(needles)), Some(reach)) if reach.has_end() => {
                let hint = &mut self.long_line;
                near_needles::find(needles, reach, haystack, terminator, at, hint, search)
            }
            _ => search(at..haystack.len()),
        }
    }
}

/// The cheapest search for needles such that every match of `hir` contains one. `hir` has these
/// `literals`.
fn needles_of(hir: &Hir, literals: &Literals) -> Option<Strategy> {
    let best = literals.best_by(cost::WHOLE_STOP);
    let folded = CaseFolded::of(hir).and_then(|folded| {
        let (set, cost) = Literals::of(&folded.hir).best_of_many(cost::WHOLE_STOP)?;
        Some((Many::of_folded(&set, &folded, false)?, cost))
    });
    match (best, folded) {
        (Some((_, cost)), Some((many, folded))) if folded < cost => Some(Strategy::Many(many)),
        (None, Some((many, _))) => Some(Strategy::Many(many)),
        (best, _) => Packed::of(&best?.0, false).map(Strategy::Packed),
    }
}
