//! Prints a matching line that has not been read, because it is long: what is printed of it is read,
//! or copied by the system.

use std::{io, ops::Range, slice};

use heist_searcher::{Flow, LineKind, UnreadLine, UnreadMatches};

use crate::{
    Output,
    config::Spread,
    fields::{FileHeader, LineLocation},
    line_layout::Layout,
    out_buffer::{Committed, OutBuffer, Pieces as _},
    text::Hits,
};

/// The number of bytes read at once, from a match on.
const WINDOW: usize = 16 << 10;

impl Layout {
    /// Which matches of a line have to be known if it is not read.
    pub(crate) fn unread_matches(&self) -> UnreadMatches {
        match (self.matches.wanted(), self.spread) {
            (_, Spread::PerMatch) | (0, _) => UnreadMatches::None,
            _ if self.matches.replaces() => UnreadMatches::None,
            (1, _) => UnreadMatches::First,
            _ => UnreadMatches::All,
        }
    }

    /// Whether `line` can be printed without being read as a whole.
    pub(crate) fn prints_unread(&self, line: &UnreadLine<'_>) -> bool {
        let is_known = self.matches.wanted() == 0 || !line.matches.is_empty();
        let is_printed = match self.spread {
            Spread::OnlyMatches => true,
            Spread::PerMatch => false,
            Spread::Once => {
                let is_plain = !self.text.shows_matches() && self.text.is_verbatim(line.len);
                is_plain || self.text.preview_of(line.len).is_some()
            }
        };
        is_known && is_printed && !self.matches.replaces()
    }

    /// Prints `line`, for which [`prints_unread`](Layout::prints_unread) holds. `None` if it has to
    /// be read after all; nothing has been printed of it then.
    ///
    /// # Errors
    /// If what is printed cannot be read.
    pub(crate) fn print_unread<O: Output>(
        &self,
        output: &mut O,
        header: &FileHeader,
        line: &UnreadLine<'_>,
    ) -> io::Result<Option<Flow>> {
        let (kind, number) = (LineKind::Match, line.number.filter(|_| self.line_numbers));
        let location = LineLocation { kind, number, column: None, offset: line.offset };
        if self.spread == Spread::OnlyMatches {
            return self.print_matches(output, header, line, location).map(Some);
        }
        let column = line.matches.first().map(|first| first.start as u64 + 1);
        let location = LineLocation { column, ..location };
        let Some(len) = self.text.preview_of(line.len) else {
            self.fields.append(&mut OutBuffer::new(output.buffer()), header, &location);
            return self.append_whole(output, line).map(Some);
        };
        let mut prefix = vec![0; len];
        line.read_at(&mut prefix, 0)?;
        let before = output.buffer().len();
        let out = &mut OutBuffer::new(output.buffer());
        self.fields.append(out, header, &location);
        let whole = usize::try_from(line.len).unwrap_or(usize::MAX);
        if !self.text.append_unread(out, &prefix, whole, line.matches) {
            out.truncate(before);
            return Ok(None);
        }
        Ok(Some(output.commit()))
    }

    /// Appends the whole line, and a terminator if it lacks one.
    fn append_whole<O: Output>(&self, output: &mut O, line: &UnreadLine<'_>) -> io::Result<Flow> {
        if output.append_unread(line)?.is_break() {
            return Ok(Flow::Break(()));
        }
        let mut last = [0];
        line.read_at(&mut last, line.len - 1)?;
        if !self.terminator().ends(&last) {
            output.buffer().extend_from_slice(self.terminator().as_bytes());
        }
        Ok(output.commit())
    }

    /// Prints the matches of the line at `location`.
    fn print_matches<O: Output>(
        &self,
        output: &mut O,
        header: &FileHeader,
        line: &UnreadLine<'_>,
        location: LineLocation,
    ) -> io::Result<Flow> {
        let mut window = Window { bytes: Vec::new(), at: 0 };
        let pieces = &mut Committed::new(output);
        for span in line.matches {
            let text = window.read(line, span)?;
            let whole = 0..text.len();
            let hits = Hits { shown: slice::from_ref(&whole), in_line: line.matches };
            let flow = pieces.piece(|out| {
                self.fields.append(out, header, &location.of_match(span));
                self.text.append(out, text, hits, LineKind::Match);
            });
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(Flow::Continue(()))
    }
}

/// A part of a line that has been read.
struct Window {
    bytes: Vec<u8>,
    /// Its position in the line.
    at: usize,
}

impl Window {
    /// The bytes `range` of `line`. Reads more than these, because the next match may be near.
    fn read(&mut self, line: &UnreadLine<'_>, range: &Range<usize>) -> io::Result<&[u8]> {
        if range.start < self.at || range.end > self.at + self.bytes.len() {
            let rest = usize::try_from(line.len).map_or(range.len(), |len| len - range.start);
            self.bytes.resize(range.len().max(WINDOW).min(rest), 0);
            self.at = range.start;
            line.read_at(&mut self.bytes, range.start as u64)?;
        }
        Ok(&self.bytes[range.start - self.at..range.end - self.at])
    }
}
