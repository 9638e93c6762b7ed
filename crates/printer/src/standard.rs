//! The printer of lines: matching lines, their context, and what sets groups and files apart.

use std::ops::{ControlFlow, Range};

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

use crate::{Config, Output, decimal, layout::Layout, paths::PathLook, prelude::Role};

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
    /// The path of the current file as it is printed; empty: it is not.
    path: Vec<u8>,
    /// Scratch space for the matches of one line.
    spans: Vec<Range<usize>>,
}

impl<O: Output> Standard<O> {
    /// A printer that appends to `output`.
    pub fn new(config: &Config, output: O) -> Standard<O> {
        let terminator = config.terminator.as_bytes();
        let separator = config.context_separator.as_deref();
        let line = |end: &[u8]| separator.map(|s| [s, end].concat()).unwrap_or_default();
        // Between files ripgrep's threads end the separator with a line feed, whatever ends lines.
        let between_files = match config {
            Config { heading: true, .. } => b"\n".to_vec(),
            Config { context: true, .. } => line(b"\n"),
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
            path: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// A sink for the haystack at `path`, which is shown as it is but for its separators, and not
    /// at all without [`with_path`](Config::with_path). `binary` is what the searcher was told
    /// about this haystack.
    pub fn sink<'p>(
        &'p mut self,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> StandardSink<'p, O> {
        let path = path.filter(|_| self.with_path);
        StandardSink {
            printer: self,
            path,
            binary,
            nul_at: None,
            matched_lines: 0,
            has_begun: false,
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
    matched_lines: u64,
    has_begun: bool,
}

impl<O: Output> StandardSink<'_, O> {
    /// Whether a line matched, printed or not.
    #[must_use]
    pub fn has_match(&self) -> bool {
        self.matched_lines > 0
    }

    /// How many lines matched, printed or not.
    #[must_use]
    pub fn matched_lines(&self) -> u64 {
        self.matched_lines
    }

    /// Whether a NUL byte was seen that forbids to print lines from there on.
    fn is_muted(&self) -> bool {
        self.nul_at.is_some() && self.binary == BinaryPolicy::Convert
    }

    /// The first bytes of this haystack follow.
    fn begin_output(&mut self) {
        if self.has_begun {
            return;
        }
        self.has_begun = true;
        let printer = &mut *self.printer;
        printer.output.begin_file(&printer.between_files);
        printer.path.clear();
        if let Some(path) = self.path {
            printer.look.append(&mut printer.path, path);
        }
    }

    fn print(&mut self, finder: &mut Finder, line: &Line<'_>, role: Role) -> Flow {
        if self.is_muted() {
            return ControlFlow::Break(());
        }
        let is_first = !self.has_begun;
        self.begin_output();
        let printer = &mut *self.printer;
        let out = printer.output.buffer();
        if let (Some(after), true, Some(_)) = (&printer.after_heading, is_first, self.path) {
            out.extend_from_slice(&printer.path);
            out.extend_from_slice(after);
        }
        printer.layout.append(out, &printer.path, finder, line, role, &mut printer.spans);
        printer.output.commit()
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
        let out = printer.output.buffer();
        if self.path.is_some() {
            out.extend_from_slice(&printer.path);
            out.extend_from_slice(b": ");
        }
        out.extend_from_slice(message);
        out.extend_from_slice(b" (found \"\\0\" byte around offset ");
        decimal::append(out, offset);
        out.extend_from_slice(b")\n");
    }
}

impl<O: Output> Sink for StandardSink<'_, O> {
    fn matched(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.matched_lines += 1;
        self.print(finder, line, Role::Match)
    }

    /// After a NUL byte nothing is printed, but only a match ends the haystack: ripgrep stops at a context line too, and
    /// then says nothing of a match right behind it.
    fn context(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        if self.is_muted() {
            return ControlFlow::Continue(());
        }
        self.print(finder, line, Role::Context)
    }

    fn gap(&mut self) -> Flow {
        if !self.is_muted() {
            let printer = &mut *self.printer;
            printer.output.buffer().extend_from_slice(&printer.between_groups);
        }
        ControlFlow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul_at = Some(offset);
        ControlFlow::Continue(())
    }

    fn finish(&mut self, _: &Finish) {
        if let (Some(offset), true) = (self.nul_at, self.has_match()) {
            self.print_binary_message(offset);
        }
        if self.has_begun {
            // Nothing of this haystack is left to stop; the output remembers that nobody reads any
            // more.
            let _ = self.printer.output.end_file();
        }
    }
}
