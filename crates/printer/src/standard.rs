//! The printer of lines: matching lines, their context, and what sets groups and files apart.

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

/// One worker's printer of lines. Each haystack gets a sink of its own.
#[derive(Debug)]
pub struct Standard<O> {
    output: O,
    /// Boxed for its size alone.
    layout: Box<Layout>,
    look: PathLook,
    with_path: bool,
    /// What follows the path above the lines of a file; None if paths do not stand there.
    after_heading: Option<Box<[u8]>>,
    /// The line between groups of context; empty: there is none.
    between_groups: Box<[u8]>,
    /// The line between files; empty: there is none.
    between_files: Box<[u8]>,
    /// The current file.
    header: FileHeader,
    stats: Option<Stats>,
}

impl<O: Output> Standard<O> {
    /// A printer that appends to `output`.
    pub fn new(config: &PrinterConfig, output: O) -> Standard<O> {
        let terminator = config.terminator.as_bytes();
        let separator = config.context_separator.as_deref();
        let line = |end: &[u8]| separator.map(|s| [s, end].concat()).unwrap_or_default();
        // Between files ripgrep's threads end the separator with a line feed, whatever ends lines.
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

    /// What was searched, found and printed, if that is [counted](PrinterConfig::stats).
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// Go back to what was counted before a haystack, because its results have been dropped.
    pub(crate) fn set_stats(&mut self, stats: Stats) {
        self.stats = self.stats.is_some().then_some(stats);
    }

    /// A sink for the haystack at `path`, which is shown as it is but for its separators, and not
    /// at all without [`with_path`](PrinterConfig::with_path). `binary` is what the searcher was told
    /// about this haystack.
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

    /// Where this printer prints.
    pub fn output(&mut self) -> &mut O {
        &mut self.output
    }

    /// Give back where this printer printed.
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
    /// Where a NUL byte was seen, in bytes from the start.
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

    /// Whether a NUL byte was seen that forbids to print lines from there on.
    fn is_muted(&self) -> bool {
        self.nul_at.is_some() && self.binary == BinaryPolicy::Convert
    }

    /// The last bytes of this haystack are in the buffer.
    fn end_file(&mut self) {
        if self.has_begun {
            // Nothing of this haystack is left to stop; the output remembers that nobody reads any
            // more.
            let _ = self.printer.output.end_file();
        }
    }

    /// The first bytes of this haystack follow.
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

    /// Print `line`, whose matches are known by now.
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

    /// Whether nothing is printed of a block of lines and its file: its matches are shown part by part, and have none but
    /// line terminators, or nothing is left of it once they are replaced.
    fn shows_nothing(&self, line: &Line<'_>) -> bool {
        let layout = &self.printer.layout;
        if self.printer.after_heading.is_some() || !layout.may_leave_out() {
            return false;
        }
        layout.print(&mut Probe, &FileHeader::default(), line).is_continue()
    }

    /// Say that a NUL byte at `offset` kept lines from being printed. Always ends with a line feed.
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
    /// The path as it stands alone, as a link if it is one.
    fn append_path(&self, look: &PathLook, out: &mut OutBuffer<'_>) {
        let start = out.len();
        look.append_linked(out, self.target.as_deref(), |out| out.extend_from_slice(&self.path));
        out.count_as_escape(out.len() - start - (self.path.len() - self.escapes));
    }
}

impl<O: Output> Sink for StandardSink<'_, O> {
    /// What was searched counts, whether something was found or not.
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

    /// After a NUL byte nothing is printed, but only a match ends the haystack: ripgrep stops at a context line too, and
    /// then says nothing of a match right behind it.
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
