//! Finds matches of one byte class, repeated or not, as `\w+`, `\d`, `[0-9a-f]{8}`.
//!
//! A regex engine runs two automata for each match: one to find its end, one to find its start. For
//! these expressions a table of the class does, in ASCII text, and matches are often millions. All
//! matches of a line are found by a bit for each byte: whether it is a member.

use std::ops::Range;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::strategies::bit_parallel::{self, BITS, is_fast, mark};

/// Words of bits that are computed at once: few lines are longer.
const WORDS_AT_ONCE: usize = 4;

/// An expression that matches between `min` and `max` bytes of a class, as many as there are.
#[derive(Clone, Debug)]
pub(crate) struct ClassRun {
    kinds: Box<[Kind; 256]>,
    /// The members that are ASCII.
    members: bit_parallel::Class,
    /// Whether no other byte is a part of one.
    is_ascii: bool,
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
            HirKind::Class(class) => Some(ClassRun::new(class, 1, 1)),
            HirKind::Repetition(Repetition { min: min @ 1.., max, greedy: true, sub }) => {
                let HirKind::Class(class) = without_captures(sub).kind() else { return None };
                let max = max.map_or(usize::MAX, |max| max as usize);
                Some(ClassRun::new(class, *min as usize, max))
            }
            _ => None,
        }
    }

    fn new(class: &Class, min: usize, max: usize) -> ClassRun {
        let kinds = kinds(class);
        let is_member = |byte: u8| kinds[usize::from(byte)] == Kind::Member;
        let members = bit_parallel::Class::new(is_member);
        let is_ascii = kinds[0x80..].iter().all(|kind| *kind == Kind::Other);
        ClassRun { kinds, members, is_ascii, min, max }
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

    /// Appends all matches in `line` to `spans`, from left to right. An error, and none of them, if
    /// they depend on text that is not ASCII.
    pub(crate) fn find_all(
        &self,
        line: &[u8],
        spans: &mut Vec<Range<usize>>,
    ) -> Result<(), NotAscii> {
        self.runs(line, |Range { mut start, end }| {
            while end - start >= self.min {
                let len = self.max.min(end - start);
                spans.push(start..start + len);
                start += len;
            }
        })
    }

    /// The number of matches in `line`. An error if it depends on text that is not ASCII.
    pub(crate) fn count(&self, line: &[u8]) -> Result<u64, NotAscii> {
        let (mut count, mut before) = (0, 0);
        match (self.min, self.max) {
            (1, 1) => self.words(line, |_, members| count += members.count_ones() as usize)?,
            (1, usize::MAX) => self.words(line, |_, members| {
                count += (members & !(members << 1 | before)).count_ones() as usize;
                before = members >> (BITS - 1);
            })?,
            (min, max) => self.runs(line, |run| {
                count += run.len() / max + usize::from(run.len() % max >= min);
            })?,
        }
        Ok(count as u64)
    }

    /// Calls `each` with each run of members in `line`, which is as long as can be. An error if
    /// that depends on text that is not ASCII.
    #[inline(always)]
    fn runs(&self, line: &[u8], mut each: impl FnMut(Range<usize>)) -> Result<(), NotAscii> {
        let (mut begun, mut before) = (None, 0);
        self.words(line, |base, members| {
            // Where runs begin and end, in turn.
            let mut borders = members ^ (members << 1 | before);
            before = members >> (BITS - 1);
            while borders != 0 {
                let place = base + borders.trailing_zeros() as usize;
                borders &= borders - 1;
                match begun.take() {
                    None => begun = Some(place),
                    Some(start) => each(start..place),
                }
            }
        })?;
        if let Some(start) = begun {
            each(start..line.len());
        }
        Ok(())
    }

    /// Calls `each` with where 64 bytes of `line` begin, and a bit for each member among them. An
    /// error if the members depend on text that is not ASCII.
    #[inline(always)]
    fn words(&self, line: &[u8], mut each: impl FnMut(usize, u64)) -> Result<(), NotAscii> {
        if !is_fast() || !self.is_ascii && !line.is_ascii() {
            return Err(NotAscii);
        }
        for (n, piece) in line.chunks(WORDS_AT_ONCE * BITS).enumerate() {
            let mut words = [0; WORDS_AT_ONCE];
            let words = &mut words[..piece.len().div_ceil(BITS)];
            mark(&self.members, piece, 0, words);
            if let (Some(last), behind @ 1..) = (words.last_mut(), piece.len() % BITS) {
                *last &= (1 << behind) - 1;
            }
            let bases = (n * WORDS_AT_ONCE * BITS..).step_by(BITS);
            bases.zip(words).for_each(|(base, word)| each(base, *word));
        }
        Ok(())
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

/// What is known about each byte as a member of `class`.
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
    fn all_matches_of_a_line_are_those_found_one_by_one() {
        let mut rng = fastrand::Rng::with_seed(2);
        let (mut decided, mut matches) = (0, 0);
        for pattern in
            ["[ac]", "[ac]+", "[ab]{2}", "[ac]{2,3}", "[^b]{3,}", r"(?-u)[\x00-\x7f]{5}", "[aé]"]
        {
            let hir = regex_syntax::ParserBuilder::new().utf8(false).build().parse(pattern);
            let run = ClassRun::of(&hir.unwrap()).unwrap();
            for _ in 0..2000 {
                let len = rng.usize(..20) * rng.usize(..40);
                let others = if rng.u8(..3) == 0 { "é" } else { "b" };
                let text: String =
                    (0..len).map(|_| if rng.u8(..3) == 0 { others } else { "a" }).collect();
                let line = text.as_bytes();
                let (mut spans, mut expected, mut at) = (Vec::new(), Vec::new(), 0);
                let Ok(()) = run.find_all(line, &mut spans) else {
                    assert!(spans.is_empty() && run.count(line).is_err());
                    continue;
                };
                while let Some(found) = run.find(line, at).expect("all were found") {
                    at = found.end;
                    expected.push(found);
                }
                assert_eq!(spans, expected, "{pattern} in {text}");
                assert_eq!(run.count(line).ok(), Some(spans.len() as u64));
                (decided, matches) = (decided + 1, matches + spans.len());
            }
        }
        assert!(decided > 5000 && matches > 100_000 || !super::is_fast(), "{decided} {matches}");
    }

    #[test]
    fn other_expressions_are_none() {
        refuses(&["", "a", r"\w*", r"\w+?", r"\w+ ", r"\b\w", r"\w|\s\d", r"(\w+)+"], ClassRun::of);
    }
}
