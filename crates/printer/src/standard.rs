//! The printer of lines: matching lines, their context, and separators between groups and files.

use std::ops::ControlFlow;

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

use crate::{
    Output, PrinterConfig, Stats,
    counted::Counted,
    decimal,
    fields::FileHeader,
    line_layout::Layout,
    out_buffer::{Committed, OutBuffer, Probe},
    paths::PathLook,
};

/// A worker's printer of lines. Each haystack gets a sink of its own.
///
/// # Examples
///
/// ```
/// use heist_matcher::Matcher;
/// use heist_printer::{PrinterConfig, Standard};
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
/// let mut printer = Standard::new(&config, Vec::new());
/// let mut searcher = Searcher::new(SearchConfig { before_context: 1, ..SearchConfig::default() });
/// let mut sink = printer.sink(Some(b"a.txt"), BinaryPolicy::Quit);
/// searcher.search_slice(&mut matcher.finder(), b"one\ntwo\nthree\n", &mut sink)?;
/// assert!(sink.has_match());
/// assert_eq!(printer.into_output(), b"a.txt-1-one\na.txt:2:two\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Standard<O> {
    output: O,
    /// Boxed because of its size.
    layout: Box<Layout>,
    look: PathLook,
    with_path: bool,
    /// The bytes after the path above the lines of a file; `None` without headings.
    after_heading: Option<Box<[u8]>>,
    /// The line between groups of context; may be empty.
    between_groups: Box<[u8]>,
    /// The line between files; may be empty.
    between_files: Box<[u8]>,
    /// The current file.
    header: FileHeader,
    stats: Option<Stats>,
}

impl<O: Output> Standard<O> {
    /// Returns a printer that appends to `output`.
    pub fn new(config: &PrinterConfig, output: O) -> Standard<O> {
        let terminator = config.terminator.as_bytes();
        let separator = config.context_separator.as_deref();
        let line = |end: &[u8]| separator.map(|s| [s, end].concat()).unwrap_or_default();
        // Between files, ripgrep's threads end the separator with a line feed, whatever ends lines.
        let between_files = match config {
            PrinterConfig { heading: true, .. } => b"\n".to_vec(),
            PrinterConfig { context: true, .. } => line(b"\n"),
            _ => Vec::new(),
        };
        let after_path = if config.null { b"\0" } else { terminator };
        Standard {
            output,
            layout: Box::new(Layout::new(config)),
            look: PathLook::new(config),
            with_path: config.with_path,
            after_heading: config.heading.then(|| after_path.into()),
            between_groups: line(terminator).into_boxed_slice(),
            between_files: between_files.into_boxed_slice(),
            header: FileHeader::default(),
            stats: config.stats.then(Stats::default),
        }
    }

    /// The statistics so far, if they are [collected](PrinterConfig::stats).
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// Restores the statistics from before a haystack, because its results have been dropped.
    pub(crate) fn set_stats(&mut self, stats: Stats) {
        self.stats = self.stats.is_some().then_some(stats);
    }

    /// Returns a sink for the haystack at `path`, searched with the policy `binary`. Without
    /// [`with_path`](PrinterConfig::with_path) the path is not printed.
    pub fn sink<'p>(
        &'p mut self,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> StandardSink<'p, O> {
        let path = path.filter(|_| self.with_path);
        let counted = Counted::new(self.stats.is_some());
        StandardSink {
            printer: self,
            path,
            binary,
            nul_at: None,
            has_match: false,
            has_begun: false,
            counted,
        }
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

/// Prints the lines of one haystack.
#[derive(Debug)]
pub struct StandardSink<'p, O> {
    printer: &'p mut Standard<O>,
    path: Option<&'p [u8]>,
    binary: BinaryPolicy,
    /// The position of the first NUL byte, if one was seen.
    nul_at: Option<u64>,
    has_match: bool,
    has_begun: bool,
    counted: Counted,
}

impl<O: Output> StandardSink<'_, O> {
    /// Whether a line matched, printed or not.
    #[must_use]
    pub fn has_match(&self) -> bool {
        self.has_match
    }

    /// Whether a NUL byte was seen after which no lines are printed.
    fn is_muted(&self) -> bool {
        self.nul_at.is_some() && self.binary == BinaryPolicy::Convert
    }

    /// Ends the output of this haystack.
    fn end_file(&mut self) {
        if self.has_begun {
            // The haystack is over; the output remembers if it is closed.
            let _ = self.printer.output.end_file();
        }
    }

    /// Begins the output of this haystack.
    fn begin_output(&mut self) {
        if self.has_begun {
            return;
        }
        self.has_begun = true;
        let printer = &mut *self.printer;
        printer.output.begin_file(&printer.between_files);
        printer.header.path.clear();
        printer.header.target = None;
        if let Some(path) = self.path {
            printer.header.escapes = printer.look.append_styled(&mut printer.header.path, path);
            printer.header.target = printer.look.target(path);
        }
    }

    /// Prints `line`, whose matches have been found.
    fn print(&mut self, line: &Line<'_>) -> Flow {
        let is_first = !self.has_begun;
        if is_first && line.block.is_some() && self.shows_nothing(line) {
            return ControlFlow::Continue(());
        }
        self.begin_output();
        let printer = &mut *self.printer;
        let out = &mut OutBuffer::new(printer.output.buffer());
        if let (Some(after), true, Some(_)) = (&printer.after_heading, is_first, self.path) {
            printer.header.append_path(&printer.look, out);
            out.extend_from_slice(after);
        }
        let heading = out.count();
        let pieces = &mut Committed::new(&mut printer.output);
        let flow = printer.layout.print(pieces, &printer.header, line);
        self.counted.add_printed(heading + pieces.count);
        flow
    }

    /// Whether nothing is printed of a block of lines and its file: its matches are printed part by
    /// part and contain only line terminators, or nothing is left of it after replacement.
    fn shows_nothing(&self, line: &Line<'_>) -> bool {
        let layout = &self.printer.layout;
        if self.printer.after_heading.is_some() || !layout.may_leave_out() {
            return false;
        }
        layout.print(&mut Probe, &FileHeader::default(), line).is_continue()
    }

    /// Reports that lines were not printed because of a NUL byte at `offset`. Always ends with a
    /// line feed.
    #[cold]
    fn print_binary_message(&mut self, offset: u64) {
        let message: &[u8] = match self.binary {
            BinaryPolicy::Text => return,
            BinaryPolicy::Quit => b"WARNING: stopped searching binary file after match",
            BinaryPolicy::Convert => b"binary file matches",
        };
        self.begin_output();
        let printer = &mut *self.printer;
        let out = &mut OutBuffer::new(printer.output.buffer());
        if self.path.is_some() {
            printer.header.append_path(&printer.look, out);
            out.extend_from_slice(b": ");
        }
        out.extend_from_slice(message);
        out.extend_from_slice(b" (found \"\\0\" byte around offset ");
        decimal::append(out, offset);
        out.extend_from_slice(b")\n");
        self.counted.add_printed(out.count());
    }
}

impl FileHeader {
    /// Appends the path alone, as a link if it is one.
    fn append_path(&self, look: &PathLook, out: &mut OutBuffer<'_>) {
        let start = out.len();
        look.append_linked(out, self.target.as_deref(), |out| out.extend_from_slice(&self.path));
        out.count_as_escape(out.len() - start - (self.path.len() - self.escapes));
    }
}

impl<O: Output> Sink for StandardSink<'_, O> {
    /// With statistics, what was searched counts even without a match.
    fn wants_unmatched(&self) -> bool {
        self.counted.is_wanted()
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.has_match = true;
        if self.is_muted() && !self.counted.is_wanted() {
            return ControlFlow::Break(());
        }
        let layout = &mut self.printer.layout;
        let matches = layout.find(finder, line);
        self.counted.add_line(line, layout.terminator(), matches);
        if self.is_muted() { ControlFlow::Break(()) } else { self.print(line) }
    }

    /// After a NUL byte nothing is printed, but only a match ends the haystack. (ripgrep stops at a
    /// context line too, and then does not report a match directly after it.)
    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        if self.is_muted() {
            return ControlFlow::Continue(());
        }
        self.printer.layout.find(finder, line);
        self.print(line)
    }

    fn gap(&mut self) -> Flow {
        if !self.is_muted() {
            let printer = &mut *self.printer;
            printer.output.buffer().extend_from_slice(&printer.between_groups);
            self.counted.add_printed(printer.between_groups.len() as u64);
        }
        ControlFlow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul_at = Some(offset);
        ControlFlow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        if let (Some(offset), true) = (self.nul_at, self.has_match) {
            self.print_binary_message(offset);
        }
        self.counted.finish(finish, self.has_match, self.printer.stats.as_mut());
        self.end_file();
    }

    fn abandon(&mut self) {
        self.end_file();
    }
}
