//! The fields before a line: path, line number, column, byte offset, patterns.

use std::num::NonZeroU64;

use heist_searcher::LineKind;

use crate::{
    PrinterConfig,
    line::{columns::MatchColumns, out_buffer::OutBuffer},
    path::linker::Linker,
    value::{color::Style, decimal},
};

/// Where a line is, and its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineLocation<'a> {
    pub(crate) kind: LineKind,
    pub(crate) number: Option<u64>,
    pub(crate) columns: MatchColumns,
    pub(crate) offset: u64,
    /// The labels for the patterns that match, if they are printed.
    pub(crate) labels: Option<&'a [u8]>,
}

/// The haystack that lines come from, as it is printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileHeader {
    /// The styled path; empty if paths are not printed.
    pub(crate) path: Vec<u8>,
    /// How many bytes of `path` are escape sequences.
    pub(crate) escapes: usize,
    /// Where links to the file lead; `None` if there are none.
    pub(crate) target: Option<Vec<u8>>,
}

/// The separator between the fields in a function line, as in `git grep`.
const FUNCTION_SEPARATOR: &[u8] = b"=";

/// The bytes after a field: its style's end and the separator.
#[derive(Clone, Debug)]
struct After {
    on_match: Box<[u8]>,
    on_context: Box<[u8]>,
    on_function: Box<[u8]>,
    /// How many of these bytes end the style.
    close: usize,
}

impl After {
    fn new(close: &[u8], config: &PrinterConfig) -> After {
        let after = |separator: &[u8]| [close, separator].concat().into_boxed_slice();
        After {
            on_match: after(&config.field_match_separator),
            on_context: after(&config.field_context_separator),
            on_function: after(FUNCTION_SEPARATOR),
            close: close.len(),
        }
    }

    /// `separator` without a style before it, on any kind of line.
    fn always(separator: u8) -> After {
        let after = || Box::new([separator]);
        After { on_match: after(), on_context: after(), on_function: after(), close: 0 }
    }

    fn separator(&self, kind: LineKind) -> &[u8] {
        &self.get(kind)[self.close..]
    }

    fn append(&self, out: &mut OutBuffer<'_>, kind: LineKind) {
        match self.get(kind) {
            // Perf: most separators are one byte, for which a copy is a call.
            [byte] => out.push(*byte),
            bytes => out.extend_from_slice(bytes),
        }
        out.count_as_escape(self.close);
    }

    fn get(&self, kind: LineKind) -> &[u8] {
        if kind.is_match() { &self.on_match } else { self.get_of_context(kind) }
    }

    #[inline(never)]
    fn get_of_context(&self, kind: LineKind) -> &[u8] {
        if kind == LineKind::Function { &self.on_function } else { &self.on_context }
    }
}

/// A field with a number.
#[derive(Clone, Debug)]
struct Field {
    open: Box<[u8]>,
    after: After,
}

impl Field {
    fn new(style: &Style, config: &PrinterConfig) -> Field {
        Field { open: style.open.clone(), after: After::new(&style.close, config) }
    }

    fn append(&self, out: &mut OutBuffer<'_>, number: u64, kind: LineKind) {
        out.escape(&self.open);
        decimal::append(out, number);
        self.after.append(out, kind);
    }

    fn append_text(&self, out: &mut OutBuffer<'_>, text: &[u8], kind: LineKind) {
        out.escape(&self.open);
        out.extend_from_slice(text);
        self.after.append(out, kind);
    }
}

/// The fields that every line has.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// Links all fields together. Below a heading, which is a link itself, only if links lead to
    /// lines.
    linker: Option<Linker>,
    after_path: Option<After>,
    line: Option<Field>,
    column: Option<Field>,
    offset: Option<Field>,
    labels: Option<Field>,
}

impl Fields {
    pub(crate) fn new(config: &PrinterConfig) -> Fields {
        let colors = config.colors.as_ref();
        let line = colors.map(|c| Style::new(&c.line)).unwrap_or_default();
        // The byte offset has no own style.
        let column = colors.map(|c| Style::new(&c.column)).unwrap_or_default();
        // Labels are about matches.
        let labels = colors.map(|c| Style::new(&c.matched)).unwrap_or_default();
        let after_path = if config.null { After::always(0) } else { After::new(b"", config) };
        Fields {
            linker: Linker::new(config)
                .filter(|linker| config.with_path && (!config.heading || linker.has_lines())),
            after_path: (config.with_path && !config.heading).then_some(after_path),
            line: config.line_numbers.then(|| Field::new(&line, config)),
            column: config.column.then(|| Field::new(&column, config)),
            offset: config.byte_offset.then(|| Field::new(&column, config)),
            labels: config.patterns.as_ref().map(|_| Field::new(&labels, config)),
        }
    }

    /// Appends one line's fields.
    pub(crate) fn append(
        &self,
        out: &mut OutBuffer<'_>,
        header: &FileHeader,
        location: &LineLocation<'_>,
    ) {
        if let (Some(linker), Some(target)) = (&self.linker, &header.target) {
            return self.append_linked(out, header, location, linker, target);
        }
        self.append_fields(out, header, location);
    }

    fn append_fields(
        &self,
        out: &mut OutBuffer<'_>,
        header: &FileHeader,
        location: &LineLocation<'_>,
    ) {
        if let (Some(after), false) = (&self.after_path, header.path.is_empty()) {
            out.extend_from_slice(&header.path);
            out.count_as_escape(header.escapes);
            after.append(out, location.kind);
        }
        if let (Some(field), Some(number)) = (&self.line, location.number) {
            field.append(out, number, location.kind);
        }
        if let (Some(field), Some(column)) = (&self.column, location.columns.start) {
            field.append(out, column.get(), location.kind);
            if let Some(end) = location.columns.end {
                field.append(out, end.get(), location.kind);
            }
        }
        if let Some(field) = &self.offset {
            field.append(out, location.offset, location.kind);
        }
        if let (Some(field), Some(labels)) = (&self.labels, location.labels) {
            field.append_text(out, labels, location.kind);
        }
    }

    /// Appends the fields as a link, which ends before the last separator.
    #[cold]
    fn append_linked(
        &self,
        out: &mut OutBuffer<'_>,
        header: &FileHeader,
        location: &LineLocation<'_>,
        linker: &Linker,
        target: &[u8],
    ) {
        let start = out.len();
        linker.open(out, target, location.number, location.columns.start.map(NonZeroU64::get));
        out.count_as_escape(out.len() - start);
        self.append_fields(out, header, location);
        let separator =
            self.last_after(header, location).map_or(&[][..], |a| a.separator(location.kind));
        let end = out.len() - separator.len();
        out.truncate(end);
        out.escape(Linker::LINK_END);
        out.extend_from_slice(separator);
    }

    /// The bytes after the last field that [`append_fields`](Fields::append_fields) writes.
    fn last_after(&self, header: &FileHeader, location: &LineLocation<'_>) -> Option<&After> {
        let labels = self.labels.as_ref().filter(|_| location.labels.is_some());
        let column = self.column.as_ref().filter(|_| location.columns.start.is_some());
        let line = self.line.as_ref().filter(|_| location.number.is_some());
        let last = labels.or(self.offset.as_ref()).or(column).or(line);
        last.map(|field| &field.after)
            .or_else(|| self.after_path.as_ref().filter(|_| !header.path.is_empty()))
    }
}
