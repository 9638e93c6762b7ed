//! Decides which lines of a haystack are emitted, and in which order.
//!
//! A [`LineSearch`] is the state in one search. It receives the haystack in blocks of whole lines
//! ([`LineSearch::pass`]); between two blocks it returns how much it no longer needs from the old
//! one ([`LineSearch::roll`]). A haystack in memory is one block.
//!
//! Every mode works in the same way: find the next matching line, process the lines before it in
//! one sweep, then that line. A line is *selected* if it matches or, in an inverted search, if it
//! does not. If matches span lines, `multiline` finds the next selected lines.
//!
//! For example, with one line of context and a match in the third of four lines:
//!
//! ```text
//! 1  a     passed over
//! 2  b     emitted as Before, once line 3 is selected
//! 3  x     emitted as Match
//! 4  c     emitted as After
//! ```

mod emission;

use std::{io, ops::Range};

use heist_matcher::{BlockScan, Error, Finder};

use crate::{
    Finish, Flow, Line, LineKind, ReadAt, SearchConfig, Sink,
    line_buffer::PassedLine,
    line_numbers::{ConvertedNuls, LineNumbers},
    lines,
    matching::{Matches, Matching, next_matching_line},
    mmap::prefer_large_pages,
    unread_line::UnreadLine,
};

/// Whether a search under `config` may count selected lines instead of emitting them.
pub(crate) fn is_counted(config: &SearchConfig, sink: &impl Sink) -> bool {
    let SearchConfig {
        before_context, after_context, passthru, max_matches, stop_on_nonmatch, ..
    } = *config;
    let emits_others = before_context > 0 || after_context > 0 || passthru;
    !(sink.wants().lines || emits_others || max_matches.is_some() || stop_on_nonmatch)
}

/// The result of a search, in which the engine may have failed.
pub(crate) fn failure_as_error(failure: Option<Error>) -> io::Result<()> {
    failure.map_or(Ok(()), |failure| Err(io::Error::other(failure)))
}

/// The search of one haystack. Positions are relative to the current block unless noted otherwise.
pub(crate) struct LineSearch<'a, S> {
    config: &'a SearchConfig,
    finder: &'a mut Finder,
    sink: &'a mut S,
    /// The position of the block in the haystack.
    base: u64,
    /// Lines before this have been processed.
    pos: usize,
    /// The end of the last emitted line, in the haystack.
    emitted: u64,
    numbers: LineNumbers,
    converted: ConvertedNuls,
    /// How many lines after the last selected one are still to be emitted.
    after_left: usize,
    selected: u64,
    begun: bool,
    has_emitted: bool,
    /// The position of a NUL byte seen before the sink's first event.
    pending_binary: Option<u64>,
    /// The first matching line, if it was found before the search began.
    known: Option<Range<usize>>,
    /// Lines are counted and not emitted.
    is_counted: bool,
    /// What the last roll kept, at the front of the block.
    kept: Kept,
    /// The failure of the engine that ended the search.
    failure: Option<Error>,
}

/// Lines that may become context.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    /// Their length in bytes.
    len: usize,
    /// Their number.
    lines: usize,
}

impl<'a, S: Sink> LineSearch<'a, S> {
    pub(crate) fn new(config: &'a SearchConfig, finder: &'a mut Finder, sink: &'a mut S) -> Self {
        LineSearch {
            config,
            is_counted: is_counted(config, sink),
            finder,
            sink,
            base: 0,
            pos: 0,
            emitted: 0,
            numbers: LineNumbers::default(),
            converted: ConvertedNuls::default(),
            after_left: 0,
            selected: 0,
            begun: false,
            has_emitted: false,
            pending_binary: None,
            known: None,
            kept: Kept::default(),
            failure: None,
        }
    }

    pub(crate) fn config(&self) -> &'a SearchConfig {
        self.config
    }

    pub(crate) fn finder(&mut self) -> &mut Finder {
        self.finder
    }

    /// Sets the first matching line of the first block, if the caller has found it already.
    pub(crate) fn with_known(mut self, line: Option<Range<usize>>) -> Self {
        self.known = line;
        self
    }

    /// Whether lines are counted and not emitted.
    pub(crate) fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// Begins now if the sink wants unmatched haystacks; otherwise the first event begins.
    pub(crate) fn begin_if_wanted(&mut self) -> Flow {
        if self.sink.wants().unmatched { self.begin() } else { Flow::Continue(()) }
    }

    /// Emits that a NUL byte was seen. If the sink has not begun, it learns this with the first
    /// line.
    pub(crate) fn binary(&mut self, offset: u64) -> Flow {
        if self.begun {
            return self.sink.binary(offset);
        }
        self.pending_binary = Some(offset);
        Flow::Continue(())
    }

    /// Adds NUL bytes that have become line terminators in the next block or before it.
    pub(crate) fn add_converted(&mut self, runs: &mut Vec<Range<u64>>) {
        self.converted.add(runs);
    }

    /// Searches the lines that are new in the block of `matches`. `Break` if the rest of the
    /// haystack is not needed.
    pub(crate) fn pass<'h>(&mut self, matches: &mut impl Matches<'h>) -> Flow {
        let block = matches.block();
        if self.is_counted && self.pos < block.len() {
            return self.count(matches);
        }
        while self.pos < block.len() {
            if self.is_limit_reached() {
                self.tail(block)?;
            } else {
                self.step(matches)?;
            }
        }
        if self.is_limit_reached() && self.after_left == 0 && !self.config.passthru {
            return Flow::Break(());
        }
        Flow::Continue(())
    }

    /// Returns how many bytes at the front of `block`, which has been searched, are no longer
    /// needed. The rest may become context. Its length determines the size of the next read, so it
    /// is what ripgrep keeps: with any context the last line, plus the lines wanted before a match,
    /// but nothing that was emitted.
    pub(crate) fn roll(&mut self, block: &[u8]) -> usize {
        let terminator = self.config.line_terminator;
        let mut consumed = block.len();
        if self.has_context() {
            consumed = self.context_start(block);
        }
        if self.config.line_numbers {
            self.numbers.roll(block, terminator, consumed);
        }
        self.pos -= consumed;
        self.base += consumed as u64;
        self.converted.before(self.base);
        consumed
    }

    /// Where the lines in `block` start that may become context. If there is much context, only the
    /// lines that are no longer needed are looked at.
    fn context_start(&mut self, block: &[u8]) -> usize {
        let terminator = self.config.line_terminator;
        let wanted = self.config.before_context.saturating_add(1);
        let (start, lines) = match block.get(self.kept.len..) {
            Some(fresh) if fresh.len() < self.kept.len => {
                let all = self.kept.lines + lines::count_all(fresh, terminator);
                let lines = all.min(wanted);
                (lines::skip(block, terminator, all - lines), lines)
            }
            _ => lines::last_lines(block, terminator, wanted),
        };
        let emitted = self.emitted.saturating_sub(self.base) as usize;
        // After an emitted line, their number is not known.
        self.kept = match start.max(emitted) {
            at if at == start => Kept { len: block.len() - start, lines },
            _ => Kept::default(),
        };
        start.max(emitted)
    }

    /// Passes over a line before the next block, in a file with text that begins at `start`. If it
    /// is selected it is counted, or emitted unread. No other line may be wanted.
    pub(crate) fn pass_over_line(
        &mut self,
        line: PassedLine,
        file: &dyn ReadAt,
        start: u64,
    ) -> io::Result<Flow> {
        let PassedLine { len, is_selected } = line;
        let offset = self.base;
        self.base += len;
        let number = self.numbers.pass_over_line() - self.converted.before(offset);
        if !is_selected {
            return Ok(Flow::Continue(()));
        }
        if self.is_counted {
            return Ok(self.emit_count(1));
        }
        let number = self.config.line_numbers.then_some(number);
        let at = start + offset;
        let (source, matches, texts) = (file, &[][..], &[][..]);
        let unread = UnreadLine { source, start: at, len, offset, number, matches, texts };
        if let Some(flow) = self.select_unread(&unread) {
            return Ok(flow);
        }
        let mut bytes = Vec::new();
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.try_reserve_exact(len)?;
        prefer_large_pages(bytes.spare_capacity_mut());
        bytes.resize(len, 0);
        unread.read_at(&mut bytes, 0)?;
        Ok(self.select_read(&bytes, offset, number))
    }

    /// Counts the lines in the next `len` bytes; `selected` of them are selected. Only lines that
    /// are counted may be wanted.
    pub(crate) fn count_lines(&mut self, len: usize, selected: u64) -> Flow {
        self.base += len as u64;
        if selected == 0 { Flow::Continue(()) } else { self.emit_count(selected) }
    }

    /// Passes over everything up to `end` of the haystack, which is not before any line emitted so
    /// far. There must be no block.
    pub(crate) fn pass_to(&mut self, end: u64) {
        self.base = end;
    }

    /// Emits a selected line that has not been read, if the sink accepts it. There must be no
    /// block, and no context wanted.
    pub(crate) fn select_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        if !self.begun && self.begin().is_break() {
            return Some(Flow::Break(()));
        }
        let flow = self.sink.matched_unread(line)?;
        Some(self.selected_apart(line.offset + line.len, flow))
    }

    /// Emits a selected line at `offset` of the haystack, which has been read again, if it still is
    /// one. There must be no block, and no context wanted.
    pub(crate) fn select_read(&mut self, bytes: &[u8], offset: u64, number: Option<u64>) -> Flow {
        if self.finder.is_match(lines::content(bytes, self.config)) == self.config.invert {
            return Flow::Continue(());
        }
        if !self.begun {
            self.begin()?;
        }
        let line = Line { kind: LineKind::Match, bytes, block: None, offset, number };
        let flow = self.sink.matched_with(self.finder, &line);
        self.selected_apart(offset + bytes.len() as u64, flow)
    }

    /// Counts a selected line that ends at `end` of the haystack.
    fn selected_apart(&mut self, end: u64, flow: Flow) -> Flow {
        self.base = end;
        self.selected += 1;
        flow?;
        if self.is_limit_reached() { Flow::Break(()) } else { Flow::Continue(()) }
    }

    /// The position in the haystack up to which it has been processed.
    pub(crate) fn searched_to(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// The number of line terminators in the haystack before `at` in `block`, which must not be
    /// before a line already numbered. Zero if lines are not numbered.
    pub(crate) fn lines_before(&self, block: &[u8], at: usize) -> u64 {
        if !self.config.line_numbers {
            return 0;
        }
        self.numbers.before(block, self.config.line_terminator, at)
    }

    /// Sets how many lines come before `at` in the haystack, the start or the end of a line in the
    /// block.
    pub(crate) fn set_number(&mut self, at: usize, lines: u64) {
        self.numbers.set_ahead(at, lines);
    }

    /// Sets whether bytes may be missing from the next block that no line emitted from it, or kept,
    /// depends on.
    pub(crate) fn set_sparse(&mut self, is_sparse: bool) {
        self.numbers.set_sparse(is_sparse);
    }

    /// Ends the search. The only error is that the engine has failed.
    pub(crate) fn finish(mut self, binary_offset: Option<u64>) -> io::Result<()> {
        let failure = self.failure.take().or_else(|| self.finder.take_failure());
        self.end(binary_offset, failure.is_some());
        failure_as_error(failure)
    }

    /// Ends the search because the rest of the haystack cannot be read.
    pub(crate) fn abandon(self, binary_offset: Option<u64>) {
        self.end(binary_offset, true);
    }

    fn end(self, binary_offset: Option<u64>, is_abandoned: bool) {
        if self.begun {
            let bytes_searched = self.searched_to();
            self.sink.finish(&Finish {
                bytes_searched,
                binary_offset,
                is_abandoned,
                encoding: None,
            });
        }
    }

    /// `Break` if the engine has failed: that it found nothing then means nothing. Must be called
    /// before lines are emitted because nothing was found in them.
    pub(crate) fn stop_on_failure(&mut self) -> Flow {
        self.failure = self.finder.take_failure();
        if self.failure.is_some() { Flow::Break(()) } else { Flow::Continue(()) }
    }

    fn has_context(&self) -> bool {
        self.config.before_context > 0 || self.config.after_context > 0
    }

    fn is_limit_reached(&self) -> bool {
        self.config.max_matches.is_some_and(|most| self.selected >= most)
    }

    /// Whether the search ends at the next line that is not selected.
    fn stops_on_nonmatch(&self) -> bool {
        self.config.stop_on_nonmatch && self.selected > 0
    }

    /// Counts what [`pass`](LineSearch::pass) would emit.
    fn count<'h>(&mut self, matches: &mut impl Matches<'h>) -> Flow {
        let from = self.known.take().map_or(self.pos, |line| line.start);
        let count = matches.count(self.finder, from, self.config);
        self.stop_on_failure()?;
        self.pos = matches.block().len();
        if count == 0 { Flow::Continue(()) } else { self.emit_count(count) }
    }

    fn begin(&mut self) -> Flow {
        self.begun = true;
        self.sink.begin()?;
        self.pending_binary.take().map_or(Flow::Continue(()), |offset| self.sink.binary(offset))
    }

    fn emit_count(&mut self, count: u64) -> Flow {
        if !self.begun {
            self.begin()?;
        }
        self.sink.counted(count)
    }

    /// Processes the lines up to and including the next matching one.
    fn step<'h>(&mut self, matches: &mut impl Matches<'h>) -> Flow {
        let block = matches.block();
        let (mut line, mut seen_end) = (self.known.take(), block.len());
        if line.is_none() && self.stops_on_nonmatch() {
            // Each line decides whether there is a next one, so looking further ahead would be
            // wasted.
            seen_end = lines::end(block, self.config.line_terminator, self.pos);
            let mut next = BlockScan::new(&block[..seen_end]);
            line = next_matching_line(self.finder, &mut next, self.pos, self.config);
        } else if line.is_none() {
            let next = matches.next(self.finder, self.pos, self.config);
            if let Some(Matching { line: Range { start, .. }, lines_before: Some(before) }) = next {
                self.set_number(start, before);
            }
            line = next.map(|matching| matching.line);
        }
        if line.is_none() || self.config.invert {
            self.stop_on_failure()?;
        }
        let gap_end = line.as_ref().map_or(seen_end, |line| line.start);
        if self.config.invert {
            self.select_up_to(block, gap_end)?;
            // If the limit has ended the sweep, the next step processes the tail.
            match line {
                Some(line) if self.pos == line.start && !self.is_limit_reached() => {
                    self.pass_over(block, line.end)
                }
                _ => Flow::Continue(()),
            }
        } else {
            self.pass_over(block, gap_end)?;
            line.map_or(Flow::Continue(()), |line| self.select(block, line, None))
        }
    }
}
