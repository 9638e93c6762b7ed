//! The sink for one haystack, in any format.

use std::{io, ops::ControlFlow};

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink, UnreadLine, Wants};

use crate::{
    NameMatch, Output, Stats,
    formats::{
        json::Json,
        standard::{self, Standard},
        summary::SummarySink,
        templated::Templated,
    },
    haystack::{Counted, Haystack},
};

/// The format of what is printed. Boxed because the sizes differ.
#[derive(Debug)]
pub(crate) enum PrintedFormat {
    Lines(Box<Standard>),
    Summary(Box<SummarySink>),
    Json(Box<Json>),
    Templated(Box<Templated>),
}

/// Prints one haystack.
#[derive(Debug)]
pub struct PrinterSink<'p, O> {
    format: &'p mut PrintedFormat,
    stats: Option<&'p mut Stats>,
    file: Haystack<'p, O>,
    wants_unmatched: bool,
    /// Whether the haystack's name matches, and has not been printed.
    name_is_pending: bool,
    /// Why the search was ended, if a line could not be read.
    error: Option<io::Error>,
}

impl<'p, O: Output> PrinterSink<'p, O> {
    /// Returns the sink for a haystack. `path` is `None` also if it is not printed.
    pub(crate) fn new(
        format: &'p mut PrintedFormat,
        stats: Option<&'p mut Stats>,
        output: &'p mut O,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> PrinterSink<'p, O> {
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
        PrinterSink { format, stats, file, wants_unmatched, name_is_pending, error: None }
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
        self.finish_unsearched_if(|_| true);
    }

    /// As [`finish_unsearched`](Self::finish_unsearched), but prints a summary only if `admits`
    /// returns true.
    pub(crate) fn finish_unsearched_if(&mut self, admits: impl FnOnce(&mut O) -> bool) {
        let _ = self.print_pending_name();
        let file = &mut self.file;
        if let PrintedFormat::Summary(summary) = &*self.format
            && summary.prints_name(file)
            && admits(file.output)
        {
            summary.print(file);
        }
        file.end();
    }

    /// The position of the first NUL byte, if one was seen.
    #[must_use]
    pub fn nul_at(&self) -> Option<u64> {
        self.file.nul_at
    }

    /// What a summary counts: the lines or the matches of a haystack, or whether it satisfies the
    /// search, as 1 or 0.
    #[must_use]
    pub fn count(&self) -> u64 {
        match &*self.format {
            PrintedFormat::Summary(summary) if summary.counts() => self.file.found,
            _ => u64::from(self.has_match()),
        }
    }

    /// Whether the haystack satisfies the search: it has a match, printed or not, or, in the modes
    /// without match, none. Neither holds if its summary was given up because it is binary.
    #[must_use]
    pub fn has_match(&self) -> bool {
        match &*self.format {
            PrintedFormat::Summary(summary) => summary.is_satisfied(&self.file),
            PrintedFormat::Lines(_) | PrintedFormat::Json(_) | PrintedFormat::Templated(_) => {
                self.file.found > 0 || self.file.name.is_some()
            }
        }
    }

    /// Prints the name if that matches and has not been printed.
    #[inline]
    pub(crate) fn print_pending_name(&mut self) -> Flow {
        if self.name_is_pending { self.print_name() } else { ControlFlow::Continue(()) }
    }

    /// Prints the name, which is its own result. A summary has it in the line about the file.
    #[cold]
    fn print_name(&mut self) -> Flow {
        self.name_is_pending = self.is_summary();
        let Some(name) = self.file.name.filter(|_| !self.name_is_pending) else {
            return ControlFlow::Continue(());
        };
        match self.format {
            PrintedFormat::Lines(lines) => lines.print_name(&mut self.file, &name),
            PrintedFormat::Json(json) => json.print_name(&mut self.file, &name),
            PrintedFormat::Templated(templated) => templated.print_name(&mut self.file, &name),
            PrintedFormat::Summary(_) => ControlFlow::Continue(()),
        }
    }

    /// Marks the name as printed.
    pub(crate) fn drop_name(&mut self) {
        self.name_is_pending = false;
    }
}

/// How much is printed of a haystack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Printed {
    has_begun: bool,
    /// The bytes that were counted as printed.
    bytes: u64,
}

/// What [`Limited`](crate::Limited) needs.
impl<O: Output> PrinterSink<'_, O> {
    /// The output that results are appended to.
    pub(crate) fn output(&mut self) -> &mut O {
        self.file.output
    }

    /// Whether the only line about the haystack is printed at its end.
    pub(crate) fn is_summary(&self) -> bool {
        matches!(self.format, PrintedFormat::Summary(_))
    }

    /// Whether the lines of the haystack are only counted if `wants` permits it. In a file that may
    /// have a NUL byte, and is searched on after it, which lines are results is known only line by
    /// line.
    pub(crate) fn counts_lines(&self) -> bool {
        !self.file.counted.is_wanted() && self.file.binary != BinaryPolicy::Convert
    }

    /// Whether a NUL byte was seen after which no lines are printed.
    pub(crate) fn is_muted(&self) -> bool {
        standard::is_muted(&self.file)
    }

    /// Whether anything is printed of the haystack.
    pub(crate) fn has_begun(&self) -> bool {
        self.file.has_begun
    }

    /// How much is printed so far.
    pub(crate) fn printed(&self) -> Printed {
        Printed { has_begun: self.file.has_begun, bytes: self.file.counted.printed() }
    }

    /// Notes that what was printed after `before` has been removed from the output.
    pub(crate) fn reset(&mut self, before: Printed) {
        self.file.has_begun = before.has_begun;
        self.file.counted.set_printed(before.bytes);
    }

    /// Notes a match that is not printed.
    pub(crate) fn skip_match(&mut self) {
        self.file.found = 1;
    }

    /// Ends the line printed last.
    pub(crate) fn end_line(&mut self) {
        if let PrintedFormat::Lines(lines) = &mut *self.format {
            lines.end_line(&mut self.file);
        }
    }

    /// Reports that lines were not printed because of a NUL byte, if so.
    pub(crate) fn print_binary_message(&mut self) {
        if let PrintedFormat::Lines(lines) = &mut *self.format {
            lines.print_binary_message(&mut self.file);
        }
    }

    /// Ends the haystack after its last line, and prints a summary if `admits` returns true. The
    /// search came to its end, or an error ended it: what was printed is also counted.
    pub(crate) fn end(&mut self, finish: &Finish, admits: impl FnOnce(&mut O) -> bool) {
        let file = &mut self.file;
        file.is_known = !finish.is_abandoned && !finish.is_given_up(file.binary);
        let stats = file.counted.finish(finish, file.found > 0, self.stats.as_deref_mut());
        match self.format {
            PrintedFormat::Lines(_) | PrintedFormat::Templated(_) => {}
            PrintedFormat::Summary(summary) => {
                if summary.sum_up(file, finish) && admits(file.output) {
                    summary.print(file);
                }
            }
            PrintedFormat::Json(json) => json.finish(file, finish, stats),
        }
        file.end();
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
        let wants = match &*self.format {
            PrintedFormat::Summary(summary) => summary.wants(),
            PrintedFormat::Lines(printer) => printer.wants(),
            PrintedFormat::Json(_) | PrintedFormat::Templated(_) => Wants::default(),
        };
        // A haystack's end prints its name at the latest.
        let unmatched = wants.unmatched || self.wants_unmatched || self.file.name.is_some();
        Wants { unmatched, ..wants }
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.print_pending_name()?;
        self.file.found += lines;
        ControlFlow::Continue(())
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.print_pending_name()?;
        match self.format {
            PrintedFormat::Lines(lines) => lines.matched(&mut self.file, finder, line),
            PrintedFormat::Summary(summary) => summary.matched(&mut self.file, finder, line),
            PrintedFormat::Json(json) => json.matched(&mut self.file, finder, line),
            PrintedFormat::Templated(templated) => templated.matched(&mut self.file, finder, line),
        }
    }

    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        if self.name_is_pending {
            return None;
        }
        let printed = match self.format {
            PrintedFormat::Lines(lines) => lines.matched_unread(&mut self.file, line)?,
            PrintedFormat::Summary(summary) => Ok(summary.matched_unread(&mut self.file, line)?),
            PrintedFormat::Json(_) | PrintedFormat::Templated(_) => return None,
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
        match self.format {
            PrintedFormat::Lines(lines) => lines.context(&mut self.file, finder, line),
            PrintedFormat::Summary(_) | PrintedFormat::Templated(_) => ControlFlow::Continue(()),
            PrintedFormat::Json(json) => json.context(&mut self.file, finder, line),
        }
    }

    fn gap(&mut self) -> Flow {
        if let PrintedFormat::Lines(lines) = &mut *self.format {
            lines.gap(&mut self.file);
        }
        ControlFlow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.file.nul_at = Some(offset);
        ControlFlow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        let _ = self.print_pending_name();
        self.drop_name();
        self.end_line();
        self.print_binary_message();
        self.end(finish, |_| true);
    }
}
