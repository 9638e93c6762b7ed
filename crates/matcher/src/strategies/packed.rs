//! A search for a few needles by memchr, memmem or Teddy: `foo`, `foo|bar`, `\w+_init`.

use std::{mem, ops::Range};

use super::budget::Budget;
use super::cost;
use super::expression::{Expression, Needles};
use super::line_finder::{LineFinder, Traits};
use crate::literals::prefilter::{Prefilter, prefilter};

/// Looks for needles such that every match contains one.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    prefilter: Prefilter,
    is_exact: bool,
    rival: Option<Rival>,
}

impl Packed {
    /// A search for `needles`. Each is a match if the search `is_exact`.
    pub(crate) fn of(needles: &[Vec<u8>], is_exact: bool) -> Option<Packed> {
        Some(Packed { prefilter: prefilter(needles)?, is_exact, rival: None })
    }

    /// A search for `needles` of `expression`. Where other needles are rarer, it looks for those.
    pub(super) fn new(needles: Needles<'_>, expression: &Expression<'_>) -> Option<Packed> {
        let packed = Packed::of(needles.set, needles.is_exact)?;
        let others = || expression.literals().best_beside(needles.set).map(Rival::new);
        Some(Packed { rival: if needles.is_exact { None } else { others() }, ..packed })
    }
}

/// Other needles such that every match contains one. They are looked for where they are rarer than
/// the needles that were expected to be, as `DCN` is in a text full of `MASK` for `DCN.*MASK`.
#[derive(Clone, Debug)]
struct Rival {
    needles: Vec<Vec<u8>>,
    /// The search for the needles that are not looked for now, once they have been.
    prefilter: Option<Prefilter>,
    /// How far apart that search's stops were when it was last used, in bytes in the mean, twice as
    /// much after each decision against it: the text may be another by then. That is no number of
    /// bytes to spend, but what the search in use is compared with.
    other_spacing: usize,
    /// The stops of the search that is used.
    stops: Budget<{ Rival::STOPS_PER_DECISION }>,
}

impl Rival {
    /// Stops between two decisions (docs/decisions/0154-the-rarer-of-two-needles.md).
    const STOPS_PER_DECISION: usize = 64;
    /// The mean distance of stops, in bytes, from which on they cost too little to look for less;
    /// from the same record.
    const RARE_SPACING: usize = 4 << 10;

    fn new(needles: Vec<Vec<u8>>) -> Rival {
        Rival { needles, prefilter: None, other_spacing: usize::MAX, stops: Budget::default() }
    }

    /// Records that the search `used` has stopped after `skipped` bytes, and replaces it where the
    /// other one is expected to stop less often.
    #[inline]
    fn stopped_after(&mut self, skipped: usize, used: &mut Prefilter) {
        if let Some(spacing) = self.stops.tried(skipped) {
            self.decide(spacing, used);
        }
    }

    #[cold]
    fn decide(&mut self, spacing: usize, used: &mut Prefilter) {
        if spacing >= self.other_spacing.min(Rival::RARE_SPACING) {
            self.other_spacing = self.other_spacing.saturating_mul(2);
            return;
        }
        if let Some(other) = self.prefilter.take().or_else(|| prefilter(&self.needles)) {
            self.prefilter = Some(mem::replace(used, other));
            self.other_spacing = spacing;
        }
    }
}

impl LineFinder for Packed {
    fn traits(&self) -> Traits {
        let least_spacing =
            if self.is_exact { cost::EXACT_NEEDLE_SPACING } else { cost::NEEDLE_SPACING };
        Traits { is_direct: true, least_spacing, ..Traits::of(self.is_exact) }
    }

    #[inline]
    fn find(&mut self, haystack: &[u8], lines: Range<usize>) -> Option<usize> {
        let Range { start, end } = lines;
        let found = self.prefilter.find(haystack, lines).map(|needle| needle.start);
        if let Some(rival) = &mut self.rival {
            match found {
                Some(at) => rival.stopped_after(at - start, &mut self.prefilter),
                None => rival.stops.won(end - start),
            }
        }
        found
    }

    fn may_match(&mut self, haystack: &[u8], _: u8) -> bool {
        self.prefilter.find(haystack, 0..haystack.len()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_needles_that_are_rarer_in_the_text_are_looked_for() {
        let [masks, units] = ["a MASK\n", "a DCN\n"].map(|line| line.repeat(4000));
        let text = [&masks, "DCN MASK\n", &units, "DCN MASK\n", &masks, "DCN MASK\n"].concat();
        let set = |needle: &str| vec![needle.as_bytes().to_vec()];
        let rival = Some(Rival::new(set("DCN")));
        let mut packed = Packed { rival, ..Packed::of(&set("MASK"), false).unwrap() };
        let (mut at, mut stops, mut both) = (0, 0, 0);
        while let Some(hit) = packed.find(text.as_bytes(), at..text.len()) {
            let begin = text[..hit].rfind('\n').map_or(0, |i| i + 1);
            at = hit + text[hit..].find('\n').unwrap();
            both += usize::from(&text[begin..at] == "DCN MASK");
            stops += 1;
        }
        assert_eq!(both, 3, "every line with both needles is a hit");
        assert!(stops < 8 * Rival::STOPS_PER_DECISION, "{stops} of 12,003 lines");
    }
}
