//! Finds the blocks of lines that matches touch, and emits them.

use std::ops::{ControlFlow, Range};

use heist_matcher::Finder;

use super::part::{Found, Part};
use crate::{BinaryPolicy, MatchBlock, SearchConfig, Sink, line_search::LineSearch, lines};

/// Emits the blocks of a haystack, part by part.
#[derive(Debug)]
pub(crate) struct Spans {
    terminator: u8,
    invert: bool,
    cursor: MatchCursor,
    /// Matches found in advance, by a search from the start of `known_in`.
    known: Vec<Found>,
    /// All matches that begin here are known.
    known_in: Range<usize>,
    /// The matches that begin in the current block; only the last of them unless all are wanted.
    in_block: Vec<Range<usize>>,
    wants_matches: bool,
    /// The first block ends with its first match.
    wants_first_only: bool,
    /// The end of the last emitted match.
    emitted_to: usize,
}

/// What is known of the next match.
enum NextMatch {
    Match(Found),
    NoMatch,
    Unknown,
}

/// How far matches have been searched for.
#[derive(Clone, Debug)]
struct MatchCursor {
    /// Where the search for the next match starts.
    at: usize,
    /// How many more matches may be found.
    left: u64,
    /// A match that was found and belongs to the next block.
    pending: Option<Found>,
    /// The end of the last match, at which an empty match does not count.
    last_end: Option<usize>,
    /// The index of the first known match that has not been used.
    known: usize,
}

impl Spans {
    pub(crate) fn new(config: &SearchConfig, sink: &impl Sink) -> Spans {
        // The whole block may have a NUL byte that ends the haystack without a result.
        let may_quit = config.binary == BinaryPolicy::Quit;
        // In an inverted search the limit counts lines, as `LineSearch` does.
        let left = config.max_matches.filter(|_| !config.invert).unwrap_or(u64::MAX);
        let wants = sink.wants();
        Spans {
            terminator: config.line_terminator,
            invert: config.invert,
            cursor: MatchCursor { at: 0, left, pending: None, last_end: None, known: 0 },
            known: Vec::new(),
            known_in: 0..0,
            in_block: Vec::new(),
            wants_matches: wants.matches,
            wants_first_only: wants.first_only && !may_quit,
            emitted_to: 0,
        }
    }

    /// Adds `found`, all matches that begin in `place`, as found by a search that starts there. The
    /// positions are relative to the next part, and not before those added earlier.
    pub(crate) fn add_known(&mut self, found: impl Iterator<Item = Found>, place: Range<usize>) {
        if self.known_in.end < place.start {
            self.known.clear();
            self.cursor.known = 0;
            self.known_in.start = place.start;
        }
        self.known.extend(found);
        self.known_in.end = place.end;
    }

    /// Adjusts all positions to a next part that begins `consumed` bytes further on.
    pub(crate) fn roll(&mut self, consumed: usize) {
        self.skip_known();
        let Spans { cursor, known, known_in, emitted_to, .. } = self;
        let back = |at: usize| at.saturating_sub(consumed);
        *emitted_to = back(*emitted_to);
        cursor.at = back(cursor.at);
        cursor.last_end = cursor.last_end.and_then(|end| end.checked_sub(consumed));
        // The previous match shows whether the next one is in step.
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

    /// Emits the blocks of `part`. Returns the position up to which they are decided: the lines
    /// after it depend on the next part. `Break` if no more is wanted.
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
                // The next part may extend the block.
                self.cursor = before;
                decided = lines.start;
                break;
            }
            if let Some(before) = lines_before {
                search.set_number(lines.start, before);
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

    /// The next match, including empty ones directly after the previous one.
    fn find(&mut self, finder: &mut Finder, part: &Part<'_>) -> Option<Found> {
        if self.cursor.left == 0 {
            return None;
        }
        let found = self.look(finder, part)?;
        self.cursor.left -= 1;
        Some(found)
    }

    /// As `find`, without the limit.
    fn look(&mut self, finder: &mut Finder, part: &Part<'_>) -> Option<Found> {
        let from = self.cursor.at;
        let known = if from < part.end { self.next_known(part) } else { NextMatch::NoMatch };
        let found = match known {
            NextMatch::Match(found) => Some(found),
            NextMatch::NoMatch => None,
            NextMatch::Unknown => {
                part.find_at(finder, from).map(|range| Found { range, lines_before: None })
            }
        };
        let Some(found) = found.filter(|found| part.holds(found.range.start, self.terminator))
        else {
            // There is no further match, or the engine has failed.
            self.cursor.at = part.end;
            return None;
        };
        self.cursor.at = found.next().min(part.text().len());
        Some(found)
    }

    /// The next match, as far as it is known.
    fn next_known(&mut self, part: &Part<'_>) -> NextMatch {
        self.skip_known();
        let Spans { cursor, known, known_in, .. } = self;
        // After a known match that does not count, an unknown one may begin before the next known
        // match.
        let from = known[..cursor.known].last().map_or(known_in.start, Found::next);
        if cursor.at < from {
            return NextMatch::Unknown;
        }
        let next = known.get(cursor.known).cloned();
        // Only this search covers matches that begin at the end of the haystack.
        match next {
            Some(next) => NextMatch::Match(next),
            None if known_in.end >= part.end && !part.is_last => NextMatch::NoMatch,
            None => NextMatch::Unknown,
        }
    }

    /// Skips known matches that begin before the position at which the search continues.
    fn skip_known(&mut self) {
        let MatchCursor { at, known, .. } = &mut self.cursor;
        let passed = self.known[*known..].iter().take_while(|found| found.range.start < *at);
        *known += passed.count();
    }

    /// The lines of the next block. Its matches are then in `in_block`.
    fn next_block(&mut self, finder: &mut Finder, part: &Part<'_>) -> Option<Found> {
        self.in_block.clear();
        let first = self.cursor.pending.take().or_else(|| self.find(finder, part))?;
        let mut lines = lines::touched(part.text(), self.terminator, &first.range);
        self.note(first.range);
        if self.wants_first_only {
            return Some(Found { range: lines, lines_before: first.lines_before });
        }
        while let Some(found) = self.find(finder, part) {
            // Bounds of lines that are in the block already need not be searched for: a long line
            // may have many matches.
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
        // An empty match at the end of the block belongs to it only if the last line has no
        // terminator.
        self.in_block.retain(|found| found.start < lines.end);
        Some(Found { range: lines, lines_before: first.lines_before })
    }

    fn note(&mut self, found: Range<usize>) {
        let last_end = &mut self.cursor.last_end;
        if found.is_empty() && *last_end == Some(found.end) {
            return;
        }
        *last_end = Some(found.end);
        if !self.wants_matches {
            self.in_block.clear();
        }
        self.in_block.push(found);
    }

    /// Adds the other matches that begin in `lines`, the last block, cut off at its end.
    fn note_rest_of(&mut self, lines: &Range<usize>, finder: &mut Finder, part: &Part<'_>) {
        while let Some(Found { range, .. }) =
            self.look(finder, part).filter(|found| found.range.start < lines.end)
        {
            self.note(range.start..range.end.min(lines.end));
        }
    }
}
