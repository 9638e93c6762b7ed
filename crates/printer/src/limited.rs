//! Prints only those results in a haystack that its output admits, with their context.
//!
//! A result is a matching line with its context or, in a summary, the only line about a haystack.
//! The searcher emits the context before a match first, so that a result is decided about at the
//! first line of that context. A gap is printed with the line after it, because that line may be
//! left out.

use std::{io, ops::ControlFlow};

use heist_matcher::Finder;
use heist_searcher::{Finish, Flow, Line, LineKind, Sink, UnreadLine, UnreadMatches, Wants};

use crate::{Output, PrinterSink, printer_sink::Printed};

/// An output that takes a limited number of results or bytes.
pub trait Limit: Output {
    /// Decides about the next result, before anything is appended for it.
    fn admit(&mut self) -> Admission;

    /// What is appended from now on is the admitted result itself, no longer the context before it.
    fn begin_match(&mut self) {}

    /// The admitted result is complete. Returns whether there was room for its bytes; if not, this
    /// or a [`commit`](Output::commit) has removed them from the buffer.
    fn settle(&mut self) -> bool {
        true
    }

    /// Notes results that have been counted and are not printed.
    fn count(&mut self, results: u64) {
        let _ = results;
    }
}

/// The decision about a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The result is printed.
    Print,
    /// The result is printed, without the context after it, and the haystack is searched no
    /// further.
    PrintLast,
    /// The result is left out, and the search continues.
    Omit,
    /// The result is left out, and the haystack is searched no further.
    Stop,
}

impl Admission {
    fn prints(self) -> bool {
        matches!(self, Admission::Print | Admission::PrintLast)
    }
}

/// What an output decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admits {
    /// Nothing: all results are printed.
    All,
    /// Every result.
    Results,
    /// Every result, and none will be printed, so that they need only be counted.
    None,
    /// Every matching line, also where a summary counts them. Lines that are not admitted do not
    /// count.
    Lines,
}

/// Prints one haystack, as far as its output admits what is found.
///
/// # Examples
///
/// ```
/// use heist_matcher::Matcher;
/// use heist_printer::{Admission, Admits, Limit, Limited, Output, Printer, PrinterConfig};
/// use heist_searcher::{BinaryPolicy, Flow, Searcher};
///
/// /// Takes two results.
/// #[derive(Default)]
/// struct Two(Vec<u8>, u8);
///
/// impl Output for Two {
///     fn begin_file(&mut self, separator: &[u8]) {
///         self.0.begin_file(separator);
///     }
///
///     fn buffer(&mut self) -> &mut Vec<u8> {
///         &mut self.0
///     }
///
///     fn commit(&mut self) -> Flow {
///         self.0.commit()
///     }
///
///     fn end_file(&mut self) -> Flow {
///         self.0.end_file()
///     }
/// }
///
/// impl Limit for Two {
///     fn admit(&mut self) -> Admission {
///         self.1 += 1;
///         if self.1 <= 2 { Admission::Print } else { Admission::Stop }
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let matcher = Matcher::new(&["o".to_owned()], &Default::default())?;
/// let mut printer = Printer::lines(&PrinterConfig::default(), Two::default());
/// let mut sink = Limited::new(printer.sink(None, BinaryPolicy::Quit), Admits::Results);
/// Searcher::default().search_slice(&mut matcher.finder(), b"one\nto\nfour\n", &mut sink)?;
/// assert_eq!(printer.into_output().0, b"one\nto\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Limited<'p, O> {
    sink: PrinterSink<'p, O>,
    /// The decisions. `None` if the output admits everything.
    gate: Option<ResultGate>,
}

/// The decisions about the results in one haystack.
#[derive(Clone, Copy, Debug)]
struct ResultGate {
    admits: Admits,
    /// Whether there is a decision about each matching line, not about a summary.
    is_by_line: bool,
    /// The decision about the next result, if its context is being emitted and its match is still
    /// to come.
    next: Option<Admission>,
    /// The decision about the last result.
    last: Option<Admission>,
    /// Whether a gap is to be printed before the next line.
    has_gap: bool,
    /// What was printed before the last result.
    before: Printed,
    /// Whether any result was admitted.
    has_admitted: bool,
}

impl<'p, O: Limit> Limited<'p, O> {
    /// Returns a sink that prints those results into `sink` that its output admits.
    pub fn new(sink: PrinterSink<'p, O>, admits: Admits) -> Limited<'p, O> {
        let gate = (admits != Admits::All).then(|| ResultGate {
            admits,
            is_by_line: admits == Admits::Lines || !sink.is_summary(),
            next: None,
            last: None,
            has_gap: false,
            before: Printed::default(),
            has_admitted: false,
        });
        Limited { sink, gate }
    }

    /// The printer of the haystack.
    #[must_use]
    pub fn sink(&self) -> &PrinterSink<'p, O> {
        &self.sink
    }

    /// Prints only a haystack's name, if it matches, because the haystack cannot be searched.
    pub fn finish_unsearched(&mut self) {
        let _ = self.print_name();
        let is_limited = self.gate.is_some();
        self.sink.finish_unsearched_if(|output| !is_limited || output.admit().prints());
    }

    /// Prints the name of the haystack if it matches, is a result of its own, and is admitted.
    #[inline]
    fn print_name(&mut self) -> Flow {
        match &mut self.gate {
            Some(gate) if self.sink.name_is_pending() && !self.sink.is_summary() => {
                gate.print_name(&mut self.sink)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    #[cold]
    fn end(&mut self, finish: &Finish) {
        let _ = self.print_name();
        let (Some(gate), sink) = (&mut self.gate, &mut self.sink) else { return };
        sink.drop_name();
        sink.end_line();
        if gate.is_by_line && gate.last.is_some_and(Admission::prints) {
            // The message may be all that is printed of the result.
            sink.print_binary_message();
            gate.settle(sink);
        }
        sink.end(finish, |output| gate.is_by_line || output.admit().prints());
        if gate.has_admitted && !sink.has_begun() {
            // The haystack is over; the output remembers if it is closed.
            let _ = sink.output().end_file();
        }
    }
}

impl ResultGate {
    #[cold]
    fn print_name<O: Limit>(&mut self, sink: &mut PrinterSink<'_, O>) -> Flow {
        let before = sink.printed();
        if !sink.output().admit().prints() {
            sink.drop_name();
            return ControlFlow::Continue(());
        }
        self.has_admitted = true;
        sink.output().begin_match();
        let flow = sink.print_pending_name();
        if !sink.output().settle() {
            sink.reset(before);
        }
        flow
    }

    /// Decides about the result that the next line belongs to, a match or context before one.
    fn decide<O: Limit>(&mut self, sink: &mut PrinterSink<'_, O>) -> Admission {
        if let Some(decided) = self.next {
            return decided;
        }
        let decided = sink.output().admit();
        self.before = sink.printed();
        self.has_admitted |= decided.prints();
        self.next = Some(decided);
        decided
    }

    #[cold]
    fn matched<O: Limit>(
        &mut self,
        sink: &mut PrinterSink<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        if !self.is_by_line {
            return sink.matched_with(finder, line);
        }
        let decided = self.decide(sink);
        self.next = None;
        self.last = Some(decided);
        if !decided.prints() {
            return self.skip(sink, decided);
        }
        sink.output().begin_match();
        self.print_gap(sink);
        let flow = sink.matched_with(finder, line);
        // The output may remove what was appended, and holds context back.
        sink.end_line();
        // After a NUL byte, the message about it is the result.
        if !sink.is_muted() {
            self.settle(sink);
        }
        if decided == Admission::PrintLast { ControlFlow::Break(()) } else { flow }
    }

    #[cold]
    fn context<O: Limit>(
        &mut self,
        sink: &mut PrinterSink<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        if !self.is_by_line {
            return sink.context_with(finder, line);
        }
        let decided = match line.kind {
            LineKind::Match | LineKind::Before | LineKind::Function => self.decide(sink),
            LineKind::After => self.last.unwrap_or(Admission::Omit),
            LineKind::Other => Admission::Print,
        };
        if decided.prints() {
            self.print_gap(sink);
            return sink.context_with(finder, line);
        }
        if decided == Admission::Stop {
            self.skip(sink, decided)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Leaves out a match. `Break` if the haystack is searched no further.
    fn skip<O: Limit>(&self, sink: &mut PrinterSink<'_, O>, decided: Admission) -> Flow {
        if self.admits != Admits::Lines {
            sink.skip_match();
        }
        match decided {
            Admission::Omit if !sink.is_muted() => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Prints the gap that precedes the line at hand, if there is one. The first line of a haystack
    /// has none before it.
    fn print_gap<O: Limit>(&mut self, sink: &mut PrinterSink<'_, O>) {
        if std::mem::take(&mut self.has_gap) && sink.has_begun() {
            let _ = sink.gap();
        }
    }

    /// Completes the last result, and forgets it if there was no room for it.
    fn settle<O: Limit>(&mut self, sink: &mut PrinterSink<'_, O>) {
        if !sink.output().settle() {
            sink.reset(self.before);
            self.last = Some(Admission::Omit);
        }
    }
}

impl<O: Limit> Sink for Limited<'_, O> {
    // See `PrinterSink`.
    #[inline(always)]
    fn wants(&self) -> Wants {
        let wants = self.sink.wants();
        let Some(gate) = &self.gate else { return wants };
        let only_counts =
            gate.admits == Admits::None && gate.is_by_line && self.sink.counts_lines();
        // The output must be able to remove a line.
        Wants { lines: wants.lines && !only_counts, unread: UnreadMatches::Never, ..wants }
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.print_name()?;
        if self.gate.is_some_and(|gate| gate.is_by_line) {
            self.sink.output().count(lines);
        }
        self.sink.counted(lines)
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.print_name()?;
        match &mut self.gate {
            None => self.sink.matched_with(finder, line),
            Some(gate) => gate.matched(&mut self.sink, finder, line),
        }
    }

    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        if self.gate.is_some() { None } else { self.sink.matched_unread(line) }
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.print_name()?;
        match &mut self.gate {
            None => self.sink.context_with(finder, line),
            Some(gate) => gate.context(&mut self.sink, finder, line),
        }
    }

    fn gap(&mut self) -> Flow {
        match &mut self.gate {
            None => self.sink.gap(),
            Some(gate) => {
                gate.has_gap = true;
                ControlFlow::Continue(())
            }
        }
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.sink.binary(offset)
    }

    fn finish(&mut self, finish: &Finish) {
        if self.gate.is_none() { self.sink.finish(finish) } else { self.end(finish) }
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.sink.take_error()
    }
}
