//! Tables and figures in Markdown, aligned so that they can be read in a terminal as well.

/// The side that the cells of a column are aligned to.
use std::iter;

pub(crate) use comfy_table::CellAlignment as Side;
use comfy_table::{Cell, Table, presets::ASCII_MARKDOWN};

/// One column: its head, the side its cells are aligned to, and its cells.
pub(crate) struct Column {
    pub(crate) head: String,
    pub(crate) side: Side,
    pub(crate) cells: Vec<String>,
}

impl Column {
    /// A column with a cell for each of `things`.
    pub(crate) fn of<T>(
        head: impl Into<String>,
        side: Side,
        things: &[T],
        cell: impl Fn(&T) -> String,
    ) -> Column {
        Column { head: head.into(), side, cells: things.iter().map(cell).collect() }
    }

    /// Whether every cell is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.iter().all(String::is_empty)
    }
}

/// The columns side by side, without those that are empty.
pub(crate) fn render_filled(mut columns: Vec<Column>) -> String {
    columns.retain(|column| !column.is_empty());
    render(&columns)
}

/// A table, from rows as a template writes them. If a head ends with a colon, its column has
/// figures, which are aligned to the right. Columns without any text stay if `all` do; cells beyond
/// the last head are ignored.
pub(crate) fn aligned(rows: &str, all: bool) -> String {
    // A bar that is escaped is part of a cell.
    let cell = |text: &str| text.trim().replace('\0', "\\|");
    let cells = |row: &str| row.replace("\\|", "\0").split('|').map(cell).collect::<Vec<_>>();
    let mut rows = rows.lines().filter(|row| !row.is_empty()).map(cells);
    let heads = rows.next().unwrap_or_default().into_iter().enumerate();
    let rows: Vec<Vec<String>> = rows.collect();
    let columns = heads.map(|(index, head)| {
        let figures = head.strip_suffix(':');
        let side = if figures.is_some() { Side::Right } else { Side::Left };
        Column::of(figures.unwrap_or(&head), side, &rows, |row| {
            row.get(index).unwrap_or_else(|| panic!("no cell below {head} in {row:?}")).clone()
        })
    });
    // Before the first bar and behind the last one there is nothing.
    let columns: Vec<Column> = columns.filter(|column| !column.head.is_empty()).collect();
    if all { render(&columns) } else { render_filled(columns) }
}

/// The columns side by side.
pub(crate) fn render(columns: &[Column]) -> String {
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN);
    // A rule has at least three characters.
    let head = |column: &Column| {
        let text = match column.side {
            Side::Right => format!("{:>3}", column.head),
            _ => format!("{:<3}", column.head),
        };
        Cell::new(text).set_alignment(column.side)
    };
    table.set_header(columns.iter().map(head));
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        table.add_row(columns.iter().map(|column| {
            let cell = column.cells.get(row).map(String::as_str).unwrap_or_default();
            Cell::new(cell).set_alignment(column.side)
        }));
    }
    // The preset's rule has neither blanks nor the colons that align a column in a browser.
    let widths = table.column_max_content_widths();
    let rule = columns.iter().zip(widths).map(|(column, width)| {
        let dashes = "-".repeat(usize::from(width) - 1);
        format!("| {dashes}{} ", if column.side == Side::Right { ':' } else { '-' })
    });
    let rule = rule.collect::<String>() + "|";
    let lines = table.lines().enumerate();
    lines
        .map(|(number, line)| if number == 1 { rule.clone() + "\n" } else { line + "\n" })
        .collect()
}

/// Cuts tables that are wider than `width` into tables of as many columns as fit. Each
/// begins with the first column.
pub(crate) fn narrow(text: &str, width: usize) -> String {
    let is_row = |line: &&str| line.starts_with('|');
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !is_row(&line) || line.chars().count() <= width {
            out = out + line + "\n";
            continue;
        }
        let mut rows = vec![line];
        rows.extend(iter::from_fn(|| lines.next_if(is_row)));
        // A bar that is escaped is part of a cell.
        let rows = rows.into_iter().map(|row| row.replace("\\|", "\0"));
        let rows: Vec<Vec<String>> = rows
            .map(|row| {
                row.trim_matches('|').split('|').map(|cell| cell.replace('\0', "\\|")).collect()
            })
            .collect();
        let widths: Vec<usize> = rows[0].iter().map(|cell| cell.chars().count() + 1).collect();
        let mut first = 1;
        while first < widths.len() {
            let mut room = width.saturating_sub(widths[0] + 1);
            let fits = |column: &&usize| {
                room.checked_sub(**column).is_some_and(|left| {
                    room = left;
                    true
                })
            };
            let last = first + widths[first..].iter().take_while(fits).count().max(1);
            out += if first > 1 { "\n" } else { "" };
            for row in &rows {
                let cells = row[..1].iter().chain(&row[first..last]);
                out += &cells.fold("|".to_owned(), |line, cell| line + cell + "|");
                out.push('\n');
            }
            first = last;
        }
    }
    out
}

/// Text for a cell or an item of a list: one line, with escaped bars.
pub(crate) fn one_line(text: &str) -> String {
    line(text).replace('|', "\\|")
}

/// Text for a heading or a paragraph: one line.
pub(crate) fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text as it was typed, between as many backticks as it takes. Not for cells of tables, where bars
/// would have to be escaped.
pub(crate) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A number with a comma before every three digits: `595,691`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// A figure with `decimals` decimals, or an empty cell.
pub(crate) fn number(value: Option<f64>, decimals: usize) -> String {
    value.map(|value| format!("{value:.decimals$}")).unwrap_or_default()
}

/// With decimals only if it has any.
pub(crate) fn plain(value: Option<f64>, decimals: usize) -> String {
    number(value, if value.is_some_and(|value| value.fract() != 0.0) { decimals } else { 0 })
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
        let rows = "\
| name | n: | k: | x |
| a-long-name | 1 |  | |
| µ \\| | 12345 | 7 |  |
";
        let expected = "\
| name        |     n |   k |
| ----------- | ----: | --: |
| a-long-name |     1 |     |
| µ \\|        | 12345 |   7 |
";
        assert_eq!(aligned(rows, false), expected);
        assert_eq!(aligned("| a |\n", true), "| a   |\n| --- |\n");
        assert!(aligned(rows, true).contains("| x   |\n"));
    }

    #[test]
    fn wide_tables_are_cut_between_columns() {
        let text =
            "wide text\n| a\\|b | cc | d | eeeeeeeeeeeeee |\n| --- | -- | - | -------------- |\n";
        let expected = "wide text\n| a\\|b | cc | d |\n| --- | -- | - |\n\n\
                        | a\\|b | eeeeeeeeeeeeee |\n| --- | -------------- |\n";
        assert_eq!(narrow(text, 19), expected);
        assert_eq!(narrow(text, 99), text);
    }

    #[test]
    fn text_stays_in_its_cell() {
        assert_eq!(one_line(" exit code 1:\n a | b "), "exit code 1: a \\| b");
        assert_eq!(code("rg 'a|b'"), "`rg 'a|b'`");
        assert_eq!(code("rg '`'"), "``rg '`'``");
        assert_eq!(code("``"), "``` `` ```");
        assert_eq!([number(Some(1.25), 1), number(None, 1)], ["1.2", ""]);
    }
}
