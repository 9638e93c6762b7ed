//! Matches two literals with bytes from a class between them, as `A.{1,200}?B`.
//!
//! For a bounded repetition an automaton has as many states as there are ways to be within several
//! matches at once; those of a lazy DFA then overflow its cache again and again. A search for the
//! literals knows only where the next one is.
//!
//! Perf: see docs/decisions/0174-literals-with-a-gap.md.

use std::ops::Range;

use memchr::memmem;
use regex_syntax::hir::{Hir, HirKind, Repetition};

use crate::class_run::{Kind, NotAscii, kinds, without_captures};

/// An expression that matches a literal, between `min` and `max` bytes of a class, and another
/// literal.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    left: memmem::Finder<'static>,
    kinds: Box<[Kind; 256]>,
    min: usize,
    max: usize,
    right: memmem::Finder<'static>,
    /// For an expression that takes as many bytes of the class as it can.
    greedy: Option<memmem::FinderRev<'static>>,
}

/// How far a search for one match has looked. Each place is looked at once, as beginnings and ends
/// of gaps only move to the right.
#[derive(Default)]
struct Known {
    /// Where the second literal is next.
    right: usize,
    /// The class goes on up to here.
    members_to: usize,
    /// The byte there is known to be of another kind.
    is_end: bool,
}

impl Gap {
    /// `None` if `hir` is of another form.
    pub(crate) fn of(hir: &Hir) -> Option<Gap> {
        let HirKind::Concat(subs) = without_captures(hir).kind() else { return None };
        let [left, gap, right] = subs.as_slice() else { return None };
        let HirKind::Repetition(Repetition { min, max, greedy, sub }) =
            without_captures(gap).kind()
        else {
            return None;
        };
        let HirKind::Class(class) = without_captures(sub).kind() else { return None };
        let (left, right) = (literal(left)?, literal(right)?);
        Some(Gap {
            left: memmem::Finder::new(left).into_owned(),
            kinds: kinds(class),
            min: *min as usize,
            max: max.map_or(usize::MAX, |max| max as usize),
            right: memmem::Finder::new(right).into_owned(),
            greedy: greedy.then(|| memmem::FinderRev::new(right).into_owned()),
        })
    }

    /// The leftmost match in `haystack` that starts at or after `at`, which must not be beyond its
    /// end. An error if that depends on text that is not ASCII.
    pub(crate) fn find(
        &self,
        haystack: &[u8],
        at: usize,
    ) -> Result<Option<Range<usize>>, NotAscii> {
        let (mut from, mut known) = (at, Known::default());
        while let Some(offset) = self.left.find(&haystack[from..]) {
            let start = from + offset;
            let gap = start + self.left.needle().len();
            let Some(right) = known.right(self, haystack, gap.saturating_add(self.min)) else {
                break;
            };
            // The last place where the gap may end, as far as that makes a difference.
            let most = gap.saturating_add(self.max).min(haystack.len());
            let limit = if self.greedy.is_some() && right <= most { most } else { most.min(right) };
            let end = known.gap_end(self, haystack, gap, limit)?;
            if right <= end {
                let last = match &self.greedy {
                    None => right,
                    Some(last) => {
                        let window = &haystack[right..haystack.len().min(end + self.right_len())];
                        right + last.rfind(window).unwrap_or(0)
                    }
                };
                return Ok(Some(start..last + self.right_len()));
            }
            from = start + 1;
        }
        Ok(None)
    }

    fn right_len(&self) -> usize {
        self.right.needle().len()
    }
}

impl Known {
    /// The first place at or after `from` where the second literal is.
    fn right(&mut self, gap: &Gap, haystack: &[u8], from: usize) -> Option<usize> {
        if self.right < from {
            self.right = from + gap.right.find(haystack.get(from..)?)?;
        }
        Some(self.right)
    }

    /// Where the bytes of the class from `from` on end, but `limit` at most.
    fn gap_end(
        &mut self,
        gap: &Gap,
        haystack: &[u8],
        from: usize,
        limit: usize,
    ) -> Result<usize, NotAscii> {
        if self.members_to < from {
            *self = Known { members_to: from, is_end: false, ..*self };
        }
        if !self.is_end && self.members_to < limit {
            let kind = |byte: &u8| gap.kinds[usize::from(*byte)];
            let unknown = &haystack[self.members_to..limit];
            let other = unknown.iter().position(|byte| kind(byte) != Kind::Member);
            self.members_to += other.unwrap_or(unknown.len());
            self.is_end = other.is_some();
            if other.is_some_and(|n| kind(&unknown[n]) == Kind::Unknown) {
                return Err(NotAscii);
            }
        }
        Ok(self.members_to.min(limit))
    }
}

/// The bytes of a literal, at least one.
fn literal(hir: &Hir) -> Option<&[u8]> {
    match without_captures(hir).kind() {
        HirKind::Literal(literal) => Some(&literal.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Gap;
    use crate::ascii_trial::{agrees_with_the_engine, refuses};

    #[test]
    fn gaps_are_the_matches_of_the_engine() {
        const PATTERNS: [&str; 14] = [
            "(?s)A.{1,4}?B",
            "(?s)A.{0,2}B",
            "A.*?B",
            "A.*B",
            "A.+?A",
            "A.{2}B",
            "AA.{1,3}?AB",
            "(A)([b ]*?)(B)",
            "A[^b]{2,}B",
            "A[é-ü]*B",
            "(?s-u:A.{1,3}?B)",
            r"é.{1,3}?B",
            "A.{1,3}?é",
            r"B\w{1,5}A",
        ];
        let alphabets: [&[&str]; 2] =
            [&["A", "B", "A", " ", "b", "\n"], &["A", "B", "b", " ", "é"]];
        let (decided, matches) = agrees_with_the_engine(&PATTERNS, alphabets, Gap::of, Gap::find);
        assert!(decided > 300_000 && matches > 50_000, "{decided} {matches}");
    }

    #[test]
    fn other_expressions_are_none() {
        refuses(&["", "AB", "A.*", "A.*B|C", "A.B", r"A\b.*B", "A(?:bc)*B", "A.*B.*C"], Gap::of);
    }
}
