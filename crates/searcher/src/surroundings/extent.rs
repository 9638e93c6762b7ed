//! The bounds of the lines around a match.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::line_tests::Scratch;
use crate::{BinaryPolicy, SearchConfig, Surroundings, lines};

/// Finds the bounds of surroundings in one haystack.
#[derive(Debug)]
pub(super) struct Extents<'a> {
    config: &'a SearchConfig,
    surroundings: &'a Surroundings,
    scratch: &'a mut Scratch,
    /// The lines that may be context: the haystack up to the line of its first NUL byte.
    text: &'a [u8],
    known: KnownEnds,
    /// The nested function that was found last, and the start of the match that is in it.
    nested: Option<(usize, Option<Function>)>,
    /// The nested functions that were found and may not be over, each in the one before.
    open: Vec<Function>,
}

/// The lines before a match that are emitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    /// The start of the context, which ends where the match begins.
    pub(super) start: usize,
    pub(super) function: FunctionAt,
}

/// The line that begins the function which a match is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionAt {
    /// The line starts here: in the context, before it, or, if functions are nested, before the
    /// lines that were emitted last.
    Line(usize),
    /// The match is in no function.
    Nowhere,
    /// The line is the same as for the match before, or not known.
    Unchanged,
}

/// The function that a match is in, for a search with [`Surroundings::function`].
#[derive(Clone, Debug)]
struct Function {
    /// The start of its function line.
    line: usize,
    /// The lines of the function, with the comments and attributes above it.
    lines: Range<usize>,
}

/// Ends of surroundings that were found for an earlier match, so that lines are tested once. A
/// match that begins before them has the same ends.
#[derive(Clone, Copy, Debug, Default)]
struct KnownEnds {
    function: usize,
    paragraph: usize,
    until: usize,
}

impl<'a> Extents<'a> {
    pub(super) fn new(
        config: &'a SearchConfig,
        surroundings: &'a Surroundings,
        scratch: &'a mut Scratch,
        haystack: &'a [u8],
    ) -> Extents<'a> {
        let nul = memchr(0, haystack).filter(|_| config.binary != BinaryPolicy::Text);
        let text = nul.map_or(haystack, |at| {
            let start = memrchr(config.line_terminator, &haystack[..at]).map_or(0, |i| i + 1);
            &haystack[..start]
        });
        let Scratch { path, tests } = &mut *scratch;
        tests.begin(surroundings.functions.as_deref(), path, text);
        Extents {
            config,
            surroundings,
            scratch,
            text,
            known: KnownEnds::default(),
            nested: None,
            open: Vec::new(),
        }
    }

    /// The lines before the match in `lines`. None begins before `floor`, but for a nested
    /// function's function line.
    pub(super) fn before(&mut self, lines: &Range<usize>, floor: usize) -> Before {
        let mut before = Before { start: lines.start, function: FunctionAt::Unchanged };
        if lines.end > self.text.len() {
            return before;
        }
        let (terminator, wanted) = (self.config.line_terminator, self.config.before_context);
        let above = &self.text[floor..lines.start];
        before.start = floor + lines::last_lines(above, terminator, wanted).0;
        if self.surroundings.paragraph && floor < lines.start {
            before.start = before.start.min(self.paragraph_start(lines.start, floor));
        }
        if self.is_nested() {
            self.add_nested(lines, floor, &mut before);
            return before;
        }
        if floor >= lines.start {
            return before;
        }
        let mut function = None;
        if self.surroundings.function {
            let start;
            (start, function) = self.function_start(lines.start, floor);
            before.start = before.start.min(start);
        }
        if self.surroundings.function_line && function.is_none() {
            function = self.previous_function(lines.start, floor);
        }
        before.function = function.map_or(FunctionAt::Unchanged, FunctionAt::Line);
        before
    }

    /// Whether functions are nested in this haystack.
    fn is_nested(&mut self) -> bool {
        let terminator = self.config.line_terminator;
        self.scratch.tests.nested(self.text, terminator).is_some()
    }

    /// Adds what precedes the match in `lines` because of the nested function that it is in.
    fn add_nested(&mut self, lines: &Range<usize>, floor: usize, before: &mut Before) {
        let mut line = None;
        if self.surroundings.function
            && let Some(function) = self.nested_function(lines)
        {
            before.start = before.start.min(function.lines.start).max(floor);
            line = Some(function.line).filter(|&line| line < lines.start);
        }
        let terminator = self.config.line_terminator;
        if let Some((outline, mut place)) = self.scratch.tests.nested(self.text, terminator)
            && self.surroundings.function_line
            && line.is_none()
        {
            line = outline.enclosing(&mut place, lines.start);
        }
        before.function = line.map_or(FunctionAt::Nowhere, FunctionAt::Line);
    }

    /// The nested function that the match in `lines` is in or begins.
    fn nested_function(&mut self, lines: &Range<usize>) -> Option<Function> {
        if let Some((_, function)) = self.nested.as_ref().filter(|(at, _)| *at == lines.start) {
            return function.clone();
        }
        let terminator = self.config.line_terminator;
        let (outline, mut place) = self.scratch.tests.nested(self.text, terminator)?;
        let line = match outline.is_head(&mut place, lines.start) {
            true => Some(lines.start),
            false => outline.enclosing(&mut place, lines.start),
        };
        while self.open.pop_if(|function| function.lines.end <= lines.start).is_some() {}
        let function = line.map(|line| {
            if let Some(known) = self.open.iter_mut().rfind(|function| function.line == line) {
                known.lines.end = known.lines.end.max(lines.end);
                return known.clone();
            }
            let function = Function { line, lines: outline.extent(&mut place, line, lines.end) };
            self.open.push(function.clone());
            function
        });
        self.nested = Some((lines.start, function.clone()));
        function
    }

    /// Whether the line at `start` begins a nested function.
    pub(super) fn is_nested_head(&mut self, start: usize) -> bool {
        let terminator = self.config.line_terminator;
        let nested = self.scratch.tests.nested(self.text, terminator);
        start < self.text.len()
            && nested.is_some_and(|(outline, mut place)| outline.is_head(&mut place, start))
    }

    /// The end of the context after the match in `lines`.
    pub(super) fn after(&mut self, lines: &Range<usize>) -> usize {
        if lines.end > self.text.len() {
            return lines.end;
        }
        let mut end = lines.end;
        for _ in 0..self.config.after_context {
            if end == self.text.len() {
                break;
            }
            end = self.line_at(end).end;
        }
        let KnownEnds { function, paragraph, until } = self.known;
        if self.surroundings.function {
            if lines.start >= function {
                self.known.function = match self.is_nested() {
                    true => self.nested_function(lines).map_or(0, |function| function.lines.end),
                    false => self.function_end(lines.end),
                };
            }
            end = end.max(self.known.function);
        }
        if self.surroundings.paragraph {
            if lines.start >= paragraph {
                self.known.paragraph = self.paragraph_end(lines);
            }
            end = end.max(self.known.paragraph);
        }
        if self.surroundings.until.is_some() {
            if lines.end >= until {
                self.known.until = self.until_end(lines.end);
            }
            end = end.max(self.known.until);
        }
        end
    }

    /// The line that begins at `start`.
    fn line_at(&self, start: usize) -> Range<usize> {
        start..lines::end(self.text, self.config.line_terminator, start)
    }

    /// The line that ends at `end`, if it does not begin before `floor`.
    fn line_above(&self, end: usize, floor: usize) -> Option<Range<usize>> {
        let above = &self.text[floor..end];
        let start = lines::last_lines(above, self.config.line_terminator, 1).0;
        (end > floor).then_some(floor + start..end)
    }

    fn content(&self, line: Range<usize>) -> &'a [u8] {
        lines::content(&self.text[line], self.config)
    }

    fn is_blank(&self, line: Range<usize>) -> bool {
        self.content(line).iter().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
    }

    fn is_function(&mut self, line: Range<usize>) -> bool {
        let line = self.content(line);
        self.scratch.tests.is_function(line)
    }

    /// The start of the nearest function line that ends at or before `end`.
    fn previous_function(&mut self, end: usize, floor: usize) -> Option<usize> {
        let mut at = end;
        while let Some(line) = self.line_above(at, floor) {
            at = line.start;
            if self.is_function(line) {
                return Some(at);
            }
        }
        None
    }

    /// Where the function starts that the match at `at` is in, with the comment above it, and its
    /// function line if that is above the match. Without a function line, everything above belongs
    /// to it.
    fn function_start(&mut self, at: usize, floor: usize) -> (usize, Option<usize>) {
        let (mut start, mut function) = (at, None);
        if !self.is_function(self.line_at(at)) {
            function = self.previous_function(at, floor);
            let Some(at) = function else { return (floor, None) };
            start = at;
        }
        while let Some(line) = self.line_above(start, floor) {
            if self.is_blank(line.clone()) || self.is_function(line.clone()) {
                break;
            }
            start = line.start;
        }
        (start, function)
    }

    /// The end of the function that a match which ends at `end` is in, without the blank lines
    /// before the next function.
    fn function_end(&mut self, mut end: usize) -> usize {
        let mut at = end;
        while at < self.text.len() {
            let line = self.line_at(at);
            at = line.end;
            if !self.is_blank(line.clone()) {
                if self.is_function(line) {
                    break;
                }
                end = at;
            }
        }
        end
    }

    fn paragraph_start(&self, at: usize, floor: usize) -> usize {
        let mut start = at;
        if self.is_blank(self.line_at(at)) {
            return start;
        }
        while let Some(line) = self.line_above(start, floor)
            && !self.is_blank(line.clone())
        {
            start = line.start;
        }
        start
    }

    fn paragraph_end(&self, lines: &Range<usize>) -> usize {
        let mut end = lines.end;
        if self.line_above(end, lines.start).is_none_or(|last| self.is_blank(last)) {
            return end;
        }
        while end < self.text.len() {
            let line = self.line_at(end);
            if self.is_blank(line.clone()) {
                break;
            }
            end = line.end;
        }
        end
    }

    fn until_end(&mut self, mut end: usize) -> usize {
        let Some(until) = &self.surroundings.until else { return end };
        while end < self.text.len() {
            let line = self.line_at(end);
            end = line.end;
            let line = self.content(line);
            if self.scratch.tests.is_last(until, line) {
                break;
            }
        }
        end
    }
}
