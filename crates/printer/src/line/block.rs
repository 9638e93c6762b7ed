//! Prints blocks of lines, in searches with matches that may span lines. The rules are ripgrep's,
//! and also hold for a block of one line:
//!
//! 1. Every line in a block has a matching line's fields and its own number and offset. Every line
//!    has the column of the block's first match, counted from where the block starts.
//! 2. With `-o`, the part of each match on each line is printed, with the line's number and the
//!    match's column and offset. Empty parts are left out, but not empty matches: they are printed
//!    as in searches without matches that span lines, which ripgrep does not do.
//! 3. With `--vimgrep`, the first line of each match is printed, with the line's offset and the
//!    column in it. (ripgrep does not print it for an empty match at its beginning.)

use std::ops::Range;

use bstr::ByteSlice as _;
use heist_searcher::Flow;

use crate::{
    config::Spread,
    line::{
        columns::{Columns, MatchColumns},
        fields::{Fields, FileHeader, LineLocation},
        out_buffer::{OutBuffer, Pieces},
        part::{Hits, Part, reaching},
        text::Text,
    },
    matches::labels::Labeler,
};

/// One block of lines to print.
pub(crate) struct Block<'a> {
    pub(crate) fields: &'a Fields,
    pub(crate) text: &'a Text,
    pub(crate) columns: Columns,
    pub(crate) spread: Spread,
    pub(crate) header: &'a FileHeader,
    pub(crate) bytes: &'a [u8],
    pub(crate) spans: &'a [Range<usize>],
    /// The first line's location.
    pub(crate) location: LineLocation<'a>,
    /// The patterns' labels, if they are printed.
    pub(crate) labels: Option<&'a Labeler>,
    /// What comes next is printed on the same line; see [`Layout::leaves_open`].
    ///
    /// [`Layout::leaves_open`]: crate::line::layout::Layout::leaves_open
    pub(crate) is_open: bool,
    /// The last line's terminator, unless a replacement has put another one there.
    pub(crate) end: &'static [u8],
}

impl Block<'_> {
    /// Prints the block according to [`Spread`].
    pub(crate) fn print(&self, pieces: &mut impl Pieces) -> Flow {
        match self.spread {
            _ if self.spans.is_empty() => self.print_plain(pieces),
            Spread::Once => self.print_lines(pieces),
            Spread::PerMatch => self.print_first_lines(pieces),
            Spread::OnlyMatches => self.print_parts(pieces),
        }
    }

    /// All lines with their terminators, as ranges in the block, and their indices.
    fn lines(&self) -> impl Iterator<Item = (u64, Range<usize>)> {
        let last = self.text.terminator().last_byte();
        let (mut at, mut number) = (0, 0);
        std::iter::from_fn(move || {
            let rest = self.bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let line = at..at + rest.find_byte(last).map_or(rest.len(), |n| n + 1);
            at = line.end;
            number += 1;
            Some((number - 1, line))
        })
    }

    /// Appends the fields of the line with this index, which begins `start` bytes into the block.
    /// `because_of` is the match that it is printed for; `None` if it is printed for all its
    /// matches.
    fn append_fields(
        &self,
        out: &mut OutBuffer<'_>,
        (number, start): (u64, usize),
        columns: MatchColumns,
        because_of: Option<usize>,
    ) {
        let labels = self.labels.and_then(|labels| match because_of {
            Some(index) => labels.of_match(index),
            None => labels.of_line(number as usize),
        });
        let location = LineLocation {
            number: self.location.number.map(|first| first + number),
            offset: self.location.offset + start as u64,
            columns,
            labels,
            ..self.location
        };
        self.fields.append(out, self.header, &location);
    }

    /// The part of `line` in which a match can be shown: without its terminator and trimmed blanks.
    fn body(&self, line: Range<usize>) -> Range<usize> {
        let stripped = self.text.terminator().strip(&self.bytes[line.clone()]);
        line.start + self.text.indent(stripped)..line.start + stripped.len()
    }

    /// The `range` of the line with these bounds.
    fn part<'a>(&'a self, line: &Range<usize>, range: Range<usize>, hits: Hits<'a>) -> Part<'a> {
        let (line, terminator) = (&self.bytes[line.clone()], self.text.terminator());
        let end = if terminator.ends(line) { terminator.of(line) } else { self.end };
        Part { block: self.bytes, range, indent: 0, hits, kind: self.location.kind, end }
    }

    /// Whether a match that begins at `start` begins in `line` or before it. A last line without
    /// terminator has what is at its end.
    fn begins_by_end_of(&self, line: &Range<usize>, start: usize) -> bool {
        start < line.end
            || start == line.end && !self.text.terminator().ends(&self.bytes[line.clone()])
    }

    /// Prints the block without matches.
    fn print_plain(&self, pieces: &mut impl Pieces) -> Flow {
        self.lines().try_for_each(|(number, line)| {
            pieces.piece(|out| {
                self.append_fields(out, (number, line.start), MatchColumns::default(), None);
                self.text.append(out, &self.bytes[line], Hits::NONE, self.location.kind);
            })
        })
    }

    fn print_lines(&self, pieces: &mut impl Pieces) -> Flow {
        let first = self.spans.first().map(|span| self.columns.within(self.bytes).of(span));
        let columns = first.unwrap_or_default();
        let mut spans = self.spans;
        self.lines().try_for_each(|(number, line)| {
            spans = reaching(spans, line.start);
            let hits = Hits { shown: spans, in_line: self.spans };
            pieces.piece(|out| {
                self.append_fields(out, (number, line.start), columns, None);
                let ends_open = self.is_open && line.end == self.bytes.len();
                let part = self.part(&line, line.clone(), hits);
                if ends_open {
                    self.text.append_open(out, &part);
                } else {
                    self.text.append_within(out, part);
                }
            })
        })
    }

    fn print_parts(&self, pieces: &mut impl Pieces) -> Flow {
        let mut spans = self.spans;
        let mut counter = self.columns.within(self.bytes);
        for (number, line) in self.lines() {
            let body = self.body(line.clone());
            spans = reaching(spans, line.start);
            let passed = self.spans.len() - spans.len();
            for (index, span) in spans.iter().enumerate() {
                if !self.begins_by_end_of(&line, span.start) {
                    break;
                }
                let part = span.start.max(body.start)..span.end.min(body.end);
                let part = if span.is_empty() { span.clone() } else { part };
                if part.is_empty() && !span.is_empty() {
                    continue;
                }
                let hits = Hits { shown: &spans[index..], in_line: self.spans };
                let columns = counter.of(span);
                pieces.piece(|out| {
                    self.append_fields(out, (number, span.start), columns, Some(passed + index));
                    self.text.append_match(out, &self.part(&line, part, hits));
                })?;
            }
        }
        Flow::Continue(())
    }

    fn print_first_lines(&self, pieces: &mut impl Pieces) -> Flow {
        // A line may have very many matches, so its blanks are counted once.
        let mut lines = self.lines().map(|(number, line)| (number, line.clone(), self.body(line)));
        let mut current = lines.next();
        let mut counter = self.columns.within(self.bytes);
        for (index, span) in self.spans.iter().enumerate() {
            // Matches are in order, and so are their first lines.
            while let Some((_, line, _)) = &current
                && !self.begins_by_end_of(line, span.start)
            {
                current = lines.next();
                let start = current.as_ref().map_or(self.bytes.len(), |(_, line, _)| line.start);
                counter = self.columns.within(&self.bytes[start..]);
            }
            let Some((number, line, body)) = &current else { break };
            // The column counts from where the line starts, and the offset is the line's own.
            let hits = Hits { shown: std::slice::from_ref(span), in_line: self.spans };
            let within = span.start.saturating_sub(line.start)..span.end - line.start;
            let columns = counter.of(&within);
            pieces.piece(|out| {
                self.append_fields(out, (*number, line.start), columns, Some(index));
                self.text.append_match(out, &self.part(line, body.clone(), hits));
            })?;
        }
        Flow::Continue(())
    }
}
