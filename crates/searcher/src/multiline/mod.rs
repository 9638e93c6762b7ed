//! Matches that may span lines: what is emitted are blocks of lines. The haystack is in memory, all of it or [part](Part) by part.
//!
//! The rules are those of ripgrep 15.2 (read in the source of grep-searcher 0.1.17 and confirmed by running it):
//!
//! 1. The next match is looked for where the one before ended, one byte further if that was empty. Matches whose lines
//!    overlap or touch make one block, which is emitted once.
//! 2. An empty match right behind another match is none (as where a regex finds all its matches), but it counts for
//!    the limit, and the line it stands in is touched.
//! 3. The limit is one of matches. The block of the last one also shows what else matches in its lines.
//! 4. Inverted, lines that no match touches are selected, each on its own, and the search for the next match goes on
//!    behind the lines of the one before.
//! 5. A NUL byte is looked for in the first 64 KiB and in the lines that are emitted. It never ends a line.
//!
//! Unlike there, a match is looked for in the haystack, not in what is left of it: `\A` matches once, and `^` not where a
//! match ended within a line. Inverted, the limit is one of selected lines, as it is without multiline matching. A match
//! behind the last terminator, which is in no line, is none.

mod watch;

use std::{
    io,
    ops::{ControlFlow, Range},
};

use heist_matcher::Finder;
use memchr::memchr;

pub(crate) use self::watch::NulWatch;
use crate::{
    BinaryPolicy, Flow, MatchBlock, SearchConfig, Sink,
    line_search::{LineSearch, failure_as_error},
    lines,
};

/// How far a NUL byte is looked for before the pattern, in bytes: a buffer of ripgrep's.
pub(crate) const EARLY: usize = 64 << 10;

/// Search all of `haystack`. The only error is one of the engine, after the end of what was emitted.
pub(crate) fn search<S: Sink>(
    config: &SearchConfig,
    finder: &mut Finder,
    haystack: &[u8],
    sink: &mut S,
) -> io::Result<()> {
    let config = &of_spans(config);
    let mut watch = NulWatch::new(sink, config.binary);
    let mut search = LineSearch::new(config, finder, &mut watch);
    let all = Part { bytes: haystack, lead: 0, end: haystack.len(), is_last: true };
    if begin(config, &mut search, haystack).is_continue() {
        // Broken or not, it is over.
        let _ = Spans::new(config).pass(&mut search, &all);
    }
    failure_as_error(search.finish(None))
}

/// `config`, but for what would mean lines, of which a match may have several.
pub(crate) fn of_spans(config: &SearchConfig) -> SearchConfig {
    SearchConfig { stop_on_nonmatch: false, ..config.clone() }
}

/// Begin a search whose haystack begins with `head`, of which the first 64 KiB matter.
pub(crate) fn begin<S: Sink>(
    config: &SearchConfig,
    search: &mut LineSearch<'_, S>,
    head: &[u8],
) -> Flow {
    search.begin_if_wanted()?;
    if config.binary != BinaryPolicy::Text
        && let Some(offset) = memchr(0, &head[..head.len().min(EARLY)])
    {
        search.binary(offset as u64)?;
        if config.binary == BinaryPolicy::Quit {
            return Flow::Break(());
        }
    }
    Flow::Continue(())
}

/// Lines of a haystack, all of them or successive ones.
#[derive(Debug)]
pub(crate) struct Part<'h> {
    /// The terminator of the line before, unless they begin the haystack: `^` and `\B` ask what stands there. Then the lines, and
    /// behind them as much as a match may [reach](heist_matcher::Reach) that begins in them.
    pub(crate) bytes: &'h [u8],
    /// The length of the first of these.
    pub(crate) lead: usize,
    /// The end of the lines, seen from their beginning as all other places are.
    pub(crate) end: usize,
    /// Nothing comes behind them.
    pub(crate) is_last: bool,
}

impl<'h> Part<'h> {
    /// The lines and what stands behind them.
    pub(crate) fn text(&self) -> &'h [u8] {
        &self.bytes[self.lead..]
    }

    /// Whether `at` is in one of the lines, or at the end of one that lacks its terminator.
    fn holds(&self, at: usize, terminator: u8) -> bool {
        at < self.end || self.is_last && !self.text().ends_with(&[terminator])
    }

    /// The next match that begins at `from` or behind it.
    pub(crate) fn find_at(&self, finder: &mut Finder, from: usize) -> Option<Range<usize>> {
        let found = match from {
            0 => finder.find_first(self.bytes, self.lead)?,
            _ => finder.find_at(self.bytes, self.lead + from)?,
        };
        Some(found.start - self.lead..found.end - self.lead)
    }
}

/// A match.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    /// How many lines of the haystack stand before the one that it begins in, where that is known.
    pub(crate) lines_before: Option<u64>,
}

impl Found {
    fn next(&self) -> usize {
        behind(&self.range)
    }
}

/// Where the search for the match after `found` begins.
pub(crate) fn behind(found: &Range<usize>) -> usize {
    found.end + usize::from(found.is_empty())
}

/// What is to be emitted of a haystack, part by part.
#[derive(Debug)]
pub(crate) struct Spans {
    terminator: u8,
    invert: bool,
    cursor: Cursor,
    /// Matches that somebody has found, by a search from the beginning of `known_in` on.
    known: Vec<Found>,
    /// All that begin here are known.
    known_in: Range<usize>,
    /// The matches that begin in the block found last.
    in_block: Vec<Range<usize>>,
    /// The end of the last match that was emitted.
    emitted_to: usize,
}

/// How far matches have been looked for.
#[derive(Clone, Debug)]
struct Cursor {
    /// Where the next match is looked for.
    at: usize,
    /// How many more matches may be found.
    left: u64,
    /// A match that was found and belongs to the next block.
    pending: Option<Found>,
    /// The end of the last match that an empty one must not stand at.
    last_end: Option<usize>,
    /// The first known match that nobody has asked for.
    known: usize,
}

impl Spans {
    pub(crate) fn new(config: &SearchConfig) -> Spans {
        // Inverted, the limit is one of lines, and the search counts those.
        let left = config.max_matches.filter(|_| !config.invert).unwrap_or(u64::MAX);
        Spans {
            terminator: config.line_terminator,
            invert: config.invert,
            cursor: Cursor { at: 0, left, pending: None, last_end: None, known: 0 },
            known: Vec::new(),
            known_in: 0..0,
            in_block: Vec::new(),
            emitted_to: 0,
        }
    }

    /// All matches that begin in `place` are known, by a search from there on: `found`. Places are those of the next part,
    /// and none before one that was emitted of earlier.
    pub(crate) fn learn(&mut self, found: impl Iterator<Item = Found>, place: Range<usize>) {
        if self.known_in.end < place.start {
            self.known.clear();
            self.cursor.known = 0;
            self.known_in.start = place.start;
        }
        self.known.extend(found);
        self.known_in.end = place.end;
    }

    /// The next part begins so many bytes further on.
    pub(crate) fn roll(&mut self, consumed: usize) {
        self.skip_known();
        let Spans { cursor, known, known_in, emitted_to, .. } = self;
        let back = |at: usize| at.saturating_sub(consumed);
        *emitted_to = back(*emitted_to);
        cursor.at = back(cursor.at);
        cursor.last_end = cursor.last_end.and_then(|end| end.checked_sub(consumed));
        // The one before says whether the next is in step.
        let mut done = cursor.known.saturating_sub(1);
        if known[..cursor.known].last().is_some_and(|last| last.next() <= consumed) {
            done = cursor.known;
        }
        known.drain(..done);
        cursor.known -= done;
        *known_in = back(known_in.start)..back(known_in.end);
        for found in known.iter_mut().chain(&mut cursor.pending) {
            found.range = back(found.range.start)..back(found.range.end);
        }
    }

    /// Emit what is to be emitted of `part`. Gives the place up to which that was done: behind it are lines of which the next
    /// part decides. `Break`: nothing more is wanted.
    pub(crate) fn pass<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        part: &Part<'_>,
    ) -> ControlFlow<(), usize> {
        if self.invert {
            return self.emit_untouched(search, part);
        }
        let mut decided = part.end;
        if !self.is_limit_reached() {
            decided = self.emit_blocks(search, part)?;
        }
        if self.is_limit_reached() {
            search.tail(&part.text()[..decided])?;
        } else {
            search.pass_over(part.text(), decided)?;
        }
        ControlFlow::Continue(decided)
    }

    fn emit_blocks<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        part: &Part<'_>,
    ) -> ControlFlow<(), usize> {
        let mut decided = part.end;
        loop {
            let before = self.cursor.clone();
            let Some(Found { range: lines, lines_before }) = self.next_block(search.finder(), part)
            else {
                break;
            };
            if !part.is_last && lines.end >= part.end {
                // What comes next may touch it.
                self.cursor = before;
                decided = lines.start;
                break;
            }
            if let Some(before) = lines_before {
                search.learn_number(lines.start, before);
            }
            search.pass_over(part.text(), lines.start)?;
            let block = MatchBlock {
                haystack: part.bytes,
                origin: part.lead,
                start: lines.start,
                searched_from: self.emitted_to,
                matches: &self.in_block,
            };
            self.emitted_to = self.in_block.last().map_or(self.emitted_to, |last| last.end);
            search.select(part.text(), lines, Some(block))?;
        }
        search.stop_on_failure()?;
        ControlFlow::Continue(decided)
    }

    fn emit_untouched<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        part: &Part<'_>,
    ) -> ControlFlow<(), usize> {
        let mut decided = part.end;
        loop {
            let before = self.cursor.clone();
            let Some(found) = self.find(search.finder(), part) else { break };
            let lines = lines::touched(part.text(), self.terminator, &found.range);
            search.select_all_up_to(part.text(), lines.start)?;
            if lines.end > part.end {
                self.cursor = before;
                decided = lines.start;
                break;
            }
            search.pass_all_over(part.text(), lines.end)?;
            self.cursor.at = self.cursor.at.max(lines.end);
        }
        search.stop_on_failure()?;
        search.select_all_up_to(part.text(), decided)?;
        ControlFlow::Continue(decided)
    }

    fn is_limit_reached(&self) -> bool {
        self.cursor.left == 0 && self.cursor.pending.is_none()
    }

    /// The next match, empty ones right behind the one before included.
    fn find(&mut self, finder: &mut Finder, part: &Part<'_>) -> Option<Found> {
        if self.cursor.left == 0 {
            return None;
        }
        let found = self.look(finder, part)?;
        self.cursor.left -= 1;
        Some(found)
    }

    /// As `find`, whatever the limit.
    fn look(&mut self, finder: &mut Finder, part: &Part<'_>) -> Option<Found> {
        let from = self.cursor.at;
        let found = match from < part.end {
            true => self.next_known(part).unwrap_or_else(|| {
                let range = part.find_at(finder, from)?;
                Some(Found { range, lines_before: None })
            }),
            false => None,
        };
        let Some(found) = found.filter(|found| part.holds(found.range.start, self.terminator))
        else {
            // There is none from here on, or the engine has given up.
            self.cursor.at = part.end;
            return None;
        };
        self.cursor.at = found.next().min(part.text().len());
        Some(found)
    }

    /// The next match as far as it is known; None if it is not.
    fn next_known(&mut self, part: &Part<'_>) -> Option<Option<Found>> {
        self.skip_known();
        let Spans { cursor, known, known_in, .. } = self;
        // A match that begins within one that was known, and is none, may come before the next.
        let from = known[..cursor.known].last().map_or(known_in.start, Found::next);
        if cursor.at < from {
            return None;
        }
        let next = known.get(cursor.known).cloned();
        // One that begins where everything ends is looked for by none but us.
        let is_known = next.is_some() || known_in.end >= part.end && !part.is_last;
        is_known.then_some(next)
    }

    /// Nobody will ask for known matches that begin before the place where the next one is looked for.
    fn skip_known(&mut self) {
        let Cursor { at, known, .. } = &mut self.cursor;
        let passed = self.known[*known..].iter().take_while(|found| found.range.start < *at);
        *known += passed.count();
    }

    /// The lines of the next block; its matches are then in `in_block`.
    fn next_block(&mut self, finder: &mut Finder, part: &Part<'_>) -> Option<Found> {
        self.in_block.clear();
        let first = self.cursor.pending.take().or_else(|| self.find(finder, part))?;
        let mut lines = lines::touched(part.text(), self.terminator, &first.range);
        self.note(first.range);
        while let Some(found) = self.find(finder, part) {
            // Within lines that are known nothing is looked for: a long line may have many matches.
            let Range { start, end } = found.range;
            if start < lines.end && end <= lines.end {
                self.note(found.range);
                continue;
            }
            let touched = lines::touched(part.text(), self.terminator, &found.range);
            if touched.start > lines.end {
                self.cursor.pending = Some(found);
                break;
            }
            lines.end = touched.end;
            self.note(found.range);
        }
        if self.is_limit_reached() {
            self.note_rest_of(&lines, finder, part);
        }
        // At the end of the last one there may be no terminator for it to stand at.
        self.in_block.retain(|found| found.start < lines.end);
        Some(Found { range: lines, lines_before: first.lines_before })
    }

    fn note(&mut self, found: Range<usize>) {
        let last_end = &mut self.cursor.last_end;
        if found.is_empty() && *last_end == Some(found.end) {
            return;
        }
        *last_end = Some(found.end);
        self.in_block.push(found);
    }

    /// Note what else begins in `lines`, the last ones to be emitted, cut off at their end.
    fn note_rest_of(&mut self, lines: &Range<usize>, finder: &mut Finder, part: &Part<'_>) {
        while let Some(Found { range, .. }) =
            self.look(finder, part).filter(|found| found.range.start < lines.end)
        {
            self.note(range.start..range.end.min(lines.end));
        }
    }
}
