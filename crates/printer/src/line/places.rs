//! On which lines, and in which columns, matches are in a block of lines.

use std::ops::Range;

use bstr::ByteSlice as _;

use crate::line::columns::{ColumnCounter, Columns, MatchColumns};

/// Where a match begins and ends in a block of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where the line starts in which the match begins.
    pub(crate) line_start: usize,
    /// How many lines come before that one.
    pub(crate) lines: u64,
    /// How many lines come before the one with the match's last byte.
    pub(crate) end_lines: u64,
    /// The columns, each in its own line.
    pub(crate) columns: MatchColumns,
}

/// Locates the matches of a block. They are in order, so that no byte is counted twice, however
/// many matches a line has.
#[derive(Clone, Debug)]
pub(crate) struct Places<'a> {
    block: &'a [u8],
    terminator: u8,
    columns: Columns,
    /// The position up to which lines are counted, and their number.
    at: usize,
    lines: u64,
    /// Where the line starts that contains `at`, and the columns in it.
    line_start: usize,
    counter: ColumnCounter<'a>,
}

impl<'a> Places<'a> {
    /// Locates matches in `block`, where lines end with the byte `terminator`.
    pub(crate) fn new(block: &'a [u8], terminator: u8, columns: Columns) -> Places<'a> {
        let counter = columns.within(block);
        Places { block, terminator, columns, at: 0, lines: 0, line_start: 0, counter }
    }

    /// Where the match `span` is. It must not begin before the last byte of the previous one.
    pub(crate) fn of(&mut self, span: &Range<usize>) -> Place {
        let start = self.columns_at(span.start, span.start).start;
        let (line_start, lines) = (self.line_start, self.lines);
        let end = self.columns_at(last_byte(span), span.end).end;
        let columns = MatchColumns { start, end };
        Place { line_start, lines, end_lines: self.lines, columns }
    }

    /// The columns that the position `at` has in the line that contains `byte`.
    fn columns_at(&mut self, byte: usize, at: usize) -> MatchColumns {
        let passed = &self.block[self.at..byte];
        if let Some(end) = passed.rfind_byte(self.terminator) {
            self.lines += passed[..=end].iter().filter(|&&b| b == self.terminator).count() as u64;
            self.line_start = self.at + end + 1;
            self.counter = self.columns.within(&self.block[self.line_start..]);
        }
        self.at = byte;
        let at = at - self.line_start;
        self.counter.of(&(at..at))
    }
}

/// Where the last byte of `span` is, or where it begins if it is empty.
pub(crate) fn last_byte(span: &Range<usize>) -> usize {
    span.start.max(span.end.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use bstr::ByteSlice as _;

    use super::{Place, Places};
    use crate::line::columns::{ColumnUnit, Columns, MatchColumns};

    const UNITS: [ColumnUnit; 3] = [ColumnUnit::Bytes, ColumnUnit::Chars, ColumnUnit::Utf16];

    /// Where the line starts that contains `at`, and how many lines come before it.
    fn line(block: &[u8], at: usize) -> (usize, u64) {
        let before = &block[..at];
        let lines = before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        (before.rfind_byte(b'\n').map_or(0, |end| end + 1), lines)
    }

    /// Where a match is, as it follows from the whole text before it.
    fn obvious(block: &[u8], columns: Columns, start: usize, end: usize) -> Place {
        let last = if start == end { start } else { end - 1 };
        let ((line_start, lines), (last_start, end_lines)) =
            (line(block, start), line(block, last));
        let column = |from: usize, at: usize| {
            columns.within(&block[from..]).of(&(at - from..at - from)).start
        };
        let columns =
            MatchColumns { start: column(line_start, start), end: column(last_start, end) };
        Place { line_start, lines, end_lines, columns }
    }

    #[test]
    fn pairs_of_matches_have_the_places_that_follow_from_the_text_before_them() {
        for block in ["ä💡\n\ngem\nä".as_bytes(), b"\xff\n\xc3x\n"] {
            let ends = |start: usize| start..=block.len();
            for columns in UNITS.map(|unit| Columns::new(unit, true)) {
                for (first, second) in ends(0).flat_map(|at| ends(at).map(move |end| (at, end))) {
                    for (third, fourth) in
                        ends(second).flat_map(|at| ends(at).map(move |end| (at, end)))
                    {
                        let mut places = Places::new(block, b'\n', columns);
                        for (start, end) in [(first, second), (third, fourth)] {
                            let expected = obvious(block, columns, start, end);
                            assert_eq!(places.of(&(start..end)), expected, "{start}..{end}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_with_very_many_matches_is_read_once() {
        // Were the line read anew for each match, 4 * 10^10 characters would be counted.
        let count = 200_000;
        let block = ["ä\n", &"é ".repeat(count)].concat();
        for unit in UNITS {
            let mut places = Places::new(block.as_bytes(), b'\n', Columns::new(unit, true));
            for index in 0..count {
                let (start, lines) = (3 + 3 * index, 1);
                let (width, len) = if unit == ColumnUnit::Bytes { (3, 2) } else { (2, 1) };
                let column = 1 + (width * index) as u64;
                let [start_column, end_column] = [column, column + len].map(NonZeroU64::new);
                let columns = MatchColumns { start: start_column, end: end_column };
                let expected = Place { line_start: 3, lines, end_lines: lines, columns };
                assert_eq!(places.of(&(start..start + 2)), expected);
            }
        }
    }
}
