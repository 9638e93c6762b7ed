//! One worker's means of searching: scratch space and the calls that use it.

use std::ops::Range;

use crate::block_scan::BlockScan;
use crate::compile::ascii_hir::Ascii;
use crate::compiled::Compiled;
use crate::strategies::backoff::Backoff;
use crate::strategies::plan::{Needles, Plan};
use crate::strategies::scan::LineScanner;
use crate::{Captures, Error, Matcher};

/// A place in the haystack that tells in which line to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineHit {
    /// The line holding this offset matches.
    Confirmed(usize),
    /// The line holding this offset may match; ask [`Finder::is_match`] on that line alone.
    Candidate(usize),
}

impl LineHit {
    /// The offset.
    pub(crate) fn place(self) -> usize {
        match self {
            LineHit::Confirmed(offset) | LineHit::Candidate(offset) => offset,
        }
    }
}

/// Bytes between two needles that make it worth to stop at each.
const NEEDLES_WORTH: usize = 64;

/// One worker's means of searching: a shared [`Matcher`] and private scratch space.
#[derive(Debug)]
pub struct Finder {
    pub(crate) matcher: Matcher,
    pub(crate) scanner: LineScanner,
    pub(crate) backoff: Backoff,
}

impl Finder {
    pub(crate) fn new(matcher: Matcher) -> Finder {
        Finder {
            scanner: LineScanner::new(&matcher.compiled),
            backoff: Backoff::new(NEEDLES_WORTH),
            matcher,
        }
    }

    /// The byte that ends a line.
    #[must_use]
    pub fn line_terminator(&self) -> u8 {
        self.matcher.compiled.lines.terminator
    }

    /// The leftmost match in `line` that starts at or after `at`; look-around may see what stands
    /// before `at`. `line` is one line without its terminator, or with
    /// [`Matcher::spans_lines`] the whole haystack.
    pub fn find_at(&mut self, line: &[u8], at: usize) -> Option<Range<usize>> {
        if at == 0 { self.find_first(line, at) } else { self.find_on(line, at) }
    }

    /// As [`find_at`](Finder::find_at), for the first of the searches in a haystack, wherever it begins: with
    /// [`Matcher::spans_lines`] the haystack is asked for what every match contains, which is worth it once.
    pub fn find_first(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        if let Plan::Whole { needles, .. } = &self.matcher.compiled.plan {
            let Compiled { ascii, lines, over_approx, .. } = &*self.matcher.compiled;
            // Most have no needle at all.
            let may_match = |needles: &Needles| {
                needles.may_be_in(haystack, lines.terminator, &mut self.scanner.probes)
            };
            if matches!(ascii, Ascii::Skip) && haystack.is_ascii()
                || !needles.as_ref().is_none_or(may_match)
            {
                return None;
            }
            self.scanner.is_non_ascii = over_approx.is_some() && !haystack.is_ascii();
        }
        self.find_on(haystack, at)
    }

    fn find_on(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        let from = match &self.matcher.compiled.over_approx {
            Some(over_approx) if self.scanner.is_non_ascii && at <= haystack.len() => over_approx
                .first(
                haystack,
                at..haystack.len(),
                &mut self.scanner.over_approx_cache,
            )?,
            _ => at,
        };
        self.scanner.exact.find(haystack, from)
    }

    /// As [`find_at`](Finder::find_at), and where each group is. Whether there is a match.
    pub fn captures_at(&mut self, line: &[u8], at: usize, captures: &mut Captures) -> bool {
        self.scanner.exact.captures(line, at, captures)
    }

    /// The compiled patterns that this searches for.
    #[must_use]
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Why the engine gave up since this was last asked, if it did: the haystack was not searched to its end, and
    /// until this is asked nothing more is found. Only PCRE2 ever does (a limit on backtracking).
    pub fn take_failure(&mut self) -> Option<Error> {
        self.scanner.exact.take_failure()
    }

    /// Whether anything matches in `line`, one line without its terminator.
    pub fn is_match(&mut self, line: &[u8]) -> bool {
        self.scanner.exact.is_match(line)
    }

    /// The first place at or after `at` in the block of `scan` whose line matches or is worth checking. `at` must be
    /// the start of a line, and not before that of an earlier call with this `scan`. None: no line from `at` on can
    /// match. With [`Matcher::spans_lines`] it is the place where the next match begins.
    pub fn next_line(&mut self, scan: &mut BlockScan<'_>, at: usize) -> Option<LineHit> {
        let haystack = scan.haystack();
        // Past a terminator at the very end there is no line, though an empty match would fit.
        if at >= haystack.len() || self.scanner.exact.has_failed() {
            return None;
        }
        let end = self.content_end(haystack);
        match &self.matcher.compiled.plan {
            Plan::Never => None,
            Plan::Every => Some(self.matcher.compiled.hit(at)),
            Plan::AnchoredLiteral(_) | Plan::Needles { is_exact: true, .. }
                if self.backoff.is_slow() && self.matcher.compiled.bits().is_some() =>
            {
                self.next_by_engine(scan, at, end)
            }
            Plan::AnchoredLiteral(anchored) => {
                let place = anchored.find(haystack, at, end)?;
                self.backoff.stopped_after(place - at);
                Some(LineHit::Confirmed(place))
            }
            Plan::Needles { prefilter, is_exact: true } => {
                let found = prefilter.find(haystack, (at..end).into())?;
                self.backoff.stopped_after(found.start - at);
                Some(LineHit::Confirmed(found.start))
            }
            Plan::Needles { prefilter, is_exact: false } => {
                if self.backoff.is_slow() {
                    return self.next_by_engine(scan, at, end);
                }
                let found = prefilter.find(haystack, (at..end).into())?;
                self.backoff.stopped_after(found.start - at);
                Some(LineHit::Candidate(found.start))
            }
            Plan::Many { is_exact: false, .. } if self.backoff.is_slow() => {
                self.next_by_engine(scan, at, end)
            }
            Plan::Many { many, is_exact } => {
                let (terminator, probes) = (self.line_terminator(), &mut self.scanner.probes);
                // Others may ask for those that are not is_exact, when needles have given way.
                let hit = scan.next_by((at, end), terminator, *is_exact, |lines, hits| {
                    many.find(haystack, lines, terminator, probes, hits);
                })?;
                if *is_exact {
                    return Some(hit);
                }
                self.backoff.stopped_after(hit.place() - at);
                Some(LineHit::Candidate(hit.place()))
            }
            Plan::Words { words, is_exact } => {
                let (terminator, probes) = (self.line_terminator(), &mut self.scanner.probes);
                scan.next_by((at, end), terminator, *is_exact, |lines, hits| {
                    words.find(haystack, lines, terminator, probes, hits);
                })
            }
            Plan::Engine { .. } => self.scanner.next_line(&self.matcher.compiled, scan, at, end),
            Plan::Whole { .. } => self.find_at(haystack, at).map(|m| LineHit::Confirmed(m.start)),
        }
    }

    /// As [`next_line`](Finder::next_line), by the engine while needles are too common.
    fn next_by_engine(
        &mut self,
        scan: &mut BlockScan<'_>,
        at: usize,
        end: usize,
    ) -> Option<LineHit> {
        let hit = self.scanner.next_line(&self.matcher.compiled, scan, at, end);
        self.backoff.searched(hit.map_or(end, LineHit::place) + 1 - at);
        hit
    }

    /// Whether any line of `haystack`, a block of whole lines, may match. False is certain, true is
    /// quickly said; an empty haystack has no line.
    pub fn can_match(&mut self, haystack: &[u8]) -> bool {
        // Where the engine has given up, nothing is certain.
        self.find_candidate_line(haystack, 0).is_some() || self.scanner.exact.has_failed()
    }

    /// As [`next_line`](Finder::next_line), where one line of `haystack` is all that is wanted.
    pub fn find_candidate_line(&mut self, haystack: &[u8], at: usize) -> Option<LineHit> {
        self.next_line(&mut BlockScan::new(haystack), at)
    }

    /// The end of what can match: a terminator at the end of `haystack` has nothing behind it.
    pub(crate) fn content_end(&self, haystack: &[u8]) -> usize {
        match haystack.split_last() {
            Some((last, rest)) if *last == self.line_terminator() => rest.len(),
            _ => haystack.len(),
        }
    }
}
