//! Leaves out results that the output does not admit, with their context.
//!
//! The searcher emits the context before a match first, so a result is decided about at the first
//! line of that context. A gap is printed with the line after it, because that line may be left
//! out.

use heist_searcher::LineKind;

use crate::{Admission, Output, haystack::Haystack};

/// What is known about the results in one haystack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gate {
    /// The decision about the next result, if its context is being emitted and its match is still
    /// to come.
    next: Option<Admission>,
    /// The decision about the last result.
    last: Option<Admission>,
    /// Whether a gap is to be printed before the next line.
    gap: bool,
    /// Whether the haystack had output before the last result.
    had_begun: bool,
    /// The bytes that were counted as printed before the last result.
    printed: u64,
}

impl Gate {
    /// Decides about the result that the next line belongs to, a match or context before one.
    fn decide<O: Output>(&mut self, file: &mut Haystack<'_, O>) -> Admission {
        if let Some(decided) = self.next {
            return decided;
        }
        let decided = file.output.admit();
        self.had_begun = file.has_begun;
        self.printed = file.counted.printed();
        self.next = Some(decided);
        decided
    }

    /// Decides about a matching line.
    pub(crate) fn matched<O: Output>(&mut self, file: &mut Haystack<'_, O>) -> Admission {
        let decided = self.decide(file);
        self.next = None;
        self.last = Some(decided);
        if decided == Admission::Print {
            file.output.begin_match();
        }
        decided
    }

    /// Decides about a context line of this kind.
    pub(crate) fn context<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        kind: LineKind,
    ) -> Admission {
        match kind {
            LineKind::Match | LineKind::Before | LineKind::Function => self.decide(file),
            LineKind::After => self.last.unwrap_or(Admission::Omit),
            LineKind::Other => Admission::Print,
        }
    }

    /// Notes a gap.
    pub(crate) fn gap(&mut self) {
        self.gap = true;
    }

    /// Whether a gap is to be printed before a line that is printed. The first line of a haystack
    /// has none before it.
    pub(crate) fn take_gap(&mut self, has_begun: bool) -> bool {
        std::mem::take(&mut self.gap) && has_begun
    }

    /// Takes back what the output has withdrawn from the result printed last.
    pub(crate) fn withdraw<O: Output>(&mut self, file: &mut Haystack<'_, O>) {
        if file.output.take_withdrawn() {
            file.has_begun = self.had_begun;
            file.counted.set_printed(self.printed);
            self.last = Some(Admission::Omit);
        }
    }

    /// Whether the last result was printed, and so is what follows it. There is none if results
    /// were only counted.
    pub(crate) fn is_open(&self) -> bool {
        self.last == Some(Admission::Print)
    }
}
