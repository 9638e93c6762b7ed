//! Whether a part of a line, which may be too long to be in memory, makes the line match.
//!
//! A line with an [exact](NeedleSearch::is_exact) needle matches. With any other needle, a match
//! lies between the nearest [separators](NeedleSearch::is_separator) around it, or is no longer
//! than the [longest match](NeedleSearch::longest_match), so that only those bytes are searched by
//! the engine:
//!
//! ```text
//! pattern     zqn\w+leq
//! part        … foo(zqneedleq, 12) …
//! searched         ^^^^^^^^^^^
//! ```

use std::ops::Range;

use heist_matcher::{Finder, NeedleSearch};
use memchr::{memchr, memrchr};

use super::{
    read_at::{ReadAt, read_full},
    spans::Spans,
};
use crate::unread_line::UnreadMatches;

/// The number of bytes around what is searched that look-around may depend on.
const LOOK_AROUND_BYTES: usize = 8;

/// The number of bytes first read around a needle, where more is needed than is in memory.
const FIRST_READ_BYTES: usize = 4 << 10;

/// How many bytes are read around a needle at most. More would be searched with each chunk of a
/// line.
const MAX_READ_BYTES: usize = 64 << 10;

/// The length of a match up to which the bytes around a needle are searched wherever they end.
const MAX_NEAR_MATCH_BYTES: usize = 1 << 10;

/// How far what follows a needle is searched with it, in lengths of the longest match.
const MATCH_LENGTHS_AHEAD: usize = 8;

/// The number of bytes that are searched with a needle at least, if there are as many.
const LEAST_AHEAD: usize = 512;

/// Tests parts of lines in one file.
pub(super) struct LineTest<'a> {
    pub(super) needles: &'a NeedleSearch,
    pub(super) finder: &'a mut Finder,
    pub(super) source: &'a dyn ReadAt,
    pub(super) terminator: u8,
    /// The position of the text in the file.
    pub(super) start: u64,
    /// Lines are not the only parts of a text that can be searched on their own.
    has_separators: bool,
    /// The length of the longest match, if that is not too long.
    reach: Option<usize>,
    /// Where matches are added, if they are wanted.
    spans: Option<WantedSpans<'a>>,
    /// The position up to which everything has been tested.
    tested: u64,
    /// Whether some part could not be tested.
    pub(super) is_unknown: bool,
}

/// The matches found so far.
struct WantedSpans<'a> {
    /// All are wanted, not only the first one of each line.
    are_all: bool,
    /// Their bytes are wanted, too.
    with_texts: bool,
    found: &'a mut Spans,
}

impl WantedSpans<'_> {
    /// Adds a match in `bytes`, which are at `offset` of the file.
    fn push(&mut self, bytes: &[u8], found: Range<usize>, offset: u64) {
        let at = offset + found.start as u64..offset + found.end as u64;
        self.found.push(at, if self.with_texts { &bytes[found] } else { &[] });
    }
}

/// What a look at a needle's surroundings found, which end here.
enum Around {
    Match(usize),
    NoMatch(usize),
    /// The match may reach beyond the bytes.
    MoreNeeded,
}

impl<'a> LineTest<'a> {
    pub(super) fn new(
        needles: &'a NeedleSearch,
        finder: &'a mut Finder,
        source: &'a dyn ReadAt,
        terminator: u8,
        start: u64,
    ) -> LineTest<'a> {
        let (spans, tested, is_unknown) = (None, 0, false);
        let has_separators = has_separators(needles, terminator);
        LineTest {
            needles,
            finder,
            source,
            terminator,
            start,
            has_separators,
            reach: reach(needles),
            spans,
            tested,
            is_unknown,
        }
    }

    /// Adds the `wanted` matches to `found` from now on, if that is possible.
    pub(super) fn with_matches(
        mut self,
        wanted: UnreadMatches,
        found: &'a mut Spans,
    ) -> LineTest<'a> {
        let (are_all, with_texts) = match wanted {
            UnreadMatches::Never | UnreadMatches::None => return self,
            UnreadMatches::First => (false, false),
            UnreadMatches::All => (true, false),
            UnreadMatches::Texts => (true, true),
        };
        if self.has_separators {
            self.spans = Some(WantedSpans { are_all, with_texts, found });
        }
        self
    }

    /// Whether parts of a line are still to be tested once it is known to match.
    pub(super) fn wants_all(&self) -> bool {
        self.spans.as_ref().is_some_and(|spans| spans.are_all)
    }

    /// Whether a needle in `bytes[part]`, a part of a line, belongs to a match that has not been
    /// found before. The bytes are at `offset` in the file.
    pub(super) fn matches(&mut self, bytes: &[u8], part: Range<usize>, offset: u64) -> bool {
        if self.needles.is_exact() && self.spans.is_none() {
            return self.needles.is_in(&bytes[part]);
        }
        if self.needles.are_matches() {
            return self.add_needles(bytes, part, offset);
        }
        let (mut from, mut is_matched) = (part.start, false);
        while let Some(needle) = self.needles.find_at(&bytes[..part.end], from) {
            from = needle.start + 1;
            if offset + (needle.start as u64) < self.tested {
                continue;
            }
            let is_match = match self.look_within(bytes, needle.start, offset, false, false) {
                Around::Match(end) => {
                    self.tested = offset + end as u64;
                    Some(true)
                }
                Around::NoMatch(end) => {
                    self.tested = offset + end as u64;
                    Some(false)
                }
                Around::MoreNeeded => self.look_further(offset + needle.start as u64),
            };
            let Some(is_match) = is_match else {
                self.is_unknown = true;
                return false;
            };
            is_matched |= is_match;
            if is_match && !self.wants_all() {
                return true;
            }
            let tested = self.tested.saturating_sub(offset);
            from = from.max(usize::try_from(tested).unwrap_or(usize::MAX).min(part.end));
        }
        is_matched
    }

    /// As [`matches`](LineTest::matches), where needles are matches.
    fn add_needles(&mut self, bytes: &[u8], part: Range<usize>, offset: u64) -> bool {
        let Some(spans) = &mut self.spans else { return false };
        let tested = usize::try_from(self.tested.saturating_sub(offset)).unwrap_or(usize::MAX);
        let (mut from, mut is_matched) = (part.start.max(tested), false);
        while from < part.end
            && let Some(needle) = self.needles.find_at(&bytes[..part.end], from)
        {
            from = needle.end;
            is_matched = true;
            spans.push(bytes, needle, offset);
            if !spans.are_all {
                break;
            }
        }
        self.tested = self.tested.max(offset + from as u64);
        is_matched
    }

    /// As [`look_within`](LineTest::look_within), around the needle at `at` of the file, which is
    /// read again. `None` if that does not suffice.
    fn look_further(&mut self, at: u64) -> Option<bool> {
        let mut around = FIRST_READ_BYTES;
        while around <= MAX_READ_BYTES {
            let from = at.saturating_sub(around as u64).max(self.start);
            let mut bytes = vec![0; 2 * around];
            let got = read_full(self.source, &mut bytes, from).ok()?;
            let needle = usize::try_from(at - from).ok().filter(|needle| *needle < got)?;
            // Beyond the ends of the text there is nothing, as beyond a line's ends.
            let (is_first, is_last) = (from == self.start, got < bytes.len());
            let (end, is_match) =
                match self.look_within(&bytes[..got], needle, from, is_first, is_last) {
                    Around::Match(end) => (end, true),
                    Around::NoMatch(end) => (end, false),
                    Around::MoreNeeded => {
                        around *= 16;
                        continue;
                    }
                };
            self.tested = from + end as u64;
            return Some(is_match);
        }
        None
    }

    /// Searches between the separators around `needle` in `bytes`, which are at `offset` in the
    /// file and may begin and end the text.
    fn look_within(
        &mut self,
        bytes: &[u8],
        needle: usize,
        offset: u64,
        is_first: bool,
        is_last: bool,
    ) -> Around {
        let ends = |byte: &u8| *byte == self.terminator;
        let reach = self.reach.filter(|_| self.spans.is_none());
        // No match of the needle begins before the nearest bytes. What follows it is searched for
        // other matches, too, so that there is less left to search around the next needles.
        let nearest = reach.map_or(0..bytes.len(), |reach| {
            let seen =
                if is_last { bytes.len() } else { bytes.len().saturating_sub(LOOK_AROUND_BYTES) };
            let ahead = (MATCH_LENGTHS_AHEAD * reach).max(LEAST_AHEAD);
            needle.saturating_sub(reach)..seen.min(needle + ahead).max(needle)
        });
        let begin = match self.last_separator(&bytes[nearest.start..needle]) {
            Some(separator) => Some(nearest.start + separator + 1),
            None if is_first && nearest.start == 0 => Some(0),
            None => reach.and_then(|reach| needle.checked_sub(reach)),
        };
        let separator = self.first_separator(&bytes[needle..nearest.end]);
        let end = separator.map_or(nearest.end, |separator| needle + separator);
        let is_whole = separator.is_some() || is_last && end == bytes.len();
        // A match that begins later may be cut at the end.
        let last = match reach {
            _ if is_whole => Some(end),
            Some(reach) => end.checked_sub(reach).filter(|last| *last >= needle),
            None => None,
        };
        // What look-around may see, as far as the line goes.
        let (Some(begin), Some(last)) = (begin, last) else { return Around::MoreNeeded };
        let (lead, rest) =
            (begin.saturating_sub(LOOK_AROUND_BYTES), bytes.len().min(end + LOOK_AROUND_BYTES));
        let line_start = bytes[lead..begin].iter().rposition(ends).map(|i| lead + i + 1);
        let line_end = bytes[end..rest].iter().position(ends).map(|i| end + i);
        let has_lead = line_start.is_some() || begin >= LOOK_AROUND_BYTES || is_first;
        let has_rest = line_end.is_some() || bytes.len() - end >= LOOK_AROUND_BYTES || is_last;
        if !(has_lead && has_rest) {
            return Around::MoreNeeded;
        }
        let first = line_start.unwrap_or(lead);
        let line = &bytes[first..line_end.unwrap_or(rest)];
        let tested = if is_whole { end } else { last + 1 };
        match self.search(line, begin - first..last - first, offset + first as u64) {
            true => Around::Match(tested),
            false => Around::NoMatch(tested),
        }
    }

    fn last_separator(&self, bytes: &[u8]) -> Option<usize> {
        match self.has_separators {
            true => bytes.iter().rposition(|byte| self.separates(*byte)),
            false => memrchr(self.terminator, bytes),
        }
    }

    fn first_separator(&self, bytes: &[u8]) -> Option<usize> {
        match self.has_separators {
            true => bytes.iter().position(|byte| self.separates(*byte)),
            false => memchr(self.terminator, bytes),
        }
    }

    fn separates(&self, byte: u8) -> bool {
        byte == self.terminator || self.needles.is_separator(byte)
    }

    /// Whether a match begins within `own` in `line`, a part of a line at `offset` in the file.
    fn search(&mut self, line: &[u8], own: Range<usize>, offset: u64) -> bool {
        let (mut at, mut is_match) = (own.start, false);
        // An empty match may begin at the end.
        while let Some(found) = self.finder.find_at(line, at).filter(|found| found.start <= own.end)
        {
            is_match = true;
            let Some(spans) = &mut self.spans else { break };
            // A match has a needle.
            self.is_unknown |= found.is_empty();
            spans.push(line, found.clone(), offset);
            if !spans.are_all || found.is_empty() {
                break;
            }
            at = found.end;
        }
        is_match
    }
}

/// Whether lines with a needle can be distinguished from others, though they are not in memory.
pub(crate) fn is_possible(needles: &NeedleSearch, terminator: u8) -> bool {
    // Otherwise every chunk of a long line would search the whole line.
    let is_near = || needles.is_separator(terminator) && reach(needles).is_some();
    needles.is_exact() || has_separators(needles, terminator) || is_near()
}

/// The length of the longest match, if it is short.
fn reach(needles: &NeedleSearch) -> Option<usize> {
    needles.longest_match().filter(|longest| *longest <= MAX_NEAR_MATCH_BYTES)
}

/// Whether parts of a line can be searched on their own.
fn has_separators(needles: &NeedleSearch, terminator: u8) -> bool {
    (0..=u8::MAX).any(|byte| byte != terminator && needles.is_separator(byte))
}

#[cfg(test)]
mod tests {
    use heist_matcher::Matcher;

    use super::*;

    /// Whether any part of the line at `line` in `text` makes it match, each seen with a few bytes
    /// around it.
    fn has_match(test: &mut LineTest<'_>, text: &[u8], line: Range<usize>) -> bool {
        let mut is_matched = false;
        for at in line.clone().step_by(64) {
            let (from, to) = (at.saturating_sub(16), text.len().min(at + 64 + 16));
            let end = line.end.min(at + 64);
            let start = memrchr(b'\n', &text[from..at]).map_or(0, |i| i + 1);
            let stop = memchr(b'\n', &text[end..to]).map_or(to, |i| end + i);
            is_matched |= test.matches(&text[from..to], start..stop - from, from as u64);
        }
        is_matched
    }

    #[test]
    fn parts_of_a_line_decide_as_the_whole_line_does() {
        let mut rng = fastrand::Rng::with_seed(45);
        let pieces = ["a", "b", "ab", "c", " ", "x", "é", "B"];
        for pattern in
            [r"ab+c", r"\bab\w*c\b", r"^\s*ab", r"ab$", r"ab\s+c", r"ab[^x]*cc", r"(?i)abc\b"]
                .into_iter()
                .chain([r".ab.{2}$", r"\b.?ab[^c]\b", r"^.{0,9}ab.{3}c", r"[^x]{5}ab\B"])
        {
            let matcher = Matcher::new([pattern], &Default::default()).unwrap();
            let needles = matcher.needle_search().expect("it has a literal");
            let finder = &mut matcher.finder();
            let mut matched = 0;
            for _ in 0..300 {
                let most = [30, 2000][rng.usize(..2)];
                let len = rng.usize(..most);
                let line: String = (0..len).map(|_| *rng.choice(&pieces).unwrap()).collect();
                let is_match = finder.is_match(line.as_bytes());
                let text = ["ab\n", &line, "\nab"].concat().into_bytes();
                let mut test = LineTest::new(&needles, finder, &text, b'\n', 0);
                let found = has_match(&mut test, &text, 3..3 + line.len());
                assert_eq!((found, test.is_unknown), (is_match, false), "{pattern}: {line:?}");
                matched += usize::from(found);
            }
            assert!((1..300).contains(&matched), "{pattern}: {matched}");
        }
    }
}
