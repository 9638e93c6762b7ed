//! Prints lines: matching lines, their context, and separators between groups and files.

use std::{io, ops::ControlFlow};

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Flow, Line, UnreadLine, Wants};

use crate::{
    NameMatch, Output, PrinterConfig,
    haystack::Haystack,
    line::{
        fields::FileHeader,
        layout::Layout,
        out_buffer::{Committed, OutBuffer, Probe},
    },
    path::paths::PathLook,
    value::decimal,
};

/// Prints lines.
#[derive(Debug)]
pub(crate) struct Standard {
    layout: Layout,
    look: PathLook,
    pub(crate) with_path: bool,
    /// The bytes after the path above a file's lines; `None` without headings.
    after_heading: Option<Box<[u8]>>,
    /// The bytes after a path that is printed alone because it matches.
    after_name: &'static [u8],
    /// The line between context groups; may be empty.
    between_groups: Box<[u8]>,
    /// The line between files; may be empty.
    between_files: Box<[u8]>,
    /// The current file.
    header: FileHeader,
    /// Where the text goes on that continues the line printed last, and that line's terminator if
    /// none follows.
    open_at: Option<(u64, &'static [u8])>,
}

impl Standard {
    pub(crate) fn new(config: &PrinterConfig) -> Standard {
        let terminator = config.terminator.as_bytes();
        let separator = config.context_separator.as_deref();
        let line = |end: &[u8]| separator.map(|s| [s, end].concat()).unwrap_or_default();
        // Between files, ripgrep's threads end the separator with a line feed, whatever ends lines.
        let between_files = match config {
            PrinterConfig { compact: true, .. } => Vec::new(),
            PrinterConfig { heading: true, .. } => b"\n".to_vec(),
            PrinterConfig { context: true, .. } => line(b"\n"),
            _ => Vec::new(),
        };
        let after_path: &'static [u8] = if config.null { b"\0" } else { terminator };
        Standard {
            layout: Layout::new(config),
            look: PathLook::new(config),
            with_path: config.with_path,
            after_heading: config.heading.then(|| after_path.into()),
            after_name: after_path,
            between_groups: line(terminator).into_boxed_slice(),
            between_files: between_files.into_boxed_slice(),
            header: FileHeader::default(),
            open_at: None,
        }
    }

    pub(crate) fn matched<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        if is_muted(file) && !file.counted.is_wanted() {
            file.found = 1;
            return ControlFlow::Break(());
        }
        self.layout.find(finder, line)?;
        file.found = 1;
        file.counted.add_line(line, self.layout.terminator(), self.layout.matches());
        if is_muted(file) { ControlFlow::Break(()) } else { self.print(file, line) }
    }

    /// What has to be known about a haystack, but for statistics.
    #[inline]
    pub(crate) fn wants(&self) -> Wants {
        Wants { unread: self.layout.unread_matches(), ..Wants::default() }
    }

    /// Prints a matching line that has not been read. `None` if it must be.
    pub(crate) fn matched_unread<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        line: &UnreadLine<'_>,
    ) -> Option<io::Result<Flow>> {
        if file.counted.is_wanted() || is_muted(file) || !self.layout.prints_unread(line) {
            return None;
        }
        file.found = 1;
        self.begin_lines(file);
        self.layout.print_unread(file.output, &self.header, line).transpose()
    }

    /// After a NUL byte nothing is printed, but only a match ends the haystack. (ripgrep stops at a
    /// context line too, and then does not report a match directly after it.)
    pub(crate) fn context<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        if is_muted(file) {
            return ControlFlow::Continue(());
        }
        self.layout.find(finder, line)?;
        self.print(file, line)
    }

    pub(crate) fn gap<O: Output>(&mut self, file: &mut Haystack<'_, O>) {
        if !is_muted(file) {
            self.end_line(file);
            file.output.buffer().extend_from_slice(&self.between_groups);
            file.counted.add_printed(self.between_groups.len() as u64);
        }
    }

    /// Begins a haystack's output.
    fn begin<O: Output>(&mut self, file: &mut Haystack<'_, O>) {
        if file.has_begun {
            return;
        }
        file.has_begun = true;
        file.output.begin_file(&self.between_files);
        self.header.path.clear();
        self.header.target = None;
        if let Some(path) = file.path {
            self.header.escapes = self.look.append_styled(&mut self.header.path, path);
            self.header.target = self.look.target(path);
        }
    }

    /// Prints the path of a haystack with a name that matches, on a line of its own. With headings,
    /// it is the heading.
    pub(crate) fn print_name<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        name: &NameMatch<'_>,
    ) -> Flow {
        self.begin(file);
        let target = self.look.target(name.path);
        let out = &mut OutBuffer::new(file.output.buffer());
        let (start, mut shown) = (out.len(), 0);
        self.look.append_linked(out, target.as_deref(), |out| {
            let start = out.len();
            let escapes = self.look.append_name(out, name);
            shown = out.len() - start - escapes;
        });
        out.count_as_escape(out.len() - start - shown);
        out.extend_from_slice(self.after_name);
        file.counted.add_printed(out.count());
        file.output.commit()
    }

    /// Begins a haystack's output before its first line, with a heading if there is one. Returns
    /// how many bytes the heading has.
    #[inline]
    fn begin_lines<O: Output>(&mut self, file: &mut Haystack<'_, O>) -> u64 {
        if file.has_begun { 0 } else { self.begin_first_line(file) }
    }

    #[inline(never)]
    fn begin_first_line<O: Output>(&mut self, file: &mut Haystack<'_, O>) -> u64 {
        self.begin(file);
        let out = &mut OutBuffer::new(file.output.buffer());
        if let (Some(after), Some(_)) = (&self.after_heading, file.path) {
            self.header.append_path(&self.look, out);
            out.extend_from_slice(after);
        }
        out.count()
    }

    /// Prints `line` and the matches that were found in it.
    fn print<O: Output>(&mut self, file: &mut Haystack<'_, O>, line: &Line<'_>) -> Flow {
        if !file.has_begun && line.block.is_some() && self.shows_nothing(line) {
            return ControlFlow::Continue(());
        }
        let heading = self.begin_lines(file);
        let was_open = self.open_at.is_some_and(|(at, _)| at == line.offset);
        if !was_open {
            self.end_line(file);
        }
        let pieces = &mut Committed::new(&mut *file.output);
        let flow = self.layout.print(pieces, &self.header, line);
        file.counted.add_printed(heading + pieces.count);
        // Where lines are replaced by nothing, the line before them stays as it is.
        let is_open = was_open && pieces.count == 0 || self.layout.leaves_open(line);
        let after = line.offset + line.bytes.len() as u64;
        self.open_at = is_open.then(|| (after, self.layout.terminator().of(line.bytes)));
        flow
    }

    /// Ends the line printed last, if nothing has continued it.
    pub(crate) fn end_line<O: Output>(&mut self, file: &mut Haystack<'_, O>) {
        if let Some((_, terminator)) = self.open_at.take() {
            file.output.buffer().extend_from_slice(terminator);
            file.counted.add_printed(terminator.len() as u64);
        }
    }

    /// Whether a block of lines prints nothing, not even its file: its matches are printed part by
    /// part and contain only line terminators, or nothing is left after replacement.
    fn shows_nothing(&self, line: &Line<'_>) -> bool {
        if self.after_heading.is_some() || !self.layout.may_leave_out() {
            return false;
        }
        self.layout.print(&mut Probe, &FileHeader::default(), line).is_continue()
    }

    /// Reports that lines were not printed because of a NUL byte, if there was one and a match.
    /// Always ends with a line feed.
    pub(crate) fn print_binary_message<O: Output>(&mut self, file: &mut Haystack<'_, O>) {
        let Some(offset) = file.nul_at.filter(|_| file.found > 0) else { return };
        let message: &[u8] = match file.binary {
            BinaryPolicy::Text => return,
            BinaryPolicy::Quit => b"WARNING: stopped searching binary file after match",
            BinaryPolicy::Convert => b"binary file matches",
        };
        self.begin(file);
        let out = &mut OutBuffer::new(file.output.buffer());
        if file.path.is_some() {
            self.header.append_path(&self.look, out);
            out.extend_from_slice(b": ");
        }
        out.extend_from_slice(message);
        out.extend_from_slice(b" (found \"\\0\" byte around offset ");
        decimal::append(out, offset);
        out.extend_from_slice(b")\n");
        file.counted.add_printed(out.count());
    }
}

/// Whether a NUL byte was seen after which no lines are printed.
pub(crate) fn is_muted<O>(file: &Haystack<'_, O>) -> bool {
    file.nul_at.is_some() && file.binary == BinaryPolicy::Convert
}

impl FileHeader {
    /// Appends the path alone, as a link if it is one.
    fn append_path(&self, look: &PathLook, out: &mut OutBuffer<'_>) {
        let start = out.len();
        look.append_linked(out, self.target.as_deref(), |out| out.extend_from_slice(&self.path));
        out.count_as_escape(out.len() - start - (self.path.len() - self.escapes));
    }
}
