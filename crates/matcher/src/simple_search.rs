//! Searches that find an expression's matches without an automaton: a literal's, and in ASCII text
//! those of a few other forms.

use std::ops::Range;

use regex_syntax::hir::{Hir, HirKind};

use crate::class_run::{ClassRun, NotAscii};
use crate::gap::Gap;
use crate::literals::needle::Needle;

/// A search for an expression in one of these forms.
#[derive(Clone, Debug)]
pub(crate) enum SimpleSearch {
    /// `foo`
    Literal(Box<Needle>),
    /// `\w+`
    Run(ClassRun),
    /// `A.{1,200}?B`
    Gap(Box<Gap>),
}

impl SimpleSearch {
    /// `None` if `hir` is of another form.
    pub(crate) fn of(hir: &Hir) -> Option<SimpleSearch> {
        if let HirKind::Literal(literal) = hir.kind() {
            return Some(SimpleSearch::Literal(Box::new(Needle::new(&literal.0))));
        }
        let run = ClassRun::of(hir).map(SimpleSearch::Run);
        run.or_else(|| Gap::of(hir).map(Box::new).map(SimpleSearch::Gap))
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
            SimpleSearch::Literal(needle) => Ok(needle.find_at(haystack, at)),
            SimpleSearch::Run(run) => run.find(haystack, at),
            SimpleSearch::Gap(gap) => gap.find(haystack, at),
        }
    }

    /// Appends all matches in `line` to `spans`, from left to right. `false`, and none of them, if
    /// they have to be found one by one.
    pub(crate) fn find_all(&self, line: &[u8], spans: &mut Vec<Range<usize>>) -> bool {
        match self {
            SimpleSearch::Literal(needle) => {
                spans.extend(needle.find_all(line));
                true
            }
            SimpleSearch::Run(run) => run.find_all(line, spans).is_ok(),
            SimpleSearch::Gap(_) => false,
        }
    }

    /// The number of matches in `line`; `None` if they have to be found one by one.
    pub(crate) fn count(&self, line: &[u8]) -> Option<u64> {
        match self {
            SimpleSearch::Literal(needle) => Some(needle.find_all(line).count() as u64),
            SimpleSearch::Run(run) => run.count(line).ok(),
            SimpleSearch::Gap(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SimpleSearch;
    use crate::ascii_trial::{agrees_with_the_engine, refuses};

    #[test]
    fn literals_are_where_the_engine_finds_them() {
        let patterns = ["a", "ab", "aba", "é", "é-", r"(?-u:\xFF)"];
        let alphabets = [&["a", "b", " "][..], &["a", "b", "é", "-"]];
        let find = |search: &SimpleSearch, text: &[u8], at| {
            let mut all = Vec::new();
            assert!(search.find_all(&text[at..], &mut all));
            assert_eq!(search.count(&text[at..]), Some(all.len() as u64));
            let found = search.find(text, at);
            let first = all.first().map(|span| span.start + at..span.end + at);
            assert!(matches!(&found, Ok(found) if *found == first));
            assert!(all.iter().all(|span| {
                search
                    .find(text, at + span.start)
                    .is_ok_and(|found| found == Some(at + span.start..at + span.end))
            }));
            found
        };
        let (decided, matches) =
            agrees_with_the_engine(&patterns, alphabets, SimpleSearch::of, find);
        assert!(decided > 100_000 && matches > 10_000, "{decided} {matches}");
        refuses(&["", "^a", "ab|cd", "(?i)ab"], SimpleSearch::of);
    }
}
