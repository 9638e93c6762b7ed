//! Prints a matching line that has not been read, because it is long: no more is read than what is
//! printed, or the system copies it.

use std::{io, slice};

use heist_searcher::{Flow, LineKind, UnreadLine, UnreadMatches};

use crate::{
    LongText, Output, Terminator,
    config::Spread,
    line::{
        columns::MatchColumns,
        fields::{FileHeader, LineLocation},
        layout::Layout,
        out_buffer::{Committed, OutBuffer, Pieces as _},
        part::Hits,
    },
};

impl Layout {
    /// Which matches of a line have to be known if it is not read.
    #[inline]
    pub(crate) fn unread_matches(&self) -> UnreadMatches {
        match (self.matches.wanted(), self.spread) {
            (_, Spread::PerMatch) => UnreadMatches::Never,
            _ if self.matches.replaces() || self.matches.labels().is_some() => UnreadMatches::Never,
            (0, _) => UnreadMatches::None,
            _ if self.columns.need_text() => UnreadMatches::Never,
            (_, Spread::OnlyMatches) => UnreadMatches::Texts,
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
        is_known && is_printed && !self.matches.replaces() && self.matches.labels().is_none()
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
        let columns = MatchColumns::default();
        let location = LineLocation { kind, number, columns, offset: line.offset, labels: None };
        if self.spread == Spread::OnlyMatches {
            let end = self.end_of(line)?;
            return Ok(Some(self.print_matches(output, header, (line, &end), location)));
        }
        let columns = line.matches.first().map(|first| self.columns.in_bytes(first));
        let location = LineLocation { columns: columns.unwrap_or_default(), ..location };
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
        if output.append_long(LongText::Unread(line))?.is_break() {
            return Ok(Flow::Break(()));
        }
        let mut last = [0];
        line.read_at(&mut last, line.len - 1)?;
        if !self.terminator().ends(&last) {
            output.buffer().extend_from_slice(self.terminator().as_bytes());
        }
        Ok(output.commit())
    }

    /// The last bytes of `line`, which determine its terminator.
    fn end_of(&self, line: &UnreadLine<'_>) -> io::Result<[u8; 2]> {
        let mut end = [0; 2];
        let len = line.len.min(end.len() as u64);
        if self.terminator() == Terminator::CrLf {
            line.read_at(&mut end[2 - len as usize..], line.len - len)?;
        }
        Ok(end)
    }

    /// Prints the matches in the line at `location`. `end` is its terminator.
    fn print_matches<O: Output>(
        &self,
        output: &mut O,
        header: &FileHeader,
        (line, end): (&UnreadLine<'_>, &[u8]),
        location: LineLocation<'_>,
    ) -> Flow {
        let (pieces, mut texts) = (&mut Committed::new(output), line.texts);
        line.matches.iter().try_for_each(|span| {
            let (text, rest) = texts.split_at(span.len());
            texts = rest;
            let whole = 0..text.len();
            let hits = Hits { shown: slice::from_ref(&whole), in_line: line.matches };
            let columns = self.columns.in_bytes(span);
            let offset = location.offset + span.start as u64;
            pieces.piece(|out| {
                self.fields.append(out, header, &LineLocation { columns, offset, ..location });
                let indent = self.text.indent(text);
                self.text.append_indented(out, (text, end), indent, hits, LineKind::Match);
            })
        })
    }
}
