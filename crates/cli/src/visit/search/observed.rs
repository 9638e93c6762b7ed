//! What a survey notes of the lines that a search finds: a decorator of the sink that counts them.

use std::{io, mem, ops::ControlFlow, slice};

use heist_matcher::Finder;
use heist_printer::{Limited, Printer};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink, UnreadLine, UnreadMatches, Wants};

use crate::{
    output::StdoutWorker,
    ranking::{Definition, Evidence, definition},
    visit::names::NameSearch,
};

/// How many lines of a file are tested against the rules of its language. A file with more lines
/// that may be definitions, and are none, has none.
const MAX_CANDIDATES: usize = 256;

/// What is noted of the current file.
#[derive(Debug, Default)]
pub(super) struct Observer {
    evidence: Evidence,
    /// Where lines begin that define what they match if they begin a function or a type.
    candidates: Vec<u64>,
    /// Whether lines are noted, not only how many results there are.
    has_lines: bool,
    /// Whether lines are found because they do not match.
    is_inverted: bool,
    /// Whether each line is a result.
    is_by_line: bool,
    /// Whether results of the current file are only counted, and how many are not counted yet. The
    /// count is shared with other workers, so that it is changed once for each file.
    counts: bool,
    uncounted: u64,
    /// Whether the sink wants no more lines.
    is_done: bool,
}

impl Observer {
    /// What notes only how many results a file has.
    pub(super) fn of_counts() -> Observer {
        Observer::default()
    }

    /// What notes lines in a search that is inverted or not, in which each line is a result or not.
    pub(super) fn of_lines(is_inverted: bool, is_by_line: bool) -> Observer {
        Observer { has_lines: true, is_inverted, is_by_line, ..Observer::default() }
    }

    /// Whether only numbers are noted.
    pub(super) fn is_of_counts(&self) -> bool {
        !self.has_lines
    }

    /// Begins a haystack in which NUL bytes mean `binary`. After such a byte, which lines are
    /// results may be known only line by line.
    pub(super) fn begin(&mut self, binary: BinaryPolicy) {
        self.counts = self.is_by_line && binary != BinaryPolicy::Convert;
        (self.uncounted, self.is_done) = (0, false);
    }

    /// What the current file has shown. The lines that begin there define what they match if they
    /// begin a function or a type.
    pub(super) fn take(&mut self) -> (Evidence, Vec<u64>) {
        (mem::take(&mut self.evidence), mem::take(&mut self.candidates))
    }

    fn note(&mut self, finder: &mut Finder, line: &Line<'_>) {
        let Evidence { defines, lines, first, last, .. } = &mut self.evidence;
        if *lines == 0 {
            *first = line.offset;
        }
        *lines += 1;
        *last = line.offset;
        if *defines || self.is_inverted || self.candidates.len() == MAX_CANDIDATES {
            return;
        }
        let Some(block) = line.block else {
            let found = definition(line.bytes, finder, None);
            return self.add(found, line.offset);
        };
        for span in block.matches {
            let (start, end) = (span.start - block.start, span.end - block.start);
            let bytes = line.bytes;
            let from = bytes[..start.min(bytes.len())].iter().rposition(|&byte| byte == b'\n');
            let from = from.map_or(0, |at| at + 1);
            let to = bytes[from..].iter().position(|&byte| byte == b'\n');
            let first_line = &bytes[from..to.map_or(bytes.len(), |len| from + len)];
            let span = (start - from)..(end - from);
            let found = definition(first_line, finder, Some(slice::from_ref(&span)));
            self.add(found, line.offset + from as u64);
        }
    }

    fn add(&mut self, found: Option<Definition>, offset: u64) {
        match found {
            None => {}
            Some(Definition::Certain) => self.evidence.defines = true,
            Some(Definition::OfHead) => self.candidates.push(offset),
        }
    }
}

/// A printer, and what notes the lines that its sinks get, in a survey.
pub(super) struct ObservedPrinter<'a> {
    pub(super) printer: Printer<StdoutWorker<'a>>,
    pub(super) observer: Option<Box<Observer>>,
}

impl<'a> ObservedPrinter<'a> {
    /// A sink for the file at `path`, whose name has been searched.
    pub(super) fn sink<'p>(
        &'p mut self,
        path: &'p [u8],
        names: Option<&'p NameSearch>,
        binary: BinaryPolicy,
    ) -> Observed<'p, 'a> {
        let ObservedPrinter { printer, observer } = self;
        if let Some(observer) = observer {
            observer.begin(binary);
        }
        let admits = printer.output().begin_haystack();
        let mut sink = printer.sink(Some(path), binary);
        if let Some(name) = names.and_then(|names| names.found(path)) {
            sink.set_name(name);
        }
        if log::log_enabled!(log::Level::Debug) {
            sink.watch_unmatched();
        }
        Observed { sink: Limited::new(sink, admits), observer: observer.as_deref_mut() }
    }
}

/// A sink, and what notes the lines that it gets, if anything does.
pub(super) struct Observed<'p, 'o> {
    sink: Limited<'p, StdoutWorker<'o>>,
    observer: Option<&'p mut Observer>,
}

impl<'p, 'o> Observed<'p, 'o> {
    /// The sink itself.
    pub(super) fn inner(&mut self) -> &mut Limited<'p, StdoutWorker<'o>> {
        &mut self.sink
    }

    /// Whether the sink wants no more of the file.
    fn is_done(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.is_done)
    }

    /// Notes a line, and hands it to the sink, unless that wants no more: a list of files is
    /// decided by the first line, and the others are noted nevertheless.
    #[cold]
    fn observe(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        let Some(observer) = &mut self.observer else { return ControlFlow::Continue(()) };
        observer.note(finder, line);
        if finder.has_failed() {
            return ControlFlow::Break(());
        }
        if observer.counts {
            observer.uncounted += 1;
        } else if !observer.is_done {
            observer.is_done = self.sink.matched_with(finder, line).is_break();
        }
        ControlFlow::Continue(())
    }
}

impl Sink for Observed<'_, '_> {
    // See `PrinterSink`.
    #[inline(always)]
    fn wants(&self) -> Wants {
        let wants = self.sink.wants();
        if self.observer.as_ref().is_none_or(|observer| !observer.has_lines) {
            return wants;
        }
        let (unread, first_only) = (UnreadMatches::Never, false);
        Wants { lines: true, matches: true, unread, first_only, ..wants }
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.sink.counted(lines)
    }

    #[inline]
    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        match &self.observer {
            Some(observer) if observer.has_lines => self.observe(finder, line),
            _ => self.sink.matched_with(finder, line),
        }
    }

    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        self.sink.matched_unread(line)
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.sink.context_with(finder, line)
    }

    fn gap(&mut self) -> Flow {
        self.sink.gap()
    }

    fn binary(&mut self, offset: u64) -> Flow {
        match self.is_done() {
            // The sink would not have seen so much of the file.
            true => ControlFlow::Break(()),
            false => self.sink.binary(offset),
        }
    }

    fn finish(&mut self, finish: &Finish) {
        if let Some(observer) = &mut self.observer
            && observer.uncounted > 0
        {
            let _ = self.sink.counted(mem::take(&mut observer.uncounted));
        }
        let is_done = self.is_done();
        let binary_offset = finish.binary_offset.filter(|_| !is_done);
        self.sink.finish(&Finish { binary_offset, ..*finish });
        if let Some(observer) = &mut self.observer
            && observer.is_of_counts()
        {
            observer.evidence.lines = self.sink.sink().count();
        }
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.sink.take_error()
    }
}
