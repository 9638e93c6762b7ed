//! The printer. Its format is chosen when it is made.

use heist_searcher::BinaryPolicy;

use crate::{
    Mode, Output, PrinterConfig, PrinterSink, Stats, Template,
    formats::{json::Json, standard::Standard, summary::SummarySink, templated::Templated},
    printer_sink::PrintedFormat,
};

/// A worker's printer. Each haystack gets its own sink.
#[derive(Debug)]
pub struct Printer<O> {
    output: O,
    format: PrintedFormat,
    stats: Option<Stats>,
}

impl<O: Output> Printer<O> {
    /// Returns a printer for lines: matching lines, their context, and separators between groups
    /// and files.
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
        let format = PrintedFormat::Lines(Box::new(Standard::new(config)));
        Printer { output, format, stats: config.stats.then(Stats::default) }
    }

    /// Returns a printer that prints one line per haystack: how many lines or matches it has, or
    /// its path.
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
        let format = PrintedFormat::Summary(Box::new(SummarySink::new(mode, config)));
        Printer { output, format, stats: config.stats.then(Stats::default) }
    }

    /// Returns a printer for `template`, which is printed for each match or line. It always prints
    /// as if with [`with_path`](PrinterConfig::with_path), and prints no context.
    pub fn templated(template: &Template, config: &PrinterConfig, output: O) -> Printer<O> {
        let format = PrintedFormat::Templated(Box::new(Templated::new(template, config)));
        Printer { output, format, stats: config.stats.then(Stats::default) }
    }

    /// Returns a printer of messages for programs (`--json`), one JSON object per line. Of
    /// `config`, it uses only `terminator`, `line_numbers`, `invert`, `replacement`, `excerpt`,
    /// `patterns` and `visible`.
    ///
    /// The message that ends a run is [`Stats::append_json_summary`] for the sum of all printers'
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
        let format = PrintedFormat::Json(Box::new(Json::new(config)));
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
        let has_path = !matches!(format, PrintedFormat::Lines(lines) if !lines.with_path);
        let path = path.filter(|_| has_path);
        PrinterSink::new(format, stats.as_mut(), output, path, binary)
    }

    /// Whether nothing more has to be known about a haystack if its name matches.
    pub fn is_decided_by_name(&self) -> bool {
        let shows_first_only =
            matches!(&self.format, PrintedFormat::Summary(summary) if summary.shows_first_only());
        self.stats.is_none() && shows_first_only
    }

    /// The statistics so far. `None` unless they are [collected](PrinterConfig::stats), as they
    /// always are for JSON.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// The sum of all counts so far, if it [replaces](PrinterConfig::total) them.
    pub fn total(&self) -> Option<u64> {
        match &self.format {
            PrintedFormat::Summary(summary) => summary.total,
            PrintedFormat::Lines(_) | PrintedFormat::Json(_) | PrintedFormat::Templated(_) => None,
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
