//! Turns one emitted line into lines of output: its fields and its text, once or once per match.

use std::{ops::Range, slice};

use heist_matcher::Finder;
use heist_searcher::{Flow, Line};

use crate::{
    PrinterConfig, Terminator,
    config::Spread,
    line::{
        block::Block,
        columns::{Columns, MatchColumns},
        fields::{Fields, FileHeader, LineLocation},
        out_buffer::Pieces,
        part::Hits,
        text::Text,
    },
    matches::{Matches, labels::LabelsOf},
};

/// The length in bytes from which on a line is not copied if it is printed as it is.
const LONG_LINE_BYTES: usize = 64 << 10;

/// How lines are formatted, and the matches in the current one.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) fields: Fields,
    pub(crate) text: Text,
    pub(crate) columns: Columns,
    pub(crate) spread: Spread,
    pub(crate) line_numbers: bool,
    pub(crate) matches: Matches,
    /// Only the lines' text is printed, so that lines can be joined.
    prints_text_only: bool,
}

impl Layout {
    pub(crate) fn new(config: &PrinterConfig) -> Layout {
        let text = Text::new(config);
        let spread = config.spread();
        // Lines that are replaced or cut because of their width need no parts.
        let is_wide = |longest: usize| config.max_columns.is_none_or(|max| max > longest as u64);
        let shows_parts = config.excerpt.is_some() || config.longest_line.is_some_and(is_wide);
        let wanted = if text.shows_matches() || shows_parts || spread != Spread::Once {
            usize::MAX
        } else if config.column {
            // A line that is too long is replaced by how many matches it has.
            if config.max_columns.is_some() { usize::MAX } else { 1 }
        } else {
            0
        };
        let labels = if spread == Spread::Once { LabelsOf::Lines } else { LabelsOf::Matches };
        Layout {
            fields: Fields::new(config),
            text,
            columns: Columns::new(config.column_unit, config.end_column),
            spread,
            line_numbers: config.line_numbers,
            matches: Matches::new(config, wanted).labeled(config, labels),
            prints_text_only: prints_text_only(config),
        }
    }

    /// The line terminator.
    pub(crate) fn terminator(&self) -> Terminator {
        self.text.terminator()
    }

    /// Finds the matches in `line`, as far as they are needed; see [`Matches::find`].
    pub(crate) fn find(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.matches.find(finder, line)
    }

    /// How many matches were found last.
    pub(crate) fn matches(&self) -> u64 {
        self.matches.spans().len() as u64
    }

    /// Whether a replacement takes the terminator of `line`, a block in which matches were just
    /// found, so that what follows in the haystack continues the line that is printed: `a,⏎b⏎`
    /// becomes `a, b⏎` if `, ` replaces `,⏎`. Where lines have fields, none is continued.
    pub(crate) fn leaves_open(&self, line: &Line<'_>) -> bool {
        let is_replaced = self.prints_text_only && self.matches.may_span() && line.kind.is_match();
        if !is_replaced || !self.matches.replaces() || !self.terminator().ends(line.bytes) {
            return false;
        }
        let shown = self.matches.shown(line.bytes).0;
        !shown.is_empty() && !self.terminator().ends(shown)
    }

    /// Whether nothing at all may be printed for a block of lines. If its lines are printed as they
    /// are, there is always something.
    pub(crate) fn may_leave_out(&self) -> bool {
        self.spread != Spread::Once || self.matches.replaces()
    }

    /// Prints `line`, in which matches were just [found](Layout::find).
    #[inline]
    pub(crate) fn print(
        &self,
        pieces: &mut impl Pieces,
        header: &FileHeader,
        line: &Line<'_>,
    ) -> Flow {
        if self.matches.may_span() && line.kind.is_match() {
            return self.print_block(pieces, header, line);
        }
        let (bytes, spans) = self.matches.shown(line.bytes);
        let (columns, hits) = match spans.first() {
            None => (MatchColumns::default(), Hits::NONE),
            Some(first) if self.spread == Spread::Once => {
                (self.columns.of_first(bytes, first), Hits { shown: spans, in_line: spans })
            }
            Some(_) => return self.print_each_match(pieces, header, line, bytes, spans),
        };
        let location = LineLocation { columns, ..self.location(line) };
        if let Some(end) = self.end_of_long(bytes, hits) {
            return pieces.long_piece(|out| self.fields.append(out, header, &location), bytes, end);
        }
        pieces.piece(|out| {
            self.fields.append(out, header, &location);
            self.text.append(out, bytes, hits, line.kind);
        })
    }

    /// The terminator that is printed after `line`, if the line is so long that it should not be
    /// copied, and is printed as it is; empty if it has its own.
    fn end_of_long(&self, line: &[u8], hits: Hits<'_>) -> Option<&'static [u8]> {
        let is_painted = self.text.shows_matches() && !hits.shown.is_empty();
        if line.len() < LONG_LINE_BYTES || is_painted || !self.text.is_verbatim(line.len() as u64) {
            return None;
        }
        let terminator = self.terminator();
        Some(if terminator.ends(line) { b"" } else { terminator.as_bytes() })
    }

    /// Where `line` is as a whole.
    fn location(&self, line: &Line<'_>) -> LineLocation<'_> {
        LineLocation {
            kind: line.kind,
            number: line.number.filter(|_| self.line_numbers),
            columns: MatchColumns::default(),
            offset: line.offset,
            labels: self.matches.labels().and_then(|labels| labels.of_line(0)),
        }
    }

    /// Prints a line once for each match in it.
    #[inline(never)]
    fn print_each_match(
        &self,
        pieces: &mut impl Pieces,
        header: &FileHeader,
        line: &Line<'_>,
        bytes: &[u8],
        spans: &[Range<usize>],
    ) -> Flow {
        let (kind, number) = (line.kind, line.number.filter(|_| self.line_numbers));
        let labels = self.matches.labels();
        let mut counter = self.columns.within(bytes);
        // There may be very many matches, so the line's blanks are counted once.
        let is_whole = self.spread != Spread::OnlyMatches;
        let line_indent = if is_whole { self.text.indent(bytes) } else { 0 };
        for (index, span) in spans.iter().enumerate() {
            let whole = 0..span.len();
            let (text, shown, indent) = if is_whole {
                (bytes, span, line_indent)
            } else {
                let text = &bytes[span.clone()];
                (text, &whole, self.text.indent(text))
            };
            let hits = Hits { shown: slice::from_ref(shown), in_line: spans };
            let columns = counter.of(span);
            let labels = labels.and_then(|labels| labels.of_match(index));
            let offset = line.offset + span.start as u64;
            pieces.piece(|out| {
                let location = LineLocation { kind, number, columns, offset, labels };
                self.fields.append(out, header, &location);
                self.text.append_indented(out, (text, line.bytes), indent, hits, kind);
            })?;
        }
        Flow::Continue(())
    }

    /// Prints a block of lines.
    #[inline(never)]
    fn print_block(&self, pieces: &mut impl Pieces, header: &FileHeader, line: &Line<'_>) -> Flow {
        let Layout { fields, text, columns, spread, matches, .. } = self;
        let (bytes, spans) = matches.shown(line.bytes);
        let (columns, spread, labels) = (*columns, *spread, matches.labels());
        let (location, is_open) = (self.location(line), self.leaves_open(line));
        let end = self.terminator().of(line.bytes);
        Block {
            fields,
            text,
            columns,
            spread,
            header,
            bytes,
            spans,
            location,
            labels,
            is_open,
            end,
        }
        .print(pieces)
    }
}

/// Whether whole lines are printed, without anything before them and without cutting them.
fn prints_text_only(config: &PrinterConfig) -> bool {
    let has_fields = config.line_numbers
        || config.column
        || config.byte_offset
        || config.with_path && !config.heading
        || config.patterns.is_some();
    let may_cut = config.max_columns.is_some() || config.excerpt.is_some() || config.trim;
    config.spread() == Spread::Once && !has_fields && !may_cut
}
