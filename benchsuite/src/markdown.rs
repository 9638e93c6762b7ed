//! Tables and figures in Markdown, aligned so that they can be read in a terminal as well.

use std::fmt::Write;

use crate::stats::Spread;

/// One column: its head, which side its cells stick to, and its cells.
pub(crate) struct Column {
    pub(crate) head: String,
    pub(crate) side: Side,
    pub(crate) cells: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Column {
    /// A column with a cell for each of `things`.
    pub(crate) fn of<T>(
        head: &str,
        side: Side,
        things: &[T],
        cell: impl Fn(&T) -> String,
    ) -> Column {
        Column { head: head.to_owned(), side, cells: things.iter().map(cell).collect() }
    }

    /// Whether no cell says anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.iter().all(String::is_empty)
    }
}

/// The columns side by side.
pub(crate) fn render(columns: &[Column]) -> String {
    let wide = |text: &str| text.chars().count();
    let width = |column: &Column| {
        let cells = column.cells.iter().map(|cell| wide(cell));
        cells.chain([wide(&column.head)]).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let mut out = String::new();
    let mut line = |cell: &dyn Fn(&Column, usize) -> String| {
        for (column, &width) in columns.iter().zip(&widths) {
            // Writing to a string cannot fail.
            let _ = write!(out, "| {} ", cell(column, width));
        }
        out.push_str("|\n");
    };
    let pad = |text: &str, side: Side, width: usize| match side {
        Side::Left => format!("{text:<width$}"),
        Side::Right => format!("{text:>width$}"),
    };
    line(&|column, width| pad(&column.head, column.side, width));
    line(&|column, width| match column.side {
        Side::Left => "-".repeat(width),
        Side::Right => format!("{}:", "-".repeat(width - 1)),
    });
    for i in 0..columns.first().map_or(0, |column| column.cells.len()) {
        line(&|column, width| {
            let cell = column.cells.get(i).map(String::as_str).unwrap_or_default();
            pad(cell, column.side, width)
        });
    }
    out
}

/// Text for a cell or an item of a list: a table has one line a row, and bars of its own.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

/// Text as it was typed, between as many backticks as it takes. Not for cells of tables, where bars
/// would have to be escaped.
pub(crate) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A number with a comma before every three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A figure with so many decimals, or nothing.
pub(crate) fn number(value: Option<f64>, decimals: usize) -> String {
    value.map(|value| format!("{value:.decimals$}")).unwrap_or_default()
}

/// How many times the mean of `best`, with the error that both deviations leave: as hyperfine
/// computes it, the root of the sum of the squares of both relative deviations, times the ratio.
pub(crate) fn relative(wall: Spread, best: Spread) -> String {
    let ratio = wall.mean / best.mean;
    if wall == best {
        return format!("{ratio:.2}");
    }
    let share = |spread: Spread| spread.deviation / spread.mean;
    format!("{ratio:.2} ± {:.2}", ratio * share(wall).hypot(share(best)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        let all = [0, 999, 1000, 595_691, 1_000_000].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "595,691", "1,000,000"]);
    }

    #[test]
    fn cells_of_any_length_are_aligned() {
        let column = |head, side, cells: [&str; 2]| Column::of(head, side, &cells, |&c| c.into());
        let columns = [
            column("name", Side::Left, ["a-long-name", "µ"]),
            column("n", Side::Right, ["1", "12345"]),
        ];
        let expected = "\
| name        |     n |
| ----------- | ----: |
| a-long-name |     1 |
| µ           | 12345 |
";
        assert_eq!(render(&columns), expected);
        assert!(!columns[0].is_empty());
        assert!(column("x", Side::Left, ["", ""]).is_empty());
        assert_eq!(render(&[]), "|\n|\n", "no columns, no cells");
    }

    #[test]
    fn text_stays_in_its_cell() {
        assert_eq!(one_line(" exit code 1:\n a | b "), "exit code 1: a \\| b");
        assert_eq!(code("rg 'a|b'"), "`rg 'a|b'`");
        assert_eq!(code("rg '`'"), "``rg '`'``");
        assert_eq!(code("``"), "``` `` ```");
    }

    #[test]
    fn ratios_have_the_error_of_both() {
        let spread = |mean, deviation| Spread {
            median: mean,
            mad: 0.0,
            mean,
            deviation,
            min: mean,
            max: mean,
        };
        // Relative deviations of 30 % and 40 % leave 50 %.
        assert_eq!(relative(spread(20.0, 6.0), spread(10.0, 4.0)), "2.00 ± 1.00");
        assert_eq!(relative(spread(10.0, 4.0), spread(10.0, 4.0)), "1.00");
        assert_eq!(number(Some(1.25), 1), "1.2");
        assert_eq!(number(None, 1), "");
    }
}
