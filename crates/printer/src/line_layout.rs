//! Turns one emitted line into lines of output: its fields and its text, once or once per match.

use std::slice;

use heist_matcher::Finder;
use heist_searcher::{Flow, Line};

use crate::{
    PrinterConfig, Terminator,
    block_layout::Block,
    columns::{Columns, MatchColumns},
    config::Spread,
    fields::{Fields, FileHeader, LineLocation},
    labels::LabelsOf,
    matches::Matches,
    out_buffer::Pieces,
    text::{Hits, Text},
};

/// The format of lines, and the matches of the current one.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) fields: Fields,
    pub(crate) text: Text,
    pub(crate) columns: Columns,
    pub(crate) spread: Spread,
    pub(crate) line_numbers: bool,
    pub(crate) matches: Matches,
}

impl Layout {
    pub(crate) fn new(config: &PrinterConfig) -> Layout {
        let text = Text::new(config);
        let spread = config.spread();
        let wanted = if text.shows_matches() || config.excerpt.is_some() || spread != Spread::Once {
            usize::MAX
        } else if config.column {
            // A line that is too long is replaced by the number of its matches.
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
        }
    }

    /// The line terminator.
    pub(crate) fn terminator(&self) -> Terminator {
        self.text.terminator()
    }

    /// Finds the matches in `line`, as far as they are needed. Returns their number.
    pub(crate) fn find(&mut self, finder: &mut Finder, line: &Line<'_>) -> u64 {
        self.matches.find(finder, line);
        self.matches.spans().len() as u64
    }

    /// Whether nothing at all may be printed for a block of lines. If its lines are printed as they
    /// are, there is always something.
    pub(crate) fn may_leave_out(&self) -> bool {
        self.spread != Spread::Once || self.matches.replaces()
    }

    /// Prints `line`, whose matches were just [found](Layout::find).
    pub(crate) fn print(
        &self,
        pieces: &mut impl Pieces,
        header: &FileHeader,
        line: &Line<'_>,
    ) -> Flow {
        let kind = line.kind;
        let number = line.number.filter(|_| self.line_numbers);
        let columns = MatchColumns::default();
        let labels = self.matches.labels();
        let of_line = labels.and_then(|labels| labels.of_line(0));
        let offset = line.offset;
        let location = LineLocation { kind, number, columns, offset, labels: of_line };
        let (bytes, spans) = self.matches.shown(line.bytes);
        if self.matches.may_span() && kind.is_match() {
            let Layout { fields, text, columns, spread, .. } = self;
            let block = Block {
                fields,
                text,
                columns: *columns,
                spread: *spread,
                header,
                bytes,
                spans,
                location,
                labels,
            };
            return block.print(pieces);
        }
        let Some(first) = spans.first() else {
            return pieces.piece(|out| {
                self.fields.append(out, header, &location);
                self.text.append(out, bytes, Hits::NONE, kind);
            });
        };
        let all = Hits { shown: spans, in_line: spans };
        if self.spread == Spread::Once {
            let columns = self.columns.within(bytes).of(first);
            return pieces.piece(|out| {
                self.fields.append(out, header, &LineLocation { columns, ..location });
                self.text.append(out, bytes, all, kind);
            });
        }
        let mut counter = self.columns.within(bytes);
        spans.iter().enumerate().try_for_each(|(index, span)| {
            let whole = 0..span.len();
            let (text, shown) = if self.spread == Spread::OnlyMatches {
                (&bytes[span.clone()], &whole)
            } else {
                (bytes, span)
            };
            let hits = Hits { shown: slice::from_ref(shown), ..all };
            let columns = counter.of(span);
            let labels = labels.and_then(|labels| labels.of_match(index));
            pieces.piece(|out| {
                let offset = location.offset + span.start as u64;
                let location = LineLocation { columns, offset, labels, ..location };
                self.fields.append(out, header, &location);
                self.text.append(out, text, hits, kind);
            })
        })
    }
}
