//! The sink for one haystack, in any format.

use std::{io, ops::ControlFlow};

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink, UnreadLine, UnreadMatches, Wants};

use crate::{
    Admission, NameMatch, Output, Stats,
    counted::Counted,
    gate::Gate,
    haystack::Haystack,
    json::Json,
    standard::{self, Standard},
    summary::Summary,
    templated::Templated,
};

/// What is printed. Boxed because the sizes differ.
#[derive(Debug)]
pub(crate) enum Format {
    Lines(Box<Standard>),
    Summary(Box<Summary>),
    Json(Box<Json>),
    Templated(Box<Templated>),
}

/// Prints one haystack.
#[derive(Debug)]
pub struct PrinterSink<'p, O> {
    format: &'p mut Format,
    stats: Option<&'p mut Stats>,
    file: Haystack<'p, O>,
    wants_unmatched: bool,
    /// Whether the haystack's name matches, and has not been printed.
    name_is_pending: bool,
    /// The decisions about results, if they are limited.
    gate: Option<Gate>,
    /// Why the search was ended, if a line could not be read.
    error: Option<io::Error>,
}

impl<'p, O: Output> PrinterSink<'p, O> {
    /// Returns the sink for a haystack. `path` is `None` also if it is not printed.
    pub(crate) fn new(
        format: &'p mut Format,
        stats: Option<&'p mut Stats>,
        output: &'p mut O,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> PrinterSink<'p, O> {
        let gate = output.begin_haystack().then(Gate::default);
        let file = Haystack {
            path,
            name: None,
            binary,
            output,
            counted: Counted::new(stats.is_some()),
            has_begun: false,
            found: 0,
            nul_at: None,
            is_known: false,
        };
        let (wants_unmatched, name_is_pending) = (false, false);
        PrinterSink { format, stats, file, wants_unmatched, name_is_pending, gate, error: None }
    }

    /// Requests the events for a haystack without a match, too, for [`nul_at`](Self::nul_at).
    pub fn watch_unmatched(&mut self) {
        self.wants_unmatched = true;
    }

    /// States that the haystack's name matches. The name is printed before any line, and also if
    /// nothing else is.
    pub fn set_name(&mut self, name: NameMatch<'p>) {
        self.file.name = Some(name);
        self.name_is_pending = true;
    }

    /// Whether the name matches and has not been printed, because an error came first.
    #[must_use]
    pub fn name_is_pending(&self) -> bool {
        self.name_is_pending
    }

    /// Prints only a haystack's name, if it matches, because the haystack cannot be searched.
    pub fn finish_unsearched(&mut self) {
        let _ = self.print_pending_name();
        if let Format::Summary(summary) = &*self.format {
            summary.print_name(&mut self.file);
        }
        self.file.end();
    }

    /// The position of the first NUL byte, if one was seen.
    #[must_use]
    pub fn nul_at(&self) -> Option<u64> {
        self.file.nul_at
    }

    /// Whether the haystack satisfies the search: it has a match, printed or not, or, in the modes
    /// without match, none. Neither holds if its summary was given up because it is binary.
    #[must_use]
    pub fn has_match(&self) -> bool {
        match &*self.format {
            Format::Summary(summary) => summary.is_satisfied(&self.file),
            Format::Lines(_) | Format::Json(_) | Format::Templated(_) => {
                self.file.found > 0 || self.file.name.is_some()
            }
        }
    }

    /// Prints the name if that matches and has not been printed.
    #[inline]
    fn print_pending_name(&mut self) -> Flow {
        if self.name_is_pending { self.print_name() } else { ControlFlow::Continue(()) }
    }

    /// Prints the name, which is its own result. A summary has it in the line about the file.
    #[cold]
    fn print_name(&mut self) -> Flow {
        self.name_is_pending = matches!(self.format, Format::Summary(_));
        let Some(name) = self.file.name.filter(|_| !self.name_is_pending) else {
            return ControlFlow::Continue(());
        };
        if self.gate.is_some() {
            if self.file.output.admit() != Admission::Print {
                return ControlFlow::Continue(());
            }
            self.file.output.begin_match();
        }
        let (had_begun, printed) = (self.file.has_begun, self.file.counted.printed());
        let flow = match self.format {
            Format::Lines(lines) => lines.print_name(&mut self.file, &name),
            Format::Json(json) => json.print_name(&mut self.file, &name),
            Format::Templated(templated) => templated.print_name(&mut self.file, &name),
            Format::Summary(_) => ControlFlow::Continue(()),
        };
        if self.gate.is_some() && self.file.output.take_withdrawn() {
            self.file.has_begun = had_begun;
            self.file.counted.set_printed(printed);
        }
        flow
    }
}

impl<O: Output> PrinterSink<'_, O> {
    /// Whether lines are only counted. In a file that may have a NUL byte, and is searched on after
    /// it, which lines are results is known only line by line.
    fn only_counts(&self) -> bool {
        self.gate.is_some()
            && self.file.output.only_counts()
            && self.file.binary != BinaryPolicy::Convert
    }

    fn print_matched(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        match self.format {
            Format::Lines(lines) => lines.matched(&mut self.file, finder, line),
            Format::Summary(summary) => summary.matched(&mut self.file, finder, line),
            Format::Json(json) => json.matched(&mut self.file, finder, line),
            Format::Templated(templated) => templated.matched(&mut self.file, finder, line),
        }
    }

    /// Prints a matching line if the output admits it. A summary is admitted when it is printed.
    #[cold]
    fn matched_if_admitted(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        if let (Some(gate), false) = (&mut self.gate, matches!(self.format, Format::Summary(_))) {
            match gate.matched(&mut self.file) {
                Admission::Print => self.print_gap(),
                Admission::Omit if standard::is_muted(&self.file) => return self.end_at_match(),
                Admission::Omit => {
                    self.file.found = 1;
                    return ControlFlow::Continue(());
                }
                Admission::Stop => return self.end_at_match(),
            }
        }
        let flow = self.print_matched(finder, line);
        // The output may take back what it was given, and holds context back.
        if let Format::Lines(lines) = &mut *self.format {
            lines.end_line(&mut self.file);
        }
        if let Some(gate) = &mut self.gate {
            gate.withdraw(&mut self.file);
        }
        flow
    }

    /// Prints the gap that precedes the line at hand, if there is one.
    fn print_gap(&mut self) {
        let Some(gate) = &mut self.gate else { return };
        let has_gap = gate.take_gap(self.file.has_begun);
        if let (true, Format::Lines(lines)) = (has_gap, &mut *self.format) {
            lines.gap(&mut self.file);
        }
    }

    /// Ends the haystack, which has a match that is not printed.
    fn end_at_match(&mut self) -> Flow {
        self.file.found = 1;
        ControlFlow::Break(())
    }

    /// Prints what comes after the last line of the haystack, whether the search came to its end or
    /// an error ended it: what was printed is also counted.
    fn end(&mut self, finish: &Finish) {
        let _ = self.print_pending_name();
        self.name_is_pending = false;
        let file = &mut self.file;
        if let Format::Lines(lines) = &mut *self.format {
            lines.end_line(file);
        }
        let is_open = self.gate.is_none_or(|gate| gate.is_open());
        if let (Format::Lines(lines), true) = (&mut *self.format, is_open) {
            lines.print_binary_message(file);
            if let Some(gate) = &mut self.gate {
                // The output claims or withdraws a message that is the only result when the file
                // ends, and statistics must know.
                file.end();
                gate.withdraw(file);
                file.has_begun = false;
            }
        }
        let stats = file.counted.finish(finish, file.found > 0, self.stats.as_deref_mut());
        match self.format {
            Format::Lines(_) | Format::Templated(_) => {}
            Format::Summary(summary) => summary.finish(file, finish),
            Format::Json(json) => json.finish(file, finish, stats),
        }
        self.file.end();
    }
}

impl<O: Output> Sink for PrinterSink<'_, O> {
    // Each caller looks at one field, and the others need not be determined.
    #[inline(always)]
    fn wants(&self) -> Wants {
        if self.file.counted.is_wanted() {
            // Statistics have each line and match, and what was searched without any.
            return Wants { unmatched: true, ..Wants::default() };
        }
        let lines = !self.only_counts();
        let wants = match &*self.format {
            Format::Summary(summary) => summary.wants(),
            Format::Lines(printer) => Wants { lines, ..printer.wants() },
            Format::Json(_) | Format::Templated(_) => Wants { lines, ..Wants::default() },
        };
        Wants {
            // A haystack's end prints its name at the latest.
            unmatched: wants.unmatched || self.wants_unmatched || self.file.name.is_some(),
            // The output must be able to take a line back.
            unread: if self.gate.is_some() { UnreadMatches::Never } else { wants.unread },
            ..wants
        }
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.print_pending_name()?;
        self.file.found += lines;
        if self.gate.is_some() && !matches!(self.format, Format::Summary(_)) {
            self.file.output.count(lines);
        }
        ControlFlow::Continue(())
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.print_pending_name()?;
        if self.gate.is_some() {
            return self.matched_if_admitted(finder, line);
        }
        self.print_matched(finder, line)
    }

    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        if self.gate.is_some() || self.name_is_pending {
            // The output must be able to take the line back.
            return None;
        }
        let printed = match self.format {
            Format::Lines(lines) => lines.matched_unread(&mut self.file, line)?,
            Format::Summary(summary) => Ok(summary.matched_unread(&mut self.file, line)?),
            Format::Json(_) | Format::Templated(_) => return None,
        };
        Some(printed.unwrap_or_else(|error| {
            self.error = Some(error);
            ControlFlow::Break(())
        }))
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.print_pending_name()?;
        if let Some(gate) = &mut self.gate {
            match gate.context(&mut self.file, line.kind) {
                Admission::Print => self.print_gap(),
                Admission::Omit => return ControlFlow::Continue(()),
                Admission::Stop => return self.end_at_match(),
            }
        }
        match self.format {
            Format::Lines(lines) => lines.context(&mut self.file, finder, line),
            Format::Summary(_) | Format::Templated(_) => ControlFlow::Continue(()),
            Format::Json(json) => json.context(&mut self.file, finder, line),
        }
    }

    fn gap(&mut self) -> Flow {
        match (&mut self.gate, &mut *self.format) {
            (Some(gate), _) => gate.gap(),
            (None, Format::Lines(lines)) => lines.gap(&mut self.file),
            (None, _) => {}
        }
        ControlFlow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.file.nul_at = Some(offset);
        ControlFlow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        self.file.is_known = !finish.is_given_up(self.file.binary);
        self.end(finish);
    }

    fn abandon(&mut self, finish: &Finish) {
        self.end(finish);
    }
}
