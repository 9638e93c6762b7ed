//! The printer, whose format is chosen when it is made, and the sink for one haystack.

use std::{io, ops::ControlFlow};

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink, UnreadLine, UnreadMatches, Wants};

use crate::{
    Admission, Mode, NameMatch, Output, PrinterConfig, Stats, Template,
    counted::Counted,
    gate::Gate,
    haystack::Haystack,
    json::Json,
    standard::{self, Standard},
    summary::Summary,
    templated::Templated,
};

/// A worker's printer. Each haystack gets a sink of its own.
#[derive(Debug)]
pub struct Printer<O> {
    output: O,
    format: Format,
    stats: Option<Stats>,
}

/// What is printed. Boxed because of the sizes.
#[derive(Debug)]
enum Format {
    Lines(Box<Standard>),
    Summary(Box<Summary>),
    Json(Box<Json>),
    Templated(Box<Templated>),
}

impl<O: Output> Printer<O> {
    /// Returns a printer of lines: matching lines, their context, and separators between groups and
    /// files.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist_matcher::Matcher;
    /// use heist_printer::{Printer, PrinterConfig};
    /// use heist_searcher::{BinaryPolicy, SearchConfig, Searcher};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let matcher = Matcher::new(&["two".to_owned()], &Default::default())?;
    /// let config = PrinterConfig {
    ///     with_path: true,
    ///     line_numbers: true,
    ///     context: true,
    ///     ..PrinterConfig::default()
    /// };
    /// let mut printer = Printer::lines(&config, Vec::new());
    /// let config = SearchConfig { before_context: 1, ..SearchConfig::default() };
    /// let mut searcher = Searcher::new(config);
    /// let mut sink = printer.sink(Some(b"a.txt"), BinaryPolicy::Quit);
    /// searcher.search_slice(&mut matcher.finder(), b"one\ntwo\nthree\n", &mut sink)?;
    /// assert!(sink.has_match());
    /// assert_eq!(printer.into_output(), b"a.txt-1-one\na.txt:2:two\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn lines(config: &PrinterConfig, output: O) -> Printer<O> {
        let format = Format::Lines(Box::new(Standard::new(config)));
        Printer { output, format, stats: config.stats.then(Stats::default) }
    }

    /// Returns a printer of one line per haystack: its number of lines or matches, or its path.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist_matcher::Matcher;
    /// use heist_printer::{Mode, Printer, PrinterConfig};
    /// use heist_searcher::{BinaryPolicy, Searcher};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let matcher = Matcher::new(&["o".to_owned()], &Default::default())?;
    /// for (mode, expected) in [
    ///     (Mode::Count, "a.txt:2\n"),
    ///     (Mode::CountMatches, "a.txt:3\n"),
    ///     (Mode::FilesWithMatches, "a.txt\n"),
    ///     (Mode::FilesWithoutMatch, ""),
    /// ] {
    ///     let config = PrinterConfig { with_path: true, ..PrinterConfig::default() };
    ///     let mut printer = Printer::summary(mode, &config, Vec::new());
    ///     let mut sink = printer.sink(Some(b"a.txt"), BinaryPolicy::Quit);
    ///     Searcher::default().search_slice(&mut matcher.finder(), b"foo\nbar\nto\n", &mut sink)?;
    ///     assert_eq!(String::from_utf8(printer.into_output())?, expected);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn summary(mode: Mode, config: &PrinterConfig, output: O) -> Printer<O> {
        let format = Format::Summary(Box::new(Summary::new(mode, config)));
        Printer { output, format, stats: config.stats.then(Stats::default) }
    }

    /// Returns a printer of `template`, for each match or line. It always prints as if with
    /// [`with_path`](PrinterConfig::with_path), and prints no context.
    pub fn templated(template: &Template, config: &PrinterConfig, output: O) -> Printer<O> {
        let format = Format::Templated(Box::new(Templated::new(template, config)));
        Printer { output, format, stats: config.stats.then(Stats::default) }
    }

    /// Returns a printer of messages for programs (`--json`), one JSON object per line. Of
    /// `config`, it uses only `terminator`, `line_numbers`, `invert`, `replacement` and `visible`.
    ///
    /// The message that ends a run is [`Stats::append_json_summary`] of the sum of all printers'
    /// [`stats`](Printer::stats).
    ///
    /// # Examples
    ///
    /// ```
    /// use heist_matcher::Matcher;
    /// use heist_printer::{Printer, PrinterConfig};
    /// use heist_searcher::{BinaryPolicy, Searcher};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let matcher = Matcher::new(&["two".to_owned()], &Default::default())?;
    /// let config = PrinterConfig { line_numbers: true, ..PrinterConfig::default() };
    /// let mut printer = Printer::json(&config, Vec::new());
    /// let mut sink = printer.sink(Some(b"a.txt"), BinaryPolicy::Quit);
    /// Searcher::default().search_slice(&mut matcher.finder(), b"one\ntwo\n", &mut sink)?;
    ///
    /// let output = String::from_utf8(printer.into_output())?;
    /// let messages: Vec<&str> = output.lines().collect();
    /// assert_eq!(messages[0], r#"{"type":"begin","data":{"path":{"text":"a.txt"}}}"#);
    /// assert!(messages[1].starts_with(r#"{"type":"match","#));
    /// assert!(messages[1].contains(r#""lines":{"text":"two\n"},"line_number":2"#));
    /// assert!(messages[2].starts_with(r#"{"type":"end","#));
    /// # Ok(())
    /// # }
    /// ```
    pub fn json(config: &PrinterConfig, output: O) -> Printer<O> {
        let format = Format::Json(Box::new(Json::new(config)));
        Printer { output, format, stats: Some(Stats::default()) }
    }

    /// Returns a sink for the haystack at `path`, searched with the policy `binary`. A printer of
    /// lines prints no path without [`with_path`](PrinterConfig::with_path). Messages in JSON are
    /// printed whatever the policy, and report NUL bytes at the end.
    pub fn sink<'p>(
        &'p mut self,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> PrinterSink<'p, O> {
        let Printer { output, format, stats } = self;
        let counted = Counted::new(stats.is_some());
        let has_path = !matches!(format, Format::Lines(lines) if !lines.with_path);
        let path = path.filter(|_| has_path);
        let (has_begun, is_known) = (false, false);
        let file = Haystack {
            path,
            name: None,
            binary,
            output,
            counted,
            has_begun,
            found: 0,
            nul_at: None,
            is_known,
        };
        let gate = file.output.begin_haystack().then(Gate::default);
        PrinterSink {
            format,
            stats: stats.as_mut(),
            file,
            wants_unmatched: false,
            name_is_pending: false,
            gate,
            error: None,
        }
    }

    /// Whether nothing more has to be known of a haystack whose name matches.
    pub fn is_decided_by_name(&self) -> bool {
        let is_decided = |summary: &Summary| summary.shows_first_only();
        self.stats.is_none() && matches!(&self.format, Format::Summary(s) if is_decided(s))
    }

    /// The statistics so far. `None` unless they are [collected](PrinterConfig::stats), as they
    /// always are for JSON.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// The sum of all counts so far, if it [replaces](PrinterConfig::total) them.
    pub fn total(&self) -> Option<u64> {
        match &self.format {
            Format::Summary(summary) => summary.total,
            Format::Lines(_) | Format::Json(_) | Format::Templated(_) => None,
        }
    }

    /// Restores the statistics from before a haystack, because its results have been dropped.
    pub fn set_stats(&mut self, stats: Stats) {
        self.stats = self.stats.is_some().then_some(stats);
    }

    /// The output that this printer appends to.
    pub fn output(&mut self) -> &mut O {
        &mut self.output
    }

    /// Returns the output.
    pub fn into_output(self) -> O {
        self.output
    }
}

/// Prints one haystack.
#[derive(Debug)]
pub struct PrinterSink<'p, O> {
    format: &'p mut Format,
    stats: Option<&'p mut Stats>,
    file: Haystack<'p, O>,
    wants_unmatched: bool,
    /// Whether the name of the haystack matches, and has not been printed.
    name_is_pending: bool,
    /// The decisions about results, if they are limited.
    gate: Option<Gate>,
    /// Why the search was ended, if a line could not be read.
    error: Option<io::Error>,
}

impl<'p, O: Output> PrinterSink<'p, O> {
    /// Requests the events of a haystack without a match, too, for [`nul_at`](Self::nul_at).
    pub fn watch_unmatched(&mut self) {
        self.wants_unmatched = true;
    }

    /// States that the name of the haystack matches. It is printed before anything else of it, also
    /// if nothing else is.
    pub fn set_name(&mut self, name: NameMatch<'p>) {
        self.file.name = Some(name);
        self.name_is_pending = true;
    }

    /// Whether the name matches and has not been printed, because an error came first.
    #[must_use]
    pub fn name_is_pending(&self) -> bool {
        self.name_is_pending
    }

    /// Prints only the name, if it matches, of a haystack that cannot be searched.
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
    /// without match, none. Neither holds for a haystack whose summary was given up as binary.
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

    /// Prints the name, which is a result of its own. A summary has it in the line about the file.
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
        let had_begun = self.file.has_begun;
        let flow = match self.format {
            Format::Lines(lines) => lines.print_name(&mut self.file, &name),
            Format::Json(json) => json.print_name(&mut self.file, &name),
            Format::Templated(templated) => templated.print_name(&mut self.file, &name),
            Format::Summary(_) => ControlFlow::Continue(()),
        };
        if self.gate.is_some() && self.file.output.take_withdrawn() {
            self.file.has_begun = had_begun;
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
}

impl<O: Output> Sink for PrinterSink<'_, O> {
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
            // The end of a haystack prints its name at the latest.
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
        let _ = self.print_pending_name();
        self.name_is_pending = false;
        let file = &mut self.file;
        let is_closed = self.gate.is_some_and(|gate| gate.is_closed());
        if let (Format::Lines(lines), false) = (&mut *self.format, is_closed) {
            lines.print_binary_message(file);
        }
        let stats = file.counted.finish(finish, file.found > 0, self.stats.as_deref_mut());
        match self.format {
            Format::Lines(_) | Format::Templated(_) => {}
            Format::Summary(summary) => summary.finish(file, finish),
            Format::Json(json) => json.finish(file, finish, stats),
        }
        self.file.end();
    }

    fn abandon(&mut self) {
        if let Format::Summary(_) = self.format {
            // What was found may not be all.
            self.file.found = 0;
        }
        // As in ripgrep 15.2, there is no `end` message in JSON.
        self.file.end();
    }
}
