//! A test of long lines that may match.
//!
//! The search for lines prefers needles that are fast to look for, as `reg` for
//! `(?i)register_netdev\s*\(`, since the engine decides on a line in little time. It does not if a
//! line has many KiB, and one that contains such a needle somewhere is not rare then.

use std::sync::{Arc, OnceLock};

use regex_syntax::hir::Hir;

use super::prefilter::{Prefilter, prefilter};
use super::required::Required;

/// Bytes of a line for which the engine takes tens of times as long as the test.
const LONG: usize = 4 << 10;

/// A search for needles of which every match contains one, prepared for the first long line.
#[derive(Clone, Debug)]
pub(crate) struct LongLineTest(Arc<Lazy>);

#[derive(Debug)]
struct Lazy {
    hir: Arc<Hir>,
    search: OnceLock<Option<Prefilter>>,
}

impl LongLineTest {
    /// The test for lines in which `hir` matches.
    pub(crate) fn of(hir: &Arc<Hir>) -> LongLineTest {
        LongLineTest(Arc::new(Lazy { hir: Arc::clone(hir), search: OnceLock::new() }))
    }

    /// Whether it is worth it and shows that nothing in `line` can match.
    #[inline]
    pub(crate) fn rules_out(&self, line: &[u8]) -> bool {
        line.len() >= LONG && !self.is_needle_in(line)
    }

    #[cold]
    fn is_needle_in(&self, line: &[u8]) -> bool {
        let Lazy { hir, search } = &*self.0;
        let search = search.get_or_init(|| prefilter(&Required::best_in_long_line(hir)?));
        search.as_ref().is_none_or(|search| search.find(line, 0..line.len()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_without_a_rare_needle_is_ruled_out() {
        let test = |pattern| LongLineTest::of(&Arc::new(regex_syntax::parse(pattern).unwrap()));
        let line = |needle: &str| "x".repeat(LONG) + needle;
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
}
