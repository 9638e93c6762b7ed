//! `benchsuite findings`: writes the tables of a Markdown text from committed records.
//!
//! The text marks where a table goes and what it contains, so that prose and figures share a file
//! and no figure is typed:
//!
//! ```text
//! <!-- table queues.json | balanced | item cost 0 | ns/op -->
//! …replaced…
//! <!-- /table -->
//! ```
//!
//! The fields are a record in `records/`; a scenario or a corpus; a set-up or a task, or the
//! beginning of several with `*` at the end; and figures, separated by commas. A table has a line
//! per system and a column per set-up, number of threads and figure; a cell is the median of the
//! runs.
//!
//! A table of ratios has a line per rival: how many times as long as `hs` it takes, in the median
//! of all tasks of a corpus and at the least.
//!
//! ```text
//! <!-- ratios queries.json | linux | rg, ugrep -->
//! ```
//!
//! A table of groups has a line per group of the searches of `benchsuite index`, by how much they
//! find: how many times as fast as the first tool the others are, in the median and at the least.
//!
//! ```text
//! <!-- groups index.json | linux | rg | hs, hs index, hs watch -->
//! ```
//!
//! A table of whole programs has a line per task, or per task of the record (`*`), and a column per
//! tool with its own choices:
//!
//! ```text
//! <!-- tools suite.json | linux | list-all, search | hs, floor, rg -->
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::files::explain;
use crate::markdown::{Column, Side, render};
use crate::reading::distinct;
use crate::record::{Comparison, Record, Row};
use crate::tables;

/// The arguments of `benchsuite findings`.
#[derive(Clone, Debug, Args)]
pub(crate) struct FindingsOptions {
    /// The text whose tables are written
    #[arg(value_name = "FILE", default_value = "benchsuite/FINDINGS.md")]
    file: PathBuf,

    /// Where the records are [default: `records` beside the text, or benchsuite/records]
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,

    /// Write nothing; exit with 1 if a table differs from its record
    #[arg(long)]
    check: bool,
}

/// Writes the tables. A text or record that cannot be read is an error, and so is a table of rows
/// that no record has.
pub(crate) fn run(options: &FindingsOptions) -> io::Result<ExitCode> {
    let failed = |error: String| explain(&options.file, &io::Error::other(error));
    let text = fs::read_to_string(&options.file).map_err(|error| explain(&options.file, &error))?;
    let beside = options.file.parent().unwrap_or(Path::new("")).join("records");
    let records = options.records.clone().unwrap_or_else(|| {
        if beside.is_dir() { beside } else { PathBuf::from("benchsuite/records") }
    });
    let mut shelf: BTreeMap<String, Record> = BTreeMap::new();
    let new = rewrite(&text, &mut |kind, fields| {
        let name = fields.first().copied().unwrap_or_default();
        if !shelf.contains_key(name) {
            let record = Record::read(&records.join(name)).map_err(|error| error.to_string())?;
            shelf.insert(name.to_string(), record);
        }
        table_of(kind, &shelf[name], fields)
    });
    let new = new.map_err(failed)?;
    if new == text {
        return Ok(ExitCode::SUCCESS);
    }
    if options.check {
        return Ok(ExitCode::from(1));
    }
    fs::write(&options.file, new).map_err(|error| explain(&options.file, &error))?;
    Ok(ExitCode::SUCCESS)
}

/// What a line of a table is called: the system with its idle policy.
fn name(row: &Row) -> String {
    let system = match &row.queue {
        Some(queue) => queue,
        None if row.is_walker() => "no queue",
        None => &row.tool,
    };
    row.idle.as_ref().map_or(system.to_owned(), |idle| format!("{system} + {idle}"))
}

/// The median of a figure over the runs, as it is printed.
fn cell(row: &Row, figure: &str) -> String {
    let (figure, unit) = match figure {
        "ms" => ("wall", 1e-3),
        "CPU ms" => ("cpu", 1e-3),
        "as published" => ("as_published", 1.0),
        "peak MiB" => ("peak_bytes", f64::from(1 << 20)),
        other => (other, 1.0),
    };
    row.median(figure).map(|median| show(median / unit)).unwrap_or_default()
}

/// Three significant digits, counts whole.
fn show(value: f64) -> String {
    // A count that was divided by a unit may be off by the last bit.
    let whole = value.round();
    let value = if (value - whole).abs() < 1e-9 * whole.abs() { whole } else { value };
    match value.abs() {
        size if value.fract() == 0.0 || size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The kind of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TableKind {
    /// The rows of a record.
    Rows,
    /// The tools of a record of `walk` or `search`, one line per task.
    Tools,
    /// How `hs` compares with the tools of such a record, one line per tool.
    Ratios,
    /// How tools compare with one in the searches of `index`, one line per group of them.
    Groups,
}

const BEGIN: [(&str, TableKind); 4] = [
    ("<!-- table ", TableKind::Rows),
    ("<!-- tools ", TableKind::Tools),
    ("<!-- ratios ", TableKind::Ratios),
    ("<!-- groups ", TableKind::Groups),
];
const MARK_END: &str = " -->";
const TABLE_END: &str = "<!-- /table -->";

/// Makes the table of these fields.
type Write<'a> = &'a mut dyn FnMut(TableKind, &[&str]) -> Result<String, String>;

/// Returns `text` with every table replaced by the one that `write` returns.
fn rewrite(text: &str, write: Write<'_>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    let first = |text: &str| {
        let found =
            BEGIN.iter().filter_map(|&(begin, kind)| Some((text.find(begin)?, begin, kind)));
        found.min_by_key(|&(at, ..)| at)
    };
    while let Some((at, begin, kind)) = first(rest) {
        let wanted = &rest[at + begin.len()..];
        let (wanted, after) =
            wanted.split_once(MARK_END).ok_or("a table's first line does not end with -->")?;
        let (_, after) = after
            .split_once(TABLE_END)
            .ok_or_else(|| format!("{wanted}: no line {TABLE_END} follows"))?;
        let fields: Vec<&str> = wanted.split('|').map(str::trim).collect();
        let table = write(kind, &fields).map_err(|why| format!("{wanted}: {why}"))?;
        out += &rest[..at];
        out += &format!("{begin}{wanted}{MARK_END}\n\n{table}\n{TABLE_END}");
        rest = after;
    }
    Ok(out + rest)
}

/// Names with commas between them.
fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).collect()
}

/// The table that `fields` describe. The first field is the record.
pub(crate) fn table_of(
    kind: TableKind,
    record: &Record,
    fields: &[&str],
) -> Result<String, String> {
    if let (TableKind::Ratios, [_, corpus, tools]) = (kind, fields) {
        return tables::ratios(record, corpus, &list(tools));
    }
    let &[_, corpus, tasks, values] = fields else {
        return Err(match kind {
            TableKind::Ratios => "not RECORD | CORPUS | TOOLS".to_string(),
            TableKind::Rows => "not RECORD | SCENARIO | SET-UP | VALUES".to_string(),
            TableKind::Tools => "not RECORD | CORPUS | TASKS | TOOLS".to_string(),
            TableKind::Groups => "not RECORD | CORPUS | TOOL | TOOLS".to_string(),
        });
    };
    match kind {
        TableKind::Tools => return tables::summary(record, corpus, &list(tasks), &list(values)),
        TableKind::Groups => return tables::groups(record, corpus, tasks, &list(values)),
        TableKind::Rows | TableKind::Ratios => {}
    }
    let is_wanted = |one: &Comparison| {
        one.corpus == corpus
            && match tasks.strip_suffix('*') {
                Some(beginning) => one.task.starts_with(beginning),
                None => one.task == tasks,
            }
    };
    let mut rows: Vec<(&Comparison, &Row)> =
        record.rows().filter(|(one, _)| is_wanted(one)).collect();
    // Where the walker was measured, its queues are the subject.
    if rows.iter().any(|(_, row)| row.is_walker()) {
        rows.retain(|(_, row)| !row.is_house());
    }
    if rows.is_empty() {
        return Err("the record has no such row".to_string());
    }
    Ok(table(&rows, &list(values), record.machine.cores))
}

/// One line per system, one column per set-up, number of threads and figure.
fn table(rows: &[(&Comparison, &Row)], values: &[&str], cores: usize) -> String {
    let place = |one: &Comparison, row: &Row| (one.task.clone(), row.threads.unwrap_or(0));
    let names = distinct(rows.iter().map(|(_, row)| name(row)));
    let places = distinct(rows.iter().map(|(one, row)| place(one, row)));
    let one_setup = places.iter().all(|(setup, _)| *setup == places[0].0);
    let mut columns =
        vec![Column { head: "system".to_string(), side: Side::Left, cells: names.clone() }];
    for at in &places {
        let (setup, threads) = at;
        let here = rows.iter().filter(|(one, row)| place(one, row) == *at);
        let here: Vec<&Row> = here.map(|(_, row)| *row).collect();
        let crowd = if here.iter().any(|row| row.is_crowded(cores)) { "\\*" } else { "" };
        let place =
            if one_setup { format!("-j{threads}{crowd}") } else { format!("{setup}{crowd}") };
        for value in values {
            let head = match (places.len(), values.len()) {
                (1, _) => (*value).to_string(),
                (_, 1) => place.clone(),
                _ => format!("{place} {value}"),
            };
            columns.push(Column::of(head, Side::Right, &names, |wanted| {
                let row = here.iter().find(|row| name(row) == *wanted);
                row.map_or(String::new(), |row| cell(row, value))
            }));
        }
    }
    render(&columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(text: &str) -> Result<String, String> {
        rewrite(text, &mut |kind, fields| match fields[0] {
            "x.json" => Err("no such record".to_string()),
            _ => Ok(format!("{kind:?} {}\n", fields.join("+"))),
        })
    }

    #[test]
    fn tables_of_both_kinds_are_replaced_and_the_prose_stays() {
        let text = |rows: &str, tools: &str| {
            format!(
                "before\n<!-- table r.json | s | here | ms -->{rows}<!-- /table -->\nbetween\n\
                 <!-- tools s.json | linux | search | hs, rg -->{tools}<!-- /table -->\nafter\n"
            )
        };
        let rows = "\n\nRows r.json+s+here+ms\n\n";
        let tools = "\n\nTools s.json+linux+search+hs, rg\n\n";
        let new = write(&text("\nold\n", "")).expect("all is there");
        assert_eq!(new, text(rows, tools));
        assert_eq!(write(&new), Ok(new.clone()), "a second time changes nothing");
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let faults = [
            ("<!-- table r.json | s | here | ns/op -->", "no line <!-- /table --> follows"),
            ("<!-- table x.json | s | here | ms --><!-- /table -->", "no such record"),
            ("<!-- tools x.json | s | here", "does not end with -->"),
        ];
        for (text, why) in faults {
            let error = write(text).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
    }
}
