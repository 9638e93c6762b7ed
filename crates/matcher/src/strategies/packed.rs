//! A search for a few needles by memchr, memmem or Teddy: `foo`, `foo|bar`, `\w+_init`.

use std::ops::Range;

use super::cost;
use super::expression::{Expression, MANY};
use super::line_finder::{Fallback, LineFinder, Traits};
use crate::literals::prefilter::{Prefilter, prefilter};

/// Looks for needles of which every match contains one.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    prefilter: Prefilter,
    is_exact: bool,
}

impl Packed {
    /// A search for `needles`, each of which is a match if that `is_exact`.
    pub(crate) fn of(needles: &[Vec<u8>], is_exact: bool) -> Option<Packed> {
        Some(Packed { prefilter: prefilter(needles)?, is_exact })
    }
}

impl LineFinder for Packed {
    fn cost(expression: &Expression<'_>) -> Option<f64> {
        let needles = expression.needles().filter(|needles| needles.set.len() < MANY)?;
        Some(needles.cost)
    }

    fn new(expression: &Expression<'_>) -> Option<Packed> {
        let needles = expression.needles()?;
        Packed::of(needles.set, needles.is_exact)
    }

    fn traits(&self) -> Traits {
        let fallback = if self.is_exact { Fallback::ExactBits } else { Fallback::WithoutLiterals };
        let least_spacing = cost::NEEDLE_SPACING;
        Traits { is_direct: true, least_spacing, fallback, ..Traits::of(self.is_exact) }
    }

    #[inline]
    fn find(&mut self, haystack: &[u8], lines: Range<usize>) -> Option<usize> {
        self.prefilter.find(haystack, lines).map(|needle| needle.start)
    }

    fn may_match(&mut self, haystack: &[u8], _: u8) -> bool {
        self.prefilter.find(haystack, 0..haystack.len()).is_some()
    }
}
