//! The sink that adds the surroundings of matches.

use std::{
    ops::{ControlFlow, Range},
    sync::Arc,
};

use heist_matcher::Finder;

use super::{
    extent::{Extents, FunctionAt},
    line_tests::Scratch,
};
use crate::{
    Finish, Flow, Line, LineKind, SearchConfig, Sink, Surroundings, UnreadMatches, Wants, lines,
};

/// Stands between a search without context and the sink of its caller.
///
/// The context after a match is emitted when the next match is found, or at the end: until then it
/// is not known which of its lines match.
///
/// The caller's sink is called through a pointer: a call is little beside looking for context, and
/// so the search within is compiled once, not for each type of sink.
pub(super) struct Surrounded<'a> {
    config: &'a SearchConfig,
    surroundings: &'a Surroundings,
    /// The state of the worker, until the first match.
    scratch: Option<&'a mut Scratch>,
    haystack: &'a [u8],
    sink: &'a mut dyn Sink,
    /// What finds the context; `None` before the first match.
    extents: Option<Extents<'a>>,
    has_context: bool,
    /// The numbers of the lines that may match; `None` if each one may.
    lines: Option<Arc<[Range<u64>]>>,
    /// Where the last emitted line ends, and the number of the line there.
    emitted: usize,
    number: Option<u64>,
    has_emitted: bool,
    /// The end of the context after the last match.
    after: usize,
    selected: u64,
    /// The start of the function line that holds for the line that was emitted last.
    function: Option<usize>,
    /// The function lines that were emitted, and their numbers.
    function_lines: Vec<(usize, Option<u64>)>,
    /// The position of a NUL byte that has not been reported.
    pending_binary: Option<u64>,
    /// How the search ended.
    finish: Option<Finish>,
    /// The sink wants no more.
    is_over: bool,
}

impl<'a> Surrounded<'a> {
    pub(super) fn new(
        config: &'a SearchConfig,
        surroundings: &'a Surroundings,
        scratch: &'a mut Scratch,
        haystack: &'a [u8],
        lines: Option<Arc<[Range<u64>]>>,
        sink: &'a mut dyn Sink,
    ) -> Surrounded<'a> {
        let has_context =
            surroundings.has_context() || config.before_context > 0 || config.after_context > 0;
        Surrounded {
            config,
            surroundings,
            scratch: Some(scratch),
            haystack,
            sink,
            extents: None,
            has_context,
            lines,
            emitted: 0,
            number: None,
            has_emitted: false,
            after: 0,
            selected: 0,
            function: None,
            function_lines: Vec::new(),
            pending_binary: None,
            finish: None,
            is_over: false,
        }
    }

    /// Ends the search of the haystack.
    pub(super) fn end(mut self, finder: &mut Finder) {
        let Some(finish) = self.finish else { return };
        if !self.is_over {
            let _ = self.emit_pending(finder, self.haystack.len());
        }
        self.sink.finish(&finish);
    }

    /// Emits what has waited for the next match, which begins at `end`.
    fn emit_pending(&mut self, finder: &mut Finder, end: usize) -> Flow {
        let end = self.after.min(end);
        let is_limited = self.is_limit_reached();
        while self.emitted < end {
            let line = self.emitted..self.line_end(self.emitted);
            // As with a fixed number of context lines, lines beyond the limit are shown as what
            // they are.
            let text = lines::content(&self.haystack[line.clone()], self.config);
            let is_match = is_limited
                && self.admits(self.number, 1)
                && !finder.matcher().spans_lines()
                && finder.is_match(text) != self.config.invert;
            let kind = if is_match { LineKind::Match } else { LineKind::After };
            self.emit(finder, line, kind, self.number)?;
        }
        match self.pending_binary.take() {
            Some(offset) => self.sink.binary(offset),
            None => Flow::Continue(()),
        }
    }

    fn emit_match(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        let start = line.offset as usize;
        let place = start..start + line.bytes.len();
        self.emit_pending(finder, start)?;
        self.emit_before(finder, &place, line.number)?;
        self.emit_gap(start)?;
        self.selected += 1;
        self.note_emitted(place.clone(), line.number);
        self.after = self.extents().after(&place);
        let number = self.shown(line.number);
        self.sink.matched_with(finder, &Line { number, ..*line })
    }

    /// The number that the caller's sink receives. The search within also counts lines to choose
    /// them.
    fn shown(&self, number: Option<u64>) -> Option<u64> {
        number.filter(|_| self.config.line_numbers)
    }

    fn is_limit_reached(&self) -> bool {
        self.config.max_matches.is_some_and(|most| self.selected >= most)
    }

    /// Whether one of so many lines may match. The first of them has this number.
    fn admits(&self, number: Option<u64>, count: u64) -> bool {
        let (Some(lines), Some(number)) = (&self.lines, number) else { return true };
        let next = lines.partition_point(|range| range.end <= number);
        lines.get(next).is_some_and(|range| range.start < number + count)
    }

    /// Emits the context before a match. The context's first line has this number.
    fn emit_before(
        &mut self,
        finder: &mut Finder,
        place: &Range<usize>,
        number: Option<u64>,
    ) -> Flow {
        let floor = self.emitted;
        let before = self.extents().before(place, floor);
        let haystack = self.haystack;
        let number_of = |at: usize| {
            let lines = || lines::count(&haystack[at..place.start], self.config.line_terminator);
            number.map(|number| number - lines())
        };
        let function = match before.function {
            FunctionAt::Line(at) => Some(at),
            FunctionAt::Nowhere => self.leave_function(place.start)?,
            FunctionAt::Unchanged => None,
        };
        if let Some(at) = function.filter(|&at| at < before.start) {
            if at >= floor {
                let number = number_of(at);
                self.function_lines.push((at, number));
                self.emit(finder, at..self.line_end(at), LineKind::Function, number)?;
            } else if self.function.is_some_and(|last| last > at) {
                self.emit_again(finder, at, &number_of)?;
            }
        }
        self.function = function.or(self.function);
        let (mut at, mut number) = (before.start, number_of(before.start));
        while at < place.start {
            let line = at..self.line_end(at);
            at = line.end;
            let is_function = function == Some(line.start);
            let kind = if is_function { LineKind::Function } else { LineKind::Before };
            self.emit(finder, line, kind, number)?;
            number = number.map(|number| number + 1);
        }
        Flow::Continue(())
    }

    /// Emits the function line at `at` once more, after a function in it.
    fn emit_again(
        &mut self,
        finder: &mut Finder,
        at: usize,
        number_of: &dyn Fn(usize) -> Option<u64>,
    ) -> Flow {
        if !self.surroundings.function_line {
            return Flow::Continue(());
        }
        let known = self.function_lines.binary_search_by_key(&at, |(start, _)| *start);
        let number = match known {
            Ok(index) => self.function_lines[index].1,
            Err(index) => {
                let number = number_of(at);
                self.function_lines.insert(index, (at, number));
                number
            }
        };
        if self.has_context {
            self.sink.gap()?;
        }
        let (offset, bytes) = (at as u64, &self.haystack[at..self.line_end(at)]);
        let number = self.shown(number);
        let line = Line { kind: LineKind::Function, bytes, block: None, offset, number };
        self.sink.context_with(finder, &line)
    }

    /// Notes that the match at `start` is in no function, with a gap if the one before was in one;
    /// returns the function line of the match if it begins a function.
    fn leave_function(&mut self, start: usize) -> ControlFlow<(), Option<usize>> {
        if !self.surroundings.function_line || self.function.is_none() {
            return ControlFlow::Continue(None);
        }
        if self.extents().is_nested_head(start) {
            return ControlFlow::Continue(Some(start));
        }
        self.function = None;
        if !self.has_context {
            self.sink.gap()?;
        }
        ControlFlow::Continue(None)
    }

    fn emit(
        &mut self,
        finder: &mut Finder,
        place: Range<usize>,
        kind: LineKind,
        number: Option<u64>,
    ) -> Flow {
        self.emit_gap(place.start)?;
        self.note_emitted(place.clone(), number);
        let (offset, bytes) = (place.start as u64, &self.haystack[place]);
        let line = Line { kind, bytes, block: None, offset, number: self.shown(number) };
        match kind {
            LineKind::Match => self.sink.matched_with(finder, &line),
            _ => self.sink.context_with(finder, &line),
        }
    }

    /// Emits that lines were left out before `start`, if some were.
    fn emit_gap(&mut self, start: usize) -> Flow {
        match self.has_context && self.has_emitted && start > self.emitted {
            true => self.sink.gap(),
            false => Flow::Continue(()),
        }
    }

    /// Notes that the lines at `place` are emitted. The first has this number.
    fn note_emitted(&mut self, place: Range<usize>, number: Option<u64>) {
        let terminator = self.config.line_terminator;
        let lines = || lines::count(&self.haystack[place.clone()], terminator);
        self.number = number.map(|number| number + lines());
        (self.emitted, self.has_emitted) = (place.end, true);
    }

    fn line_end(&self, start: usize) -> usize {
        lines::end(self.haystack, self.config.line_terminator, start)
    }

    fn extents(&mut self) -> &mut Extents<'a> {
        let Surrounded { config, surroundings, haystack, scratch, .. } = self;
        self.extents.get_or_insert_with(|| {
            let scratch = scratch.take().expect("the scratch space is taken once");
            Extents::new(config, surroundings, scratch, haystack)
        })
    }
}

impl Sink for Surrounded<'_> {
    /// Lines are emitted beside others, and so are read.
    fn wants(&self) -> Wants {
        let wants = self.sink.wants();
        let lines = wants.lines || self.lines.is_some();
        Wants { unread: UnreadMatches::Never, lines, ..wants }
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        if self.lines.is_some() {
            let count = lines::count(line.bytes, self.config.line_terminator).max(1);
            if !self.admits(line.number, count) {
                return Flow::Continue(());
            }
        }
        let flow = self.emit_match(finder, line);
        self.is_over = flow.is_break();
        if self.lines.is_some() && self.is_limit_reached() {
            // The search within does not know which lines count.
            return Flow::Break(());
        }
        flow
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.sink.counted(lines)
    }

    fn binary(&mut self, offset: u64) -> Flow {
        if self.has_emitted {
            // The context of the last match precedes it.
            self.pending_binary = Some(offset);
            return Flow::Continue(());
        }
        self.sink.binary(offset)
    }

    fn finish(&mut self, finish: &Finish) {
        self.finish = Some(*finish);
    }
}
