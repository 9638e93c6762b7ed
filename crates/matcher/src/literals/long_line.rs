//! Needles in long lines: a test of those that may match, and the search for matches near them.
//!
//! The search for lines prefers needles that are fast to look for, as `reg` for
//! `(?i)register_netdev\s*\(`, since the engine decides on a line in little time. It does not if a
//! line has many KiB, and one that contains such a needle somewhere is not rare then.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_syntax::hir::Hir;

use super::prefilter::{Prefilter, prefilter};
use super::required::Literals;
use crate::near::{Around, find_near};

/// A line with this many bytes takes the engine tens of times as long as the test.
const LONG_LINE_BYTES: usize = 4 << 10;

/// Bytes of the longest match that is looked for near needles.
const MAX_MATCH_BYTES: usize = 1 << 10;

/// A search for needles, prepared for the first long line. Every match contains a needle.
#[derive(Clone, Debug)]
pub(crate) struct LongLineTest(Arc<Lazy>);

#[derive(Debug)]
struct Lazy {
    hir: Arc<Hir>,
    needles: OnceLock<Option<Needles>>,
    /// Bytes of the longest match, if they are few.
    longest: Option<usize>,
}

#[derive(Debug)]
struct Needles {
    search: Prefilter,
    /// Every match begins with a literal, which the engine looks for.
    are_beginnings: bool,
}

impl LongLineTest {
    /// The test for lines in which `hir` matches.
    pub(crate) fn of(hir: &Arc<Hir>) -> LongLineTest {
        let longest = hir.properties().maximum_len().filter(|longest| *longest <= MAX_MATCH_BYTES);
        let hir = Arc::clone(hir);
        LongLineTest(Arc::new(Lazy { hir, needles: OnceLock::new(), longest }))
    }

    /// The leftmost match in `line` that begins at or after `at`, if that is found sooner near
    /// needles. `search` finds the leftmost match in a range.
    #[inline]
    pub(crate) fn find(
        &self,
        line: &[u8],
        at: usize,
        search: impl FnMut(Range<usize>) -> Option<Range<usize>>,
    ) -> Option<Option<Range<usize>>> {
        if line.len() < LONG_LINE_BYTES { None } else { self.find_near_needles(line, at, search) }
    }

    #[cold]
    fn find_near_needles(
        &self,
        line: &[u8],
        at: usize,
        search: impl FnMut(Range<usize>) -> Option<Range<usize>>,
    ) -> Option<Option<Range<usize>>> {
        let (longest, needles) = (self.0.longest?, self.needles()?);
        if needles.are_beginnings {
            return None;
        }
        let around = |from: usize, needle: usize| {
            let begin = from.max(needle.saturating_sub(longest));
            let next = needle + 1;
            Some(Around { begin, next, end: line.len().min(next + longest) })
        };
        let needle = |range| needles.search.find(line, range).map(|needle| needle.start);
        Some(find_near(line, at, needle, around, search))
    }

    fn needles(&self) -> Option<&Needles> {
        let Lazy { hir, needles, .. } = &*self.0;
        let new = || {
            let search = prefilter(&Literals::best_in_long_line(hir)?)?;
            let required = Literals::of(hir);
            let are_beginnings = required.prefix().iter().all(|literal| !literal.is_empty());
            Some(Needles { search, are_beginnings })
        };
        needles.get_or_init(new).as_ref()
    }

    /// Whether it is worth it and shows that nothing in `line` can match.
    #[inline]
    pub(crate) fn rules_out(&self, line: &[u8]) -> bool {
        line.len() >= LONG_LINE_BYTES && !self.is_needle_in(line)
    }

    #[cold]
    fn is_needle_in(&self, line: &[u8]) -> bool {
        self.needles().is_none_or(|needles| needles.search.find(line, 0..line.len()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use regex_automata::{Input, meta};

    use super::*;
    use crate::{Matcher, MatcherConfig};

    #[test]
    fn a_long_line_without_a_rare_needle_is_ruled_out() {
        let test = |pattern| LongLineTest::of(&Arc::new(regex_syntax::parse(pattern).unwrap()));
        let line = |needle: &str| "x".repeat(LONG_LINE_BYTES) + needle;
        for (pattern, in_line, out) in [
            (r"(?i)register_netdev\s*\(", "Register_NetDev x", "registers"),
            (r".{10,}\p{Greek}{2}pse36", "pse36", "pse"),
            (r"(?:foo|quuxly)\d", "foo", "quux"),
        ] {
            let test = test(pattern);
            assert!(!test.rules_out(line(in_line).as_bytes()), "{pattern}");
            assert!(test.rules_out(line(out).as_bytes()), "{pattern}");
            assert!(!test.rules_out(b"short"), "{pattern}");
        }
        assert!(!test(r"\w+").rules_out(line(" ").as_bytes()), "it has no needles");
        assert!(!test("(?i)a{3}b*").rules_out(line("aaA").as_bytes()));
    }

    #[test]
    fn matches_near_needles_are_those_of_the_engine() {
        let patterns = [
            ".{0,20}zx.{0,20}",
            r"[ab]{1,5}(?:zx|kz)\b",
            r"(?i)\w{0,3}kzx",
            "é?.{1,4}zx",
            r"(?:a|b.{3}){1,2}kz",
            r"\B[^x]{2,9}?zx$",
        ];
        let pieces = ["a", "b", "k", "kz", "zx", "Zx", " ", "é", "x"];
        let mut rng = fastrand::Rng::with_seed(22);
        let mut total = 0;
        for pattern in patterns {
            let mut finder = Matcher::new([pattern], &MatcherConfig::default()).unwrap().finder();
            let regex = meta::Regex::new(pattern).unwrap();
            for round in 0..40 {
                // Needles are everywhere, or rare.
                let rare = if round % 2 == 0 { 1 } else { 300 };
                let mut line = String::new();
                while line.len() < LONG_LINE_BYTES + 500 {
                    let is_any = rng.usize(..rare) == 0;
                    line += if is_any { pieces[rng.usize(..pieces.len())] } else { "b" };
                }
                let mut at = 0;
                loop {
                    let expected = regex.find(Input::new(&line).range(at..)).map(|m| m.range());
                    let found = finder.find_at(line.as_bytes(), at);
                    assert_eq!(found, expected, "{pattern} at {at} of {line}");
                    let Some(found) = found else { break };
                    at = found.end;
                    total += 1;
                }
            }
        }
        assert!(total > 2000, "{total}");
    }
}
