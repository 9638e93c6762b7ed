//! The printer of answers: how many lines or matches a haystack has, or that it has any.

use std::ops::ControlFlow;

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

use crate::{
    Output, PrinterConfig, Stats, Terminator, counted::Counted, decimal, matches, paths::PathLook,
};

/// What is asked about each haystack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// How many lines match (`-c`).
    Count,
    /// How many matches there are (`--count-matches`).
    CountMatches,
    /// Which haystacks have a match (`-l`).
    FilesWithMatches,
    /// Which haystacks have none (`--files-without-match`).
    FilesWithoutMatch,
    /// Whether there is a match; nothing is printed (`-q`).
    Quiet,
    /// Whether there is none; nothing is printed (`-q --files-without-match`).
    QuietWithoutMatch,
}

/// One worker's printer of answers. Each haystack gets a sink of its own.
#[derive(Debug)]
pub struct Summary<O> {
    output: O,
    mode: Mode,
    look: PathLook,
    with_path: bool,
    include_zero: bool,
    terminator: Terminator,
    /// Between path and count: a colon whatever separates the fields of lines, or a NUL byte.
    after_path: u8,
    /// What ends a path that is the answer.
    end_of_path: &'static [u8],
    stats: Option<Stats>,
}

impl<O: Output> Summary<O> {
    /// A printer that appends to `output`.
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

    /// What was searched and found, if that is [counted](PrinterConfig::stats). In the modes that stop at the first match
    /// nothing stops then.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// Go back to what was counted before a haystack, because its results have been dropped.
    pub(crate) fn set_stats(&mut self, stats: Stats) {
        self.stats = self.stats.is_some().then_some(stats);
    }

    /// A sink for the haystack at `path`. A mode whose answer is a path prints it even without
    /// [`with_path`](PrinterConfig::with_path). `binary` is what the searcher was told about this
    /// haystack.
    pub fn sink<'p>(
        &'p mut self,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> SummarySink<'p, O> {
        let counted = Counted::new(self.stats.is_some());
        SummarySink { printer: self, path, binary, count: 0, is_known: false, counted }
    }

    /// Where this printer prints.
    pub fn output(&mut self) -> &mut O {
        &mut self.output
    }

    /// Give back where this printer printed.
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
        // Nothing of this haystack is left to stop; the output remembers that nobody reads any
        // more.
        let _ = self.output.end_file();
    }
}

/// Finds the answer for one haystack and prints it at the end.
#[derive(Debug)]
pub struct SummarySink<'p, O> {
    printer: &'p mut Summary<O>,
    path: Option<&'p [u8]>,
    binary: BinaryPolicy,
    /// Lines or matches, as the mode asks.
    count: u64,
    /// The haystack was searched as far as it takes, and did not turn out to be binary and not wanted.
    is_known: bool,
    counted: Counted,
}

impl<O: Output> SummarySink<'_, O> {
    /// Whether the haystack has what the mode asks for: a match, or for the modes without match
    /// none. A haystack that was given up as binary, or has not been searched, has neither.
    #[must_use]
    pub fn has_match(&self) -> bool {
        let wants_none =
            matches!(self.printer.mode, Mode::FilesWithoutMatch | Mode::QuietWithoutMatch);
        if wants_none { self.is_known && self.count == 0 } else { self.count > 0 }
    }

    /// How many lines matched, or with [`Mode::CountMatches`], or where matches may span lines, how many matches there
    /// are; no more than one where the search stops at the first.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many matches are in a matching line or block of lines; one if none is found, which is so when the search is
    /// inverted.
    fn matches_in(&self, finder: &mut Finder, line: &Line<'_>) -> u64 {
        let body = match line.bytes.split_last() {
            // Where NUL bytes end lines, a searcher may leave them as they are.
            Some((0, body)) if self.binary == BinaryPolicy::Convert => body,
            _ => self.printer.terminator.strip(line.bytes),
        };
        matches::count(finder, line, body).max(1)
    }

    /// Whether one match is all there is to know.
    fn stops_at_first(&self) -> bool {
        !matches!(self.printer.mode, Mode::Count | Mode::CountMatches) && !self.counted.is_wanted()
    }
}

impl<O: Output> Sink for SummarySink<'_, O> {
    /// Where a haystack without match is an answer, it has to be known not to be binary.
    fn wants_unmatched(&self) -> bool {
        match self.printer.mode {
            _ if self.counted.is_wanted() => true,
            Mode::Count | Mode::CountMatches => self.printer.include_zero,
            Mode::FilesWithoutMatch | Mode::QuietWithoutMatch => true,
            Mode::FilesWithMatches | Mode::Quiet => false,
        }
    }

    /// Not where their number is the answer.
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
        // A block of lines has no other number than that of its matches.
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
        // What was found before the first NUL byte is not known to be all there is: no answer at
        // all.
        if finish.binary_offset.is_some() && self.binary == BinaryPolicy::Quit {
            self.count = 0;
            return;
        }
        self.is_known = true;
        self.printer.print(self.path, self.count);
    }

    /// What is not known to be all is no answer.
    fn abandon(&mut self) {
        self.count = 0;
    }
}
