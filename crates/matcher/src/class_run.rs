//! Matches of one class of bytes, repeated or not, as `\w+`, `\d`, `[0-9a-f]{8}`.
//!
//! A regex engine runs two automata for each match: one to find its end, one to find its start. For
//! these expressions a table of the class does, in ASCII text, and matches are often millions.

use std::ops::Range;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// An expression that matches between `min` and `max` bytes of a class, as many as there are.
#[derive(Clone, Debug)]
pub(crate) struct ClassRun {
    kinds: Box<[Kind; 256]>,
    min: usize,
    max: usize,
}

/// What is known of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Other,
    Member,
    /// A part of a character that may be a member or not.
    Unknown,
}

impl ClassRun {
    /// `None` if `hir` is of another form.
    pub(crate) fn of(hir: &Hir) -> Option<ClassRun> {
        match hir.kind() {
            HirKind::Capture(capture) => ClassRun::of(&capture.sub),
            HirKind::Class(class) => Some(ClassRun { kinds: kinds(class), min: 1, max: 1 }),
            HirKind::Repetition(Repetition { min: min @ 1.., max, greedy: true, sub }) => {
                let HirKind::Class(class) = without_captures(sub).kind() else { return None };
                let max = max.map_or(usize::MAX, |max| max as usize);
                Some(ClassRun { kinds: kinds(class), min: *min as usize, max })
            }
            _ => None,
        }
    }

    /// The leftmost match in `haystack` that starts at or after `at`, which must not be beyond its
    /// end. An error if that depends on text that is not ASCII.
    #[inline]
    pub(crate) fn find(
        &self,
        haystack: &[u8],
        at: usize,
    ) -> Result<Option<Range<usize>>, NotAscii> {
        let mut from = at;
        loop {
            let text = &haystack[from..];
            let Some(first) = text.iter().position(|byte| self.kind(*byte) != Kind::Other) else {
                return Ok(None);
            };
            let rest = &text[first..];
            let most = &rest[..rest.len().min(self.max)];
            let len = most.iter().take_while(|byte| self.kind(**byte) == Kind::Member).count();
            if most.get(len).is_some_and(|byte| self.kind(*byte) == Kind::Unknown) {
                return Err(NotAscii);
            }
            let start = from + first;
            if len >= self.min {
                return Ok(Some(start..start + len));
            }
            // No match starts within a run that is too short.
            from = start + len;
        }
    }

    #[inline]
    fn kind(&self, byte: u8) -> Kind {
        self.kinds[usize::from(byte)]
    }
}

/// A search came to a byte that is not ASCII.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotAscii;

/// `hir`, or what its groups hold.
pub(crate) fn without_captures(hir: &Hir) -> &Hir {
    match hir.kind() {
        HirKind::Capture(capture) => without_captures(&capture.sub),
        _ => hir,
    }
}

/// What is known of each byte as a member of `class`.
pub(crate) fn kinds(class: &Class) -> Box<[Kind; 256]> {
    let mut kinds = Box::new([Kind::Other; 256]);
    match class {
        Class::Bytes(class) => {
            for range in class.iter() {
                kinds[usize::from(range.start())..=usize::from(range.end())].fill(Kind::Member);
            }
        }
        Class::Unicode(class) => {
            for range in class.iter() {
                let bytes = |c: char| u8::try_from(c).unwrap_or(u8::MAX).into();
                kinds[bytes(range.start())..=bytes(range.end())].fill(Kind::Member);
            }
            let is_ascii = class.iter().all(|range| range.end().is_ascii());
            let others = if is_ascii { Kind::Other } else { Kind::Unknown };
            kinds[0x80..].fill(others);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::ClassRun;
    use crate::ascii_trial::{agrees_with_the_engine, refuses};

    #[test]
    fn runs_are_the_matches_of_the_engine() {
        const PATTERNS: [&str; 12] = [
            r"\w+",
            r"\d",
            r"(\w)+",
            "([a-f]{2,3})",
            r"\s{2,}",
            "[^a]+",
            r"(?s-u:.){3}",
            "(?-u)[^a]",
            r"\W",
            "[é-ü]+",
            "[aé]",
            r"(?-u)\w+",
        ];
        let alphabets: [&[&str]; 2] =
            [&["a", "b", "1", " ", "g", "\n"], &["a", "b", "1", " ", "é", "ß"]];
        let (decided, matches) =
            agrees_with_the_engine(&PATTERNS, alphabets, ClassRun::of, ClassRun::find);
        assert!(decided > 100_000 && matches > 50_000, "{decided} {matches}");
    }

    #[test]
    fn other_expressions_are_none() {
        refuses(&["", "a", r"\w*", r"\w+?", r"\w+ ", r"\b\w", r"\w|\s\d", r"(\w+)+"], ClassRun::of);
    }
}
