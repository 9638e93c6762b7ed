//! The columns that matches are in, in the unit that is wanted.

use std::{num::NonZeroU64, ops::Range};

use bstr::ByteSlice as _;

/// What columns count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Bytes.
    #[default]
    Bytes,
    /// Unicode scalar values. Bytes that are not UTF-8 count as the replacement characters
    /// (U+FFFD) that [`String::from_utf8_lossy`] puts in their place.
    Chars,
    /// UTF-16's 16-bit units, in which editors and language servers count.
    Utf16,
}

/// Where a match begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MatchColumns {
    /// The first character's column, starting at 1; `None` if no match is known.
    pub(crate) start: Option<NonZeroU64>,
    /// The column behind the last character; `None` also if it is not printed.
    pub(crate) end: Option<NonZeroU64>,
}

/// How columns are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    unit: ColumnUnit,
    has_end: bool,
}

impl Columns {
    /// Counts in `unit`, and also where matches end if `has_end` is set.
    pub(crate) fn new(unit: ColumnUnit, has_end: bool) -> Columns {
        Columns { unit, has_end }
    }

    /// Whether the text before a match decides about its columns.
    pub(crate) fn need_text(self) -> bool {
        self.unit != ColumnUnit::Bytes
    }

    /// The columns of the match `span` in a line, if they count bytes.
    pub(crate) fn in_bytes(self, span: &Range<usize>) -> MatchColumns {
        let column = |at: usize| NonZeroU64::new(at as u64 + 1);
        let end = if self.has_end { column(span.end) } else { None };
        MatchColumns { start: column(span.start), end }
    }

    /// The columns of the match `span` in `text`.
    #[inline]
    pub(crate) fn of_first(self, text: &[u8], span: &Range<usize>) -> MatchColumns {
        if self.need_text() { self.within(text).count(span) } else { self.in_bytes(span) }
    }

    /// Counts in `text`.
    pub(crate) fn within(self, text: &[u8]) -> ColumnCounter<'_> {
        ColumnCounter { columns: self, text, at: 0, units: 0, last: None }
    }
}

/// Counts columns for matches that are in order, so that no byte is counted twice.
#[derive(Clone, Debug)]
pub(crate) struct ColumnCounter<'a> {
    columns: Columns,
    text: &'a [u8],
    /// Up to where characters have been counted, and how many units they are.
    at: usize,
    units: u64,
    /// The previous match. A match that spans lines is printed once for each.
    last: Option<(Range<usize>, MatchColumns)>,
}

impl ColumnCounter<'_> {
    /// The columns of the match `span`.
    pub(crate) fn of(&mut self, span: &Range<usize>) -> MatchColumns {
        if self.columns.need_text() { self.count(span) } else { self.columns.in_bytes(span) }
    }

    #[cold]
    fn count(&mut self, span: &Range<usize>) -> MatchColumns {
        if let Some((_, columns)) = self.last.as_ref().filter(|(last, _)| last == span) {
            return *columns;
        }
        let start = NonZeroU64::new(self.column(span.start));
        let end = NonZeroU64::new(self.column(span.end)).filter(|_| self.columns.has_end);
        let columns = MatchColumns { start, end };
        self.last = Some((span.clone(), columns));
        columns
    }

    fn column(&mut self, at: usize) -> u64 {
        let at = at.min(self.text.len());
        if at < self.at {
            (self.at, self.units) = (0, 0);
        }
        let (from, unit) = (self.at, self.columns.unit);
        for (_, end, char) in self.text[from..].char_indices() {
            if from + end > at {
                break;
            }
            self.at = from + end;
            self.units += unit.len_of(char);
        }
        // An empty match can be within a character.
        let part = self.text[self.at..at].chars().map(|char| unit.len_of(char));
        self.units + part.sum::<u64>() + 1
    }
}

impl ColumnUnit {
    fn len_of(self, char: char) -> u64 {
        match self {
            ColumnUnit::Bytes => char.len_utf8() as u64,
            ColumnUnit::Chars => 1,
            ColumnUnit::Utf16 => char.len_utf16() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ColumnUnit, Columns, MatchColumns, NonZeroU64};

    /// The columns as they follow from decoding everything before a position.
    fn obvious(unit: ColumnUnit, text: &[u8], at: usize) -> u64 {
        let before = String::from_utf8_lossy(&text[..at]);
        let units = match unit {
            ColumnUnit::Bytes => at,
            ColumnUnit::Chars => before.chars().count(),
            ColumnUnit::Utf16 => before.encode_utf16().count(),
        };
        units as u64 + 1
    }

    #[test]
    fn every_span_has_the_columns_that_follow_from_decoding_what_precedes_it() {
        let texts: [&[u8]; 4] =
            ["a ä💡 gem\nä".as_bytes(), b"\xff\xf0\x9f\x92 x\xc3", b"", "💡".as_bytes()];
        for text in texts {
            for unit in [ColumnUnit::Bytes, ColumnUnit::Chars, ColumnUnit::Utf16] {
                let columns = Columns { unit, has_end: true };
                let mut counter = columns.within(text);
                let expected = |start, end| MatchColumns {
                    start: NonZeroU64::new(obvious(unit, text, start)),
                    end: NonZeroU64::new(obvious(unit, text, end)),
                };
                for start in 0..=text.len() {
                    for end in start..=text.len() {
                        // In order or not.
                        let span = start..end;
                        assert_eq!(columns.within(text).of(&span), expected(start, end));
                        assert_eq!(counter.of(&span), expected(start, end), "{span:?}");
                        assert_eq!(counter.of(&span), expected(start, end), "{span:?} again");
                    }
                }
            }
        }
    }
}
