//! Literals that every match contains, so that a search for them can skip most of a text. For
//! `(foo|bar)baz\d` that is `baz`.
//!
//! The method is Russ Cox's, "Regular Expression Matching with a Trigram Index" (2012). Each
//! sub-expression is described by the strings that it matches (if they are few), the strings that
//! its matches begin and end with, and the best set of strings such that one must be inside. The
//! result is one set of needles, not a query of trigrams; the cheapest is chosen, by how rare the
//! needles are expected to be. `(foo|bar)\w+` has the needles `foo` and `bar`.

use memchr::memmem;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::sets::{
    MAX_NEEDLES, Set, Slices, cheapest, cross, cross_near, extend_left, extend_right, first, last,
    shorten, slices, tidy, windows,
};
use crate::strategies::cost;

/// Needles of an alternation.
const MAX_ALTERNATIVES: usize = 100_000;
/// Characters of a class that is spelled out.
const MAX_CLASS: u32 = 16;
/// How many parts of a concatenation are examined. A line of text in either case may have hundreds,
/// and each takes microseconds.
const MAX_PARTS: usize = 64;
/// Copies of a repeated expression that are examined.
const MAX_COPIES: u32 = 8;

/// What it costs to look for a set.
type Price = fn(&[&[u8]]) -> f64;

/// What is known of the literals in an expression.
#[derive(Clone, Debug)]
pub(crate) struct Literals {
    /// Whether `prefix` is the whole set of strings that match, look-around left aside.
    exact: bool,
    /// Every match begins with one of these.
    prefix: Set,
    /// Every match ends with one of these. Unused if exact.
    suffix: Set,
    /// Every match contains one of these: the best set met on the way. Unused if exact.
    inner: Option<Set>,
}

impl Literals {
    /// Collects the literals of `hir`.
    pub(crate) fn of(hir: &Hir) -> Literals {
        Literals::priced(hir, |set| cost::needles(set))
    }

    /// Needles such that every match of `hir` contains one: the set that costs least to look for
    /// where a long line is searched after each stop.
    pub(crate) fn best_in_long_line(hir: &Hir) -> Option<Set> {
        let price: Price = |set| cost::needles_with_stops(set, cost::LONG_LINE_STOP);
        Some(Literals::priced(hir, price).cheapest(price)?.0)
    }

    fn priced(hir: &Hir, price: Price) -> Literals {
        let of = |hir| Literals::priced(hir, price);
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Literals::exactly(vec![Vec::new()]),
            HirKind::Literal(literal) => Literals::exactly(vec![literal.0.to_vec()]),
            HirKind::Class(class) => {
                spell_out(class).map_or(Literals::unknown(), Literals::exactly)
            }
            HirKind::Repetition(repetition) => Literals::repeated(repetition, price),
            HirKind::Capture(capture) => of(&capture.sub),
            HirKind::Concat(subs) => {
                let (first, rest) = subs.split_at(subs.len().min(MAX_PARTS));
                let parts = first.iter().map(of);
                let nothing = Literals::exactly(vec![Vec::new()]);
                let known = parts.fold(nothing, |known, next| known.then(next, price));
                if rest.is_empty() { known } else { known.then(Literals::unknown(), price) }
            }
            // To look at thousands of folded words would take longer than to compile them, for
            // needles that are too many and too short.
            HirKind::Alternation(subs)
                if subs.len() > MAX_NEEDLES
                    && !subs.iter().all(|sub| matches!(sub.kind(), HirKind::Literal(_))) =>
            {
                Literals::unknown()
            }
            HirKind::Alternation(subs) => Literals::any(subs.iter().map(of).collect(), price),
        }
    }

    /// All strings that the expression matches, if they are few, regardless of look-around.
    pub(crate) fn exact(&self) -> Option<&[Vec<u8>]> {
        if self.exact { Some(&self.prefix) } else { None }
    }

    /// Whether it is certain that nothing matches: there is no string to begin with.
    pub(crate) fn is_impossible(&self) -> bool {
        self.prefix.is_empty()
    }

    /// The literals that matches begin with: every match begins with one, which may be empty.
    pub(crate) fn prefix(&self) -> &[Vec<u8>] {
        &self.prefix
    }

    /// The cheapest needles such that every match contains one, and what it costs to look for them.
    pub(crate) fn best(&self) -> Option<(Set, f64)> {
        self.best_by(cost::STOP)
    }

    /// The cheapest needles where a stop costs `stop` nanoseconds, and what it costs to look for
    /// them.
    pub(crate) fn best_by(&self, stop: f64) -> Option<(Set, f64)> {
        self.cheapest(|set| cost::needles_with_stops(set, stop))
    }

    /// Other needles such that every match contains one: the cheapest that have nothing in common
    /// with `needles`.
    pub(crate) fn best_beside(&self, needles: &[Vec<u8>]) -> Option<Set> {
        let is_within = |a: &[u8], b: &[u8]| memmem::find(b, a).is_some();
        let is_apart = |a: &[u8]| needles.iter().all(|b| !is_within(a, b) && !is_within(b, a));
        let apart = self.windows().filter(|set| set.iter().all(|needle| is_apart(needle)));
        Some(cheapest(apart, |set| cost::needles(set))?.0)
    }

    fn cheapest(&self, price: impl Fn(&[&[u8]]) -> f64) -> Option<(Set, f64)> {
        cheapest(self.windows(), price)
    }

    /// The cheapest needles for the [search for many](crate::strategies::many), and what it costs
    /// to look for them.
    pub(crate) fn best_of_many(&self, stop: f64) -> Option<(Set, f64)> {
        let priced = self.candidates().map(|set| (set, cost::many(set, stop)));
        let (set, cost) = priced.min_by(|a, b| a.1.total_cmp(&b.1))?;
        cost.is_finite().then(|| (set.clone(), cost))
    }

    fn exactly(set: Set) -> Literals {
        Literals { exact: true, prefix: set, suffix: Vec::new(), inner: None }
    }

    fn unknown() -> Literals {
        let nothing = vec![Vec::new()];
        Literals { exact: false, prefix: nothing.clone(), suffix: nothing, inner: None }
    }

    /// Whether it matches the empty string alone.
    fn is_empty(&self) -> bool {
        self.exact && self.prefix.len() == 1 && self.prefix[0].is_empty()
    }

    /// The sets of strings such that every match contains a member.
    fn candidates(&self) -> impl Iterator<Item = &Set> {
        let suffix = if self.exact { None } else { Some(&self.suffix) };
        [Some(&self.prefix), suffix, self.inner.as_ref()].into_iter().flatten()
    }

    /// The needles that can be searched for in place of the literals.
    fn windows(&self) -> impl Iterator<Item = Slices<'_>> {
        self.candidates().flat_map(|set| windows(set, &[3, 4, 6]))
    }

    fn ends(&self) -> &Set {
        if self.exact { &self.prefix } else { &self.suffix }
    }

    /// These literals, for an expression with something unknown inside.
    fn inexact(mut self) -> Literals {
        if self.exact {
            self.exact = false;
            self.suffix = self.prefix.clone();
        }
        self
    }

    /// This expression followed by `next`.
    fn then(self, next: Literals, price: Price) -> Literals {
        if self.is_empty() {
            return next;
        }
        if next.is_empty() {
            return self;
        }
        if self.exact
            && next.exact
            && let Some(set) = cross(&self.prefix, &next.prefix)
        {
            return Literals::exactly(set);
        }
        let seam = cross_near(self.ends(), &next.prefix);
        // Exact parts end here and are examined now; others have been, as they grew.
        let closely = [&self, &next].into_iter().filter(|part| part.exact);
        let windows = closely
            .flat_map(|part| windows(&part.prefix, &[3, 4, 6]))
            .chain(windows(&seam, &[3, 4]))
            .chain([&self, &next].into_iter().filter_map(|part| part.inner.as_ref().map(slices)));
        let inner = cheapest(windows, price).map(|(set, _)| set);
        let suffix = if next.exact { extend_left(self.ends(), &next.prefix) } else { next.suffix };
        let prefix = match self.exact {
            true => extend_right(&self.prefix, &next.prefix),
            false => self.prefix,
        };
        Literals { exact: false, prefix, suffix, inner }
    }

    /// One of `branches`.
    fn any(branches: Vec<Literals>, price: Price) -> Literals {
        if branches.iter().all(|b| b.exact) {
            let set = tidy(branches.iter().flat_map(|b| b.prefix.iter().cloned()).collect());
            if set.len() <= MAX_ALTERNATIVES {
                return Literals::exactly(set);
            }
        }
        let mut inner = Some(Set::new());
        for branch in &branches {
            inner = match (inner, branch.cheapest(price)) {
                (Some(mut all), Some((set, _))) if all.len() < MAX_ALTERNATIVES => {
                    all.extend(set);
                    Some(all)
                }
                _ => None,
            };
        }
        let ends = branches.iter().flat_map(|b| b.ends().iter().cloned()).collect();
        let suffix = shorten(tidy(ends), last);
        let prefix = branches.into_iter().flat_map(|b| b.prefix).collect();
        let prefix = shorten(tidy(prefix), first);
        Literals { exact: false, prefix, suffix, inner: inner.map(tidy) }
    }

    fn repeated(repetition: &Repetition, price: Price) -> Literals {
        let sub = Literals::priced(&repetition.sub, price);
        if repetition.min == 0 {
            return match (repetition.max, sub.exact()) {
                (Some(0), _) => Literals::exactly(vec![Vec::new()]),
                (Some(1), Some(_)) => {
                    Literals::any(vec![sub, Literals::exactly(vec![Vec::new()])], price)
                }
                _ => Literals::unknown(),
            };
        }
        let copies = repetition.min.min(MAX_COPIES);
        let whole = copies == repetition.min && repetition.max == Some(repetition.min);
        let known = (1..copies).fold(sub.clone(), |known, _| known.then(sub.clone(), price));
        if whole { known } else { known.inexact() }
    }
}

/// The members of a small class, encoded.
fn spell_out(class: &Class) -> Option<Set> {
    let mut set = Set::new();
    // Both kinds of ranges are given by their ends, inclusive.
    let few = |ranges: &mut dyn Iterator<Item = (u32, u32)>| {
        ranges.map(|(start, end)| end - start + 1).sum::<u32>() <= MAX_CLASS
    };
    match class {
        Class::Unicode(class) => {
            if !few(&mut class.iter().map(|r| (r.start().into(), r.end().into()))) {
                return None;
            }
            let members = class.iter().flat_map(|r| r.start()..=r.end());
            set.extend(members.map(|c| c.to_string().into_bytes()));
        }
        Class::Bytes(class) => {
            if !few(&mut class.iter().map(|r| (r.start().into(), r.end().into()))) {
                return None;
            }
            let members = class.iter().flat_map(|r| r.start()..=r.end());
            set.extend(members.map(|b| vec![b]));
        }
    }
    Some(tidy(set))
}

#[cfg(test)]
mod tests {
    use super::{Literals, Set};

    fn required(pattern: &str) -> Literals {
        Literals::of(&regex_syntax::parse(pattern).unwrap())
    }

    #[test]
    fn many_that_begin_or_end_alike_are_looked_for_by_that() {
        for (pattern, most) in [("zqxv_{}", 1), ("{}_VXQZ", 1), ("{}_VXQZ_{}", 100)] {
            let words = (0..100).map(|n| pattern.replace("{}", &format!("{n:02}")));
            let words = words.collect::<Vec<_>>().join("|");
            for line in [words.clone(), format!(r"\b(?:{words})\b")] {
                let (set, _) = required(&line).best().unwrap();
                assert_eq!(set.len(), most, "{pattern}: {set:?}");
            }
        }
    }

    #[test]
    fn other_needles_have_nothing_in_common() {
        for (pattern, expected) in [
            ("DCN.*MASK", &["DCN"][..]),
            ("MASK.*DCN|MASK.*VLINE", &["DCN", "VLINE"]),
            (r"DCN\w+_MASK|DCN3.*_MASK", &["DCN"]),
            (r"MASK\w", &[]),
            ("MAS.*MASK", &[]),
        ] {
            let required = required(pattern);
            let (best, _) = required.best().unwrap();
            let beside = required.best_beside(&best).unwrap_or_default();
            let expected: Set = expected.iter().map(|needle| needle.as_bytes().to_vec()).collect();
            assert_eq!(beside, expected, "{pattern}, {best:?}");
        }
    }

    #[test]
    fn long_lines_are_looked_at_in_part() {
        let required = required(&("(?i)a_needle".to_owned() + &" and more of it".repeat(30)));
        assert!(required.exact().is_none());
        let (set, cost) = required.best().unwrap();
        assert!(!set.is_empty() && cost < 1.0, "{set:?} {cost}");
    }
}
