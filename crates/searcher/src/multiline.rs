//! Matches that may span lines: the whole haystack is in memory, and what is told are blocks of lines.
//!
//! The rules are those of ripgrep 15.2 (read in the source of grep-searcher 0.1.17 and confirmed by running it):
//!
//! 1. The next match is looked for where the one before ended, one byte further if that was empty. Matches whose lines
//!    overlap or touch make one block, which is told once.
//! 2. An empty match right behind another match is none (as where a regex finds all its matches), but it counts for
//!    the limit, and the line it stands in is touched.
//! 3. The limit is one of matches. The block of the last one also shows what else matches in its lines.
//! 4. Inverted, lines that no match touches are selected, each on its own, and the search for the next match goes on
//!    behind the lines of the one before.
//! 5. A NUL byte is looked for in the first 64 KiB and in the lines that are told. It never ends a line.
//!
//! Unlike there, a match is looked for in the haystack, not in what is left of it: `\A` matches once, and `^` not where a
//! match ended within a line. Inverted, the limit is one of selected lines, as it is without multiline matching. A match
//! behind the last byte, which is in no line, brings no context either.

use std::{io, ops::Range};

use heist_matcher::Finder;
use memchr::memchr;

use crate::{
    BinaryPolicy, Config, Finish, Flow, Line, Sink,
    line_search::{LineSearch, failure_as_error},
    lines,
};

/// How far a NUL byte is looked for before the pattern, in bytes: a buffer of ripgrep's.
const EARLY: usize = 64 << 10;

/// Search all of `haystack`. The only error is one of the engine, after the end of what was told.
pub(crate) fn search<S: Sink>(
    config: &Config,
    finder: &mut Finder,
    haystack: &[u8],
    binary: BinaryPolicy,
    sink: &mut S,
) -> io::Result<()> {
    // It would mean lines, of which a match may have several.
    let config = &Config { stop_on_nonmatch: false, ..config.clone() };
    let mut watch = Watch { sink, binary, nul: None, is_gap_held: false };
    let mut search = LineSearch::new(config, finder, &mut watch);
    // Broken or not, it is over.
    let _ = tell_all(config, &mut search, haystack, binary);
    failure_as_error(search.finish(None))
}

fn tell_all<S: Sink>(
    config: &Config,
    search: &mut LineSearch<'_, S>,
    haystack: &[u8],
    binary: BinaryPolicy,
) -> Flow {
    search.begin_if_wanted()?;
    if binary != BinaryPolicy::Text
        && let Some(offset) = memchr(0, &haystack[..haystack.len().min(EARLY)])
    {
        search.binary(offset as u64)?;
        if binary == BinaryPolicy::Quit {
            return Flow::Break(());
        }
    }
    let mut matches = Matches::new(config, haystack);
    if config.invert {
        tell_untouched(search, &mut matches)?;
    } else {
        tell_blocks(search, &mut matches)?;
    }
    if matches.is_limit_reached() || search.is_limit_reached() {
        return search.tail(haystack);
    }
    search.pass_over(haystack, haystack.len())
}

fn tell_blocks<S: Sink>(search: &mut LineSearch<'_, S>, matches: &mut Matches<'_>) -> Flow {
    while let Some(lines) = matches.next_block(search.finder()) {
        search.pass_over(matches.haystack, lines.start)?;
        search.select(matches.haystack, lines, Some(&matches.in_block))?;
    }
    search.stop_on_failure()
}

fn tell_untouched<S: Sink>(search: &mut LineSearch<'_, S>, matches: &mut Matches<'_>) -> Flow {
    let haystack = matches.haystack;
    while let Some(found) = matches.find(search.finder()) {
        let lines = lines::touched(haystack, matches.terminator, &found);
        search.select_up_to(haystack, lines.start)?;
        if search.is_limit_reached() {
            return Flow::Continue(());
        }
        search.pass_over(haystack, lines.end)?;
        matches.at = matches.at.max(lines.end);
    }
    search.stop_on_failure()?;
    search.select_up_to(haystack, haystack.len())
}

/// The matches of a haystack, block by block.
struct Matches<'h> {
    haystack: &'h [u8],
    terminator: u8,
    /// Where the next match is looked for.
    at: usize,
    /// How many more matches may be found.
    left: u64,
    /// A match that was found and belongs to the next block.
    pending: Option<Range<usize>>,
    /// The end of the last match that an empty one must not stand at.
    last_end: Option<usize>,
    /// The matches that begin in the block found last.
    in_block: Vec<Range<usize>>,
}

impl<'h> Matches<'h> {
    fn new(config: &Config, haystack: &'h [u8]) -> Matches<'h> {
        Matches {
            haystack,
            terminator: config.line_terminator,
            at: 0,
            // Inverted, the limit is one of lines, and the search counts those.
            left: config.max_matches.filter(|_| !config.invert).unwrap_or(u64::MAX),
            pending: None,
            last_end: None,
            in_block: Vec::new(),
        }
    }

    fn is_limit_reached(&self) -> bool {
        self.left == 0
    }

    /// The next match, empty ones right behind the one before included.
    fn find(&mut self, finder: &mut Finder) -> Option<Range<usize>> {
        if self.left == 0 {
            return None;
        }
        let found = self.look(finder)?;
        self.left -= 1;
        Some(found)
    }

    /// As `find`, whatever the limit.
    fn look(&mut self, finder: &mut Finder) -> Option<Range<usize>> {
        let end = self.haystack.len();
        let found = (self.at < end).then(|| finder.find_at(self.haystack, self.at)).flatten();
        let Some(found) = found else {
            // There is none from here on, or the engine has given up.
            self.at = end;
            return None;
        };
        self.at = if found.is_empty() { end.min(found.end + 1) } else { found.end };
        Some(found)
    }

    /// The lines of the next block; its matches are then in `in_block`.
    fn next_block(&mut self, finder: &mut Finder) -> Option<Range<usize>> {
        self.in_block.clear();
        let first = self.pending.take().or_else(|| self.find(finder))?;
        let mut lines = lines::touched(self.haystack, self.terminator, &first);
        self.note(first);
        while let Some(found) = self.find(finder) {
            // Within lines that are known nothing is looked for: a long line may have many matches.
            if found.start < lines.end && found.end <= lines.end {
                self.note(found);
                continue;
            }
            let touched = lines::touched(self.haystack, self.terminator, &found);
            if touched.start > lines.end {
                self.pending = Some(found);
                break;
            }
            lines.end = touched.end;
            self.note(found);
        }
        if self.is_limit_reached() && self.pending.is_none() {
            self.note_rest_of(&lines, finder);
        }
        // One that is found behind the last line stands in none.
        self.in_block.retain(|found| found.start < lines.end);
        (!lines.is_empty()).then_some(lines)
    }

    fn note(&mut self, found: Range<usize>) {
        if found.is_empty() && self.last_end == Some(found.end) {
            return;
        }
        self.last_end = Some(found.end);
        self.in_block.push(found);
    }

    /// Note what else begins in `lines`, the last ones to be told, cut off at their end.
    fn note_rest_of(&mut self, lines: &Range<usize>, finder: &mut Finder) {
        while let Some(found) = self.look(finder).filter(|found| found.start < lines.end) {
            self.note(found.start..found.end.min(lines.end));
        }
    }
}

/// Stands before the sink and looks for a NUL byte in every line, until there was one.
struct Watch<'a, S> {
    sink: &'a mut S,
    binary: BinaryPolicy,
    nul: Option<u64>,
    /// Lines were left out before the next one, which the sink has not heard yet.
    is_gap_held: bool,
}

impl<S: Sink> Watch<'_, S> {
    fn look_at(&mut self, line: &Line<'_>) -> Flow {
        if self.binary == BinaryPolicy::Text || self.nul.is_some() {
            return Flow::Continue(());
        }
        let Some(i) = memchr(0, line.bytes) else {
            return Flow::Continue(());
        };
        let flow = Sink::binary(self, line.offset + i as u64);
        if self.binary == BinaryPolicy::Quit { Flow::Break(()) } else { flow }
    }

    fn tell_gap(&mut self) -> Flow {
        if std::mem::take(&mut self.is_gap_held) { self.sink.gap() } else { Flow::Continue(()) }
    }
}

impl<S: Sink> Sink for Watch<'_, S> {
    fn wants_unmatched(&self) -> bool {
        self.sink.wants_unmatched()
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    /// A gap is told before context that holds a NUL byte, but not before a match that does, as in ripgrep.
    fn matched(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.look_at(line)?;
        self.tell_gap()?;
        self.sink.matched(finder, line)
    }

    fn context(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.tell_gap()?;
        self.look_at(line)?;
        self.sink.context(finder, line)
    }

    fn gap(&mut self) -> Flow {
        self.is_gap_held = true;
        Flow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul = Some(offset);
        self.sink.binary(offset)
    }

    fn finish(&mut self, finish: &Finish) {
        let bytes_searched = finish.bytes_searched.min(self.nul.unwrap_or(u64::MAX));
        self.sink.finish(&Finish { bytes_searched, binary_offset: self.nul });
    }

    fn abandon(&mut self) {
        self.sink.abandon();
    }
}
