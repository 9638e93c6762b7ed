//! The printer of one line per haystack: its number of lines or matches, or its path.

use std::ops::ControlFlow;

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

use crate::{
    Output, PrinterConfig, Stats, Terminator, counted::Counted, decimal, matches, paths::PathLook,
};

/// What is printed about each haystack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The number of matching lines (`-c`).
    Count,
    /// The number of matches (`--count-matches`).
    CountMatches,
    /// The path, if there is a match (`-l`).
    FilesWithMatches,
    /// The path, if there is no match (`--files-without-match`).
    FilesWithoutMatch,
    /// Nothing; the search ends at the first match (`-q`).
    Quiet,
    /// Nothing; haystacks without a match satisfy the search (`-q --files-without-match`).
    QuietWithoutMatch,
}

/// A worker's printer of one line per haystack. Each haystack gets a sink of its own.
///
/// # Examples
///
/// ```
/// use heist_matcher::Matcher;
/// use heist_printer::{Mode, PrinterConfig, Summary};
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
///     let mut printer = Summary::new(mode, &config, Vec::new());
///     let mut sink = printer.sink(Some(b"a.txt"), BinaryPolicy::Quit);
///     Searcher::default().search_slice(&mut matcher.finder(), b"foo\nbar\nto\n", &mut sink)?;
///     assert_eq!(String::from_utf8(printer.into_output())?, expected);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Summary<O> {
    output: O,
    mode: Mode,
    look: PathLook,
    with_path: bool,
    include_zero: bool,
    terminator: Terminator,
    /// The byte between path and count: a colon, whatever separates the fields of lines, or NUL.
    after_path: u8,
    /// The bytes after a path that is printed alone.
    end_of_path: &'static [u8],
    stats: Option<Stats>,
}

impl<O: Output> Summary<O> {
    /// Returns a printer that appends to `output`.
    pub fn new(mode: Mode, config: &PrinterConfig, output: O) -> Summary<O> {
        Summary {
            output,
            mode,
            look: PathLook::new(config),
            with_path: config.with_path,
            include_zero: config.include_zero,
            terminator: config.terminator,
            after_path: if config.null { b'\0' } else { b':' },
            end_of_path: if config.null { b"\0" } else { config.terminator.as_bytes() },
            stats: config.stats.then(Stats::default),
        }
    }

    /// The statistics so far, if they are [collected](PrinterConfig::stats). The modes that end at
    /// the first match then do not.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// Restores the statistics from before a haystack, because its results have been dropped.
    pub(crate) fn set_stats(&mut self, stats: Stats) {
        self.stats = self.stats.is_some().then_some(stats);
    }

    /// Returns a sink for the haystack at `path`, searched with the policy `binary`. A mode that
    /// prints paths does so even without [`with_path`](PrinterConfig::with_path).
    pub fn sink<'p>(
        &'p mut self,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> SummarySink<'p, O> {
        let counted = Counted::new(self.stats.is_some());
        SummarySink { printer: self, path, binary, count: 0, is_known: false, counted }
    }

    /// The output that this printer appends to.
    pub fn output(&mut self) -> &mut O {
        &mut self.output
    }

    /// Returns the output.
    pub fn into_output(self) -> O {
        self.output
    }

    fn print(&mut self, path: Option<&[u8]>, count: u64) {
        let is_printed = match self.mode {
            Mode::Count | Mode::CountMatches => count > 0 || self.include_zero,
            Mode::FilesWithMatches => count > 0,
            Mode::FilesWithoutMatch => count == 0,
            Mode::Quiet | Mode::QuietWithoutMatch => false,
        };
        if !is_printed {
            return;
        }
        self.output.begin_file(b"");
        let out = self.output.buffer();
        if matches!(self.mode, Mode::Count | Mode::CountMatches) {
            if let Some(path) = path.filter(|_| self.with_path) {
                self.look.append(out, path);
                out.push(self.after_path);
            }
            decimal::append(out, count);
            out.extend_from_slice(self.terminator.as_bytes());
        } else if let Some(path) = path {
            self.look.append(out, path);
            out.extend_from_slice(self.end_of_path);
        }
        // The haystack is over; the output remembers if it is closed.
        let _ = self.output.end_file();
    }
}

/// Counts in one haystack and prints the result at its end.
#[derive(Debug)]
pub struct SummarySink<'p, O> {
    printer: &'p mut Summary<O>,
    path: Option<&'p [u8]>,
    binary: BinaryPolicy,
    /// The number of lines or matches, depending on the mode.
    count: u64,
    /// The haystack was searched as far as necessary, and not given up as binary.
    is_known: bool,
    counted: Counted,
}

impl<O: Output> SummarySink<'_, O> {
    /// Whether the haystack satisfies the mode: it has a match or, in the modes without match,
    /// none. Neither holds for a haystack that was given up as binary or has not been searched.
    #[must_use]
    pub fn has_match(&self) -> bool {
        let wants_none =
            matches!(self.printer.mode, Mode::FilesWithoutMatch | Mode::QuietWithoutMatch);
        if wants_none { self.is_known && self.count == 0 } else { self.count > 0 }
    }

    /// The number of matching lines; with [`Mode::CountMatches`], or if matches may span lines, the
    /// number of matches; at most 1 if the search ends at the first match.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of matches in a matching line or block of lines; 1 if there are none, because the
    /// search is inverted.
    fn matches_in(&self, finder: &mut Finder, line: &Line<'_>) -> u64 {
        let body = match line.bytes.split_last() {
            // If NUL bytes end lines, a searcher may leave them as they are.
            Some((0, body)) if self.binary == BinaryPolicy::Convert => body,
            _ => self.printer.terminator.strip(line.bytes),
        };
        matches::count(finder, line, body).max(1)
    }

    /// Whether the search ends at the first match.
    fn stops_at_first(&self) -> bool {
        !matches!(self.printer.mode, Mode::Count | Mode::CountMatches) && !self.counted.is_wanted()
    }
}

impl<O: Output> Sink for SummarySink<'_, O> {
    /// A haystack without a match may be a result only if it is known not to be binary.
    fn wants_unmatched(&self) -> bool {
        match self.printer.mode {
            _ if self.counted.is_wanted() => true,
            Mode::Count | Mode::CountMatches => self.printer.include_zero,
            Mode::FilesWithoutMatch | Mode::QuietWithoutMatch => true,
            Mode::FilesWithMatches | Mode::Quiet => false,
        }
    }

    /// Not if only their number is printed.
    fn wants_lines(&self) -> bool {
        self.printer.mode != Mode::Count || self.counted.is_wanted()
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.count += lines;
        ControlFlow::Continue(())
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        if self.stops_at_first() {
            self.count = 1;
            return ControlFlow::Break(());
        }
        // The only count of a block of lines is that of its matches.
        let counts_lines = self.printer.mode != Mode::CountMatches && line.block.is_none();
        if counts_lines && !self.counted.is_wanted() {
            self.count += 1;
            return ControlFlow::Continue(());
        }
        let matches = self.matches_in(finder, line);
        self.count += if counts_lines { 1 } else { matches };
        self.counted.add_line(line, self.printer.terminator, matches);
        ControlFlow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        self.counted.finish(finish, self.count > 0, self.printer.stats.as_mut());
        // What was found before the first NUL byte may not be all, so nothing is printed.
        if finish.binary_offset.is_some() && self.binary == BinaryPolicy::Quit {
            self.count = 0;
            return;
        }
        self.is_known = true;
        self.printer.print(self.path, self.count);
    }

    /// What was found may not be all.
    fn abandon(&mut self) {
        self.count = 0;
    }
}
