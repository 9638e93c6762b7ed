//! One worker's means of searching: scratch space and the calls that use it.

use std::ops::Range;

use bstr::ByteSlice;
use memchr::{memchr, memrchr};
use regex_automata::{Input, meta};

use crate::exact::Search;
use crate::plan::Plan;
use crate::{Captures, Error, Matcher};

/// A place in the haystack that tells in which line to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineHit {
    /// The line holding this offset matches; the offset lies within the match or at its end.
    Confirmed(usize),
    /// The line holding this offset may match; ask [`Finder::is_match`] on that line alone.
    Candidate(usize),
}

/// One worker's means of searching: a shared [`Matcher`] and private scratch space.
#[derive(Debug)]
pub struct Finder {
    matcher: Matcher,
    exact: Search,
    /// Scratch space for the regex that searches blocks, where that is another one.
    block_cache: Option<meta::Cache>,
    pace: Pace,
}

impl Finder {
    pub(crate) fn new(matcher: Matcher) -> Finder {
        Finder {
            exact: matcher.program.exact.search(),
            block_cache: matcher.program.block.as_ref().map(meta::Regex::create_cache),
            pace: Pace::default(),
            matcher,
        }
    }

    /// The byte that ends a line.
    #[must_use]
    pub fn line_terminator(&self) -> u8 {
        self.matcher.program.lines.terminator
    }

    /// The leftmost match in `line` that starts at or after `at`; look-around may see what stands
    /// before `at`. `line` is one line without its terminator, or with
    /// [`Matcher::spans_lines`] the whole haystack.
    pub fn find_at(&mut self, line: &[u8], at: usize) -> Option<Range<usize>> {
        if let (0, Plan::Whole { needles: Some(prefilter) }) = (at, &self.matcher.program.plan) {
            // Once for a haystack is enough: most have no needle at all.
            prefilter.find(line, (0..line.len()).into())?;
        }
        self.exact.find(line, at)
    }

    /// As [`find_at`](Finder::find_at), and where each group is. Whether there is a match.
    pub fn captures_at(&mut self, line: &[u8], at: usize, captures: &mut Captures) -> bool {
        self.exact.captures(line, at, captures)
    }

    /// The compiled patterns that this searches for.
    #[must_use]
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Why the engine gave up since this was last asked, if it did: the haystack was not searched to its end, and
    /// until this is asked nothing more is found. Only PCRE2 ever does (a limit on backtracking).
    pub fn take_failure(&mut self) -> Option<Error> {
        self.exact.take_failure()
    }

    /// Whether anything matches in `line`, one line without its terminator.
    pub fn is_match(&mut self, line: &[u8]) -> bool {
        self.exact.is_match(line)
    }

    /// Whether any line of `haystack`, a block of whole lines, may match. False is certain, true is
    /// quickly said; an empty haystack has no line.
    pub fn can_match(&mut self, haystack: &[u8]) -> bool {
        // Where the engine has given up, nothing is certain.
        self.find_candidate_line(haystack, 0).is_some() || self.exact.has_failed()
    }

    /// The first place at or after `at` whose line matches or is worth checking. `at` must be the
    /// start of a line. None: no line from `at` on can match, whatever follows `haystack`'s end does
    /// not count. With [`Matcher::spans_lines`] it is the place where the next match begins.
    pub fn find_candidate_line(&mut self, haystack: &[u8], at: usize) -> Option<LineHit> {
        // Past a terminator at the very end there is no line, though an empty match would fit.
        if at >= haystack.len() || self.exact.has_failed() {
            return None;
        }
        let end = self.content_end(haystack);
        match &self.matcher.program.plan {
            Plan::Never => None,
            Plan::Guarded(guarded) => guarded.find(haystack, at, end).map(LineHit::Confirmed),
            Plan::Needles { prefilter, sure: true } => {
                prefilter.find(haystack, (at..end).into()).map(|s| LineHit::Confirmed(s.start))
            }
            Plan::Needles { prefilter, sure: false } => {
                if self.pace.is_slow() {
                    return self.skim(haystack, at, end);
                }
                let found = prefilter.find(haystack, (at..end).into())?;
                self.pace.stopped_after(found.start - at);
                Some(LineHit::Candidate(found.start))
            }
            Plan::Many { many, sure: true } => many.find(haystack, at, end).map(LineHit::Confirmed),
            Plan::Many { many, sure: false } => {
                if self.pace.is_slow() {
                    return self.skim(haystack, at, end);
                }
                let found = many.find(haystack, at, end)?;
                self.pace.stopped_after(found - at);
                Some(LineHit::Candidate(found))
            }
            Plan::Engine => self.skim(haystack, at, end),
            Plan::Whole { .. } => self.find_at(haystack, at).map(|m| LineHit::Confirmed(m.start)),
        }
    }

    /// The end of what can match: a terminator at the end of `haystack` has nothing behind it.
    fn content_end(&self, haystack: &[u8]) -> usize {
        match haystack.split_last() {
            Some((last, rest)) if *last == self.line_terminator() => rest.len(),
            _ => haystack.len(),
        }
    }

    /// `line` without the `\r` before its terminator, if it has one and that belongs to it.
    fn without_cr<'h>(&self, line: &'h [u8], is_terminated: bool) -> &'h [u8] {
        match line.split_last() {
            Some((b'\r', rest)) if is_terminated && self.matcher.program.lines.crlf => rest,
            _ => line,
        }
    }

    /// Lets the regex engine find the next line in `haystack[at..end]`.
    fn skim(&mut self, haystack: &[u8], at: usize, end: usize) -> Option<LineHit> {
        match self.exact {
            Search::Pcre2(_) => self.skim_lines(haystack, at, end),
            Search::Automata { .. } if self.matcher.program.stops_at_non_ascii => {
                self.skim_in_pieces(haystack, at, end)
            }
            Search::Automata { .. } => self.skim_piece(haystack, at, end),
        }
    }

    /// The same for an engine that has to be given each line alone, as it can look around and hold on to what it has:
    /// in a block even `\s*+$` would match elsewhere.
    fn skim_lines(&mut self, haystack: &[u8], mut at: usize, end: usize) -> Option<LineHit> {
        let terminator = self.line_terminator();
        while at <= end {
            let stop = memchr(terminator, &haystack[at..end]).map_or(end, |n| at + n);
            if self.is_match(self.without_cr(&haystack[at..stop], stop < haystack.len())) {
                return Some(LineHit::Confirmed(at));
            }
            if self.exact.has_failed() {
                return None;
            }
            at = stop + 1;
        }
        None
    }

    fn skim_piece(&mut self, haystack: &[u8], at: usize, end: usize) -> Option<LineHit> {
        match (&self.matcher.program.block, &mut self.block_cache) {
            (Some(block), Some(cache)) => {
                let input = Input::new(haystack).range(at..end).earliest(true);
                let found = block.search_half_with(cache, &input)?;
                Some(LineHit::Candidate(found.offset()))
            }
            _ => self.exact.find_end(haystack, at..end).map(LineHit::Confirmed),
        }
    }

    /// The same for an engine whose fast part quits at a byte that is not ASCII, as it cannot tell
    /// Unicode word boundaries: it would fall back to its slow part for the whole rest of the block,
    /// at every call anew. So it only gets lines in ASCII as a block; others it gets one at a time.
    fn skim_in_pieces(&mut self, haystack: &[u8], mut at: usize, end: usize) -> Option<LineHit> {
        let terminator = self.line_terminator();
        let line_end = |from: usize| memchr(terminator, &haystack[from..end]).map(|n| from + n);
        let mut size = FIRST_PIECE;
        while at <= end {
            let stop = line_end(at.saturating_add(size).min(end)).unwrap_or(end);
            let Some(offset) = haystack[at..stop].find_non_ascii_byte() else {
                if let Some(hit) = self.skim_piece(haystack, at, stop) {
                    return Some(hit);
                }
                at = stop + 1;
                size = LAST_PIECE.min(size * 2);
                continue;
            };
            let wide = at + offset;
            let start = memrchr(terminator, &haystack[at..wide]).map_or(at, |n| at + n + 1);
            if start > at
                && let Some(hit) = self.skim_piece(haystack, at, start - 1)
            {
                return Some(hit);
            }
            let stop = line_end(wide).unwrap_or(end);
            if self.is_match(self.without_cr(&haystack[start..stop], stop < haystack.len())) {
                return Some(LineHit::Confirmed(start));
            }
            at = stop + 1;
        }
        None
    }
}

/// Bytes looked at first for being ASCII. Small, as the next match may be near and the next call
/// looks again; the piece doubles while nothing is found.
const FIRST_PIECE: usize = 256;
/// Bytes looked at at most: stays in the first-level cache for the engine that follows.
const LAST_PIECE: usize = 16 << 10;

/// Watches whether the needles are as rare as the plan hoped. Where they stand in every line,
/// stopping at each is slower than the regex engine, which takes over for a while.
#[derive(Debug, Default)]
struct Pace {
    stops: u32,
    skipped: usize,
    slow_calls: u32,
}

impl Pace {
    /// Stops after which the pace is judged.
    const WINDOW: u32 = 256;
    /// Bytes between two stops that make needles worth it.
    const WORTH: usize = 64;
    /// Calls for which the engine takes over.
    const PENALTY: u32 = 4096;

    fn stopped_after(&mut self, skipped: usize) {
        self.stops += 1;
        self.skipped += skipped;
        if self.stops == Pace::WINDOW {
            if self.skipped < Pace::WORTH * Pace::WINDOW as usize {
                self.slow_calls = Pace::PENALTY;
            }
            (self.stops, self.skipped) = (0, 0);
        }
    }

    fn is_slow(&mut self) -> bool {
        let slow = self.slow_calls > 0;
        self.slow_calls = self.slow_calls.saturating_sub(1);
        slow
    }
}
