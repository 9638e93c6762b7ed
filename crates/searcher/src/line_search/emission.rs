//! Emits lines of a block: those that are selected, and context.

use std::ops::Range;

use super::LineSearch;
use crate::{Flow, Line, LineKind, MatchBlock, Sink, lines};

impl<S: Sink> LineSearch<'_, S> {
    /// Selects every line from `pos` to `end`, up to the limit.
    pub(super) fn select_up_to(&mut self, block: &[u8], end: usize) -> Flow {
        while self.pos < end && !self.is_limit_reached() {
            let line = self.pos..lines::end(block, self.config.line_terminator, self.pos);
            self.select(block, line, None)?;
        }
        Flow::Continue(())
    }

    /// Selects every line from `pos` to `end`; those beyond the limit are emitted if they are
    /// context.
    pub(crate) fn select_all_up_to(&mut self, block: &[u8], end: usize) -> Flow {
        self.select_up_to(block, end)?;
        self.tail_up_to(block, end, true)
    }

    /// Passes over lines from `pos` to `end` that are not selected, whether the limit is reached or
    /// not.
    pub(crate) fn pass_all_over(&mut self, block: &[u8], end: usize) -> Flow {
        self.tail_up_to(block, end, false)?;
        self.pass_over(block, end)
    }

    /// Emits a selected line and the context before it; or several lines and their `known` matches.
    pub(crate) fn select(
        &mut self,
        block: &[u8],
        lines: Range<usize>,
        known: Option<MatchBlock<'_>>,
    ) -> Flow {
        if self.config.before_context > 0 {
            self.emit_before(block, lines.start)?;
        }
        self.selected += 1;
        self.pos = lines.end;
        self.after_left = self.config.after_context;
        self.emit_known(block, lines, LineKind::Match, known)
    }

    /// Emits the context before a line that begins at `end`, except lines already emitted.
    fn emit_before(&mut self, block: &[u8], end: usize) -> Flow {
        let emitted = self.emitted.saturating_sub(self.base) as usize;
        let pending = &block[emitted..end];
        let terminator = self.config.line_terminator;
        let wanted = self.config.before_context;
        let mut at = emitted + lines::last_lines(pending, terminator, wanted).0;
        while at < end {
            let line = at..lines::end(block, terminator, at);
            at = line.end;
            self.emit(block, line, LineKind::Before)?;
        }
        Flow::Continue(())
    }

    /// Passes over lines from `pos` to `end` that are not selected, and emits those that are
    /// context.
    pub(crate) fn pass_over(&mut self, block: &[u8], end: usize) -> Flow {
        let is_last = self.stops_on_nonmatch();
        while self.pos < end {
            let kind = self.context_kind();
            if kind.is_none() && !is_last {
                break;
            }
            let line = self.pos..lines::end(block, self.config.line_terminator, self.pos);
            self.pos = line.end;
            if let Some(kind) = kind {
                self.after_left = self.after_left.saturating_sub(1);
                self.emit(block, line, kind)?;
            }
            if is_last {
                return Flow::Break(());
            }
        }
        self.pos = end;
        Flow::Continue(())
    }

    /// The kind as which a line that is not selected is emitted, if it is context.
    fn context_kind(&self) -> Option<LineKind> {
        if self.after_left > 0 {
            Some(LineKind::After)
        } else if self.config.passthru {
            Some(LineKind::Other)
        } else {
            None
        }
    }

    /// Processes the rest of `block` after the limit: it is context. In the context after the last
    /// selected line, a line that would be selected is shown as a match, but neither counts nor has
    /// its own context.
    pub(crate) fn tail(&mut self, block: &[u8]) -> Flow {
        while self.pos < block.len() {
            let line = self.pos..lines::end(block, self.config.line_terminator, self.pos);
            let is_selected = self.context_kind().is_some() && self.is_selected(&block[line]);
            self.stop_on_failure()?;
            self.tail_line(block, is_selected)?;
        }
        Flow::Continue(())
    }

    /// Processes lines from `pos` to `end` after the limit; either all of them would be selected,
    /// or none.
    fn tail_up_to(&mut self, block: &[u8], end: usize, are_selected: bool) -> Flow {
        while self.pos < end && self.is_limit_reached() {
            self.tail_line(block, are_selected)?;
        }
        Flow::Continue(())
    }

    /// Processes the next line after the limit.
    fn tail_line(&mut self, block: &[u8], is_selected: bool) -> Flow {
        let Some(mut kind) = self.context_kind() else {
            return Flow::Break(());
        };
        if is_selected && !self.config.passthru {
            kind = LineKind::Match;
        }
        let line = self.pos..lines::end(block, self.config.line_terminator, self.pos);
        self.pos = line.end;
        self.after_left = self.after_left.saturating_sub(1);
        self.emit(block, line, kind)?;
        if self.stops_on_nonmatch() && !is_selected {
            return Flow::Break(());
        }
        Flow::Continue(())
    }

    fn is_selected(&mut self, line: &[u8]) -> bool {
        self.finder.is_match(lines::content(line, self.config)) != self.config.invert
    }

    fn emit(&mut self, block: &[u8], line: Range<usize>, kind: LineKind) -> Flow {
        self.emit_known(block, line, kind, None)
    }

    fn emit_known(
        &mut self,
        block: &[u8],
        lines: Range<usize>,
        kind: LineKind,
        known: Option<MatchBlock<'_>>,
    ) -> Flow {
        if !self.begun {
            self.begin()?;
        }
        let offset = self.base + lines.start as u64;
        if self.has_emitted && offset > self.emitted && self.has_context() {
            self.sink.gap()?;
        }
        self.has_emitted = true;
        self.emitted = self.base + lines.end as u64;
        let start = lines.start;
        let number = self.config.line_numbers.then(|| {
            let is_one = known.is_none();
            let terminator = self.config.line_terminator;
            let end = if is_one { lines.end } else { lines::end(block, terminator, start) };
            self.numbers.of(block, terminator, start..end) - self.converted.before(offset)
        });
        let line = Line { kind, bytes: &block[lines], block: known, offset, number };
        if kind == LineKind::Match {
            self.sink.matched_with(self.finder, &line)
        } else {
            self.sink.context_with(self.finder, &line)
        }
    }
}
