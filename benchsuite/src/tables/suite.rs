//! A comparison of whole programs as Markdown: times in the form of document 4 (hyperfine's), a
//! matrix of queues and threads, costs, and a verdict in words.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::markdown::{Column, Side, code, number, render};
use crate::reading::{distinct, relative};
use crate::record::{Comparison, Record, Row};
use crate::template;
use crate::verdict::{answer, caveats, of_comparison, of_record};

/// The whole record.
pub(super) fn print(record: &Record) -> String {
    let cores = record.machine.cores;
    let comparisons = record.comparisons.iter().map(|one| comparison(one, cores));
    let filling = context! {
        record => Serde(record),
        machine => Serde(&record.machine),
        known => Serde(record.machine.known().collect::<Vec<_>>()),
        answer => answer(record),
        findings => of_record(record),
        caveats => caveats(record),
        comparisons => comparisons.collect::<Value>(),
    };
    template::fill("suite.md.jinja", include_str!("suite.md.jinja"), filling)
}

/// What is shown of a comparison.
fn comparison(comparison: &Comparison, cores: usize) -> Value {
    let rows = ordered(comparison);
    context! {
        name => comparison.name(),
        about => comparison.about.trim_end_matches('.'),
        times => times(comparison, &rows, cores),
        is_crowded => rows.iter().any(|row| row.is_crowded(cores)),
        matrix => matrix(&rows, cores),
        costs => costs(&rows, cores),
        verdict => of_comparison(comparison, cores),
        commands => commands(&rows),
    }
}

/// `hs` and its walker by queue and threads, then the rivals by threads, then the floor. Queues and
/// rivals keep the order in which they were measured.
fn ordered(comparison: &Comparison) -> Vec<&Row> {
    let class = |row: &Row| match row {
        row if row.is_house() => usize::from(row.queue.is_some()),
        row if row.is_walker() => 2 + usize::from(row.queue.is_some()),
        row if row.is_floor() => 5,
        _ => 4,
    };
    let of_one_kind = |one: &Row, other: &Row| (&one.tool, one.way()) == (&other.tool, other.way());
    let first = |row: &Row| comparison.rows.iter().position(|other| of_one_kind(row, other));
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    rows.sort_by_cached_key(|row| (class(row), first(row), row.threads));
    rows
}

/// A row's name in a table, with an asterisk if it has more threads than there are cores.
fn label(row: &Row, cores: usize) -> String {
    let crowd = if row.is_crowded(cores) { "\\*" } else { "" };
    format!("`{}`{crowd}", row.name())
}

/// Means, and medians relative to the best row.
fn times(comparison: &Comparison, rows: &[&Row], cores: usize) -> Value {
    let times = rows.iter().map(|row| {
        context! {
            label => label(row, cores),
            wall => Serde(row.wall()),
            runs => row.runs.len(),
            relative => relative(comparison, row),
            note => note(row, reference(rows, row)),
        }
    });
    times.collect()
}

/// The row that the result of `row` was compared with.
fn reference<'a>(rows: &[&'a Row], row: &Row) -> Option<&'a Row> {
    let is_family = |other: &Row| {
        if row.is_walker() { other.is_walker() } else { other.is_house() }
    };
    let known =
        |other: &&&Row| is_family(other) && other.result.is_some() && other.agrees != Some(false);
    rows.iter().find(known).copied()
}

/// Why a row is not ranked.
fn note(row: &Row, reference: Option<&Row>) -> String {
    let mut notes = Vec::new();
    if let Some(why) = &row.fault {
        notes.push(format!("INVALID: {why}"));
    }
    if row.agrees == Some(false) {
        notes.push(format!("DIFFERS: {}", difference(row, reference)));
    }
    if row.runs.is_empty() && row.fault.is_none() {
        notes.push("not timed".to_owned());
    }
    notes.join(", ")
}

/// By how many lines a result differs from the reference.
fn difference(row: &Row, reference: Option<&Row>) -> String {
    let lines = |row: &Row| row.result.map(|result| result.lines);
    let Some((reference, (seen, wanted))) =
        reference.and_then(|reference| Some((reference, (lines(row)?, lines(reference)?))))
    else {
        return "not what hs prints".to_owned();
    };
    let name = reference.name();
    let off = seen.abs_diff(wanted);
    let plural = if off == 1 { "" } else { "s" };
    match seen.cmp(&wanted) {
        Ordering::Less => format!("{off} line{plural} fewer than {name}"),
        Ordering::Greater => format!("{off} line{plural} more than {name}"),
        Ordering::Equal => format!("as many lines as {name}, but others"),
    }
}

/// A line per queue in `hs` and a column per number of threads, if there are several of both;
/// without rows about `hs` it is about the walker.
fn matrix(rows: &[&Row], cores: usize) -> Option<Value> {
    let of = |is_it: fn(&Row) -> bool| -> Vec<&Row> {
        rows.iter().copied().filter(|row| is_it(row) && row.threads.is_some()).collect()
    };
    let mut given = of(Row::is_house);
    if given.is_empty() {
        given = of(Row::is_walker);
    }
    let is_of_walker = given.first().is_some_and(|row| row.is_walker());
    let mut queues: Vec<String> = given.iter().map(|row| row.way()).collect();
    // Rows come queue by queue.
    queues.dedup();
    let threads: BTreeSet<usize> = given.iter().filter_map(|row| row.threads).collect();
    if queues.iter().filter(|queue| !queue.is_empty()).count() < 2 || threads.len() < 2 {
        return None;
    }
    let mut columns = vec![Column::of("Queue", Side::Left, &queues, |queue| {
        // A single worker uses no queue.
        if queue.is_empty() { "none".to_owned() } else { queue.clone() }
    })];
    columns.extend(threads.into_iter().map(|threads| {
        let is_here = |row: &Row, queue: &str| row.way() == queue && row.threads == Some(threads);
        let of_column = queues.iter().map(|queue| given.iter().find(|row| is_here(row, queue)));
        let of_column: Vec<Option<&Row>> = of_column.map(|row| row.copied()).collect();
        let crowd = if threads > cores { "\\*" } else { "" };
        let cells = medians(&of_column);
        Column { head: format!("-j{threads}{crowd}"), side: Side::Right, cells }
    }));
    Some(context! { is_of_walker, table => render(&columns) })
}

/// The cells in a column of the matrix. With a single ranked row nothing is in bold.
fn medians(rows: &[Option<&Row>]) -> Vec<String> {
    let median = |row: &Row| row.wall().filter(|_| row.is_ranked()).map(|wall| wall.median);
    let ranked: Vec<f64> = rows.iter().flatten().filter_map(|row| median(row)).collect();
    let least = ranked.iter().copied().min_by(f64::total_cmp).filter(|_| ranked.len() > 1);
    let cell = |row: &Row| match median(row) {
        Some(time) if Some(time) == least => format!("**{:.1}**", time * 1e3),
        Some(time) => format!("{:.1}", time * 1e3),
        None if row.fault.is_some() => "fault".to_owned(),
        None if row.agrees == Some(false) => "differs".to_owned(),
        None => String::new(),
    };
    rows.iter().map(|row| row.map(cell).unwrap_or_default()).collect()
}

/// Heads of columns, with the figure, its unit and its decimals.
const COSTS: [(&str, &str, f64, usize); 18] = [
    ("Peak [MiB]", "peak_bytes", (1 << 20) as f64, 1),
    ("User [ms]", "user", 1e-3, 1),
    ("System [ms]", "system", 1e-3, 1),
    ("Voluntary", "voluntary", 1.0, 0),
    ("Involuntary", "involuntary", 1.0, 0),
    ("Migrations", "migrations", 1.0, 0),
    ("Minor faults", "minor_faults", 1.0, 0),
    ("Major faults", "major_faults", 1.0, 0),
    ("Calls/file", "calls_per_file", 1.0, 2),
    ("Written [MB]", "written_bytes", 1e6, 1),
    ("Index [MB]", "index_bytes", 1e6, 1),
    // Of walks alone.
    ("Directories", "directories", 1.0, 0),
    ("Files", "files", 1.0, 0),
    ("Symlinks", "symlinks", 1.0, 0),
    ("Bytes", "bytes", 1.0, 0),
    ("Steals", "steals", 1.0, 0),
    ("Parks", "parks", 1.0, 0),
    ("Started", "threads_started", 1.0, 0),
];

/// Memory, processor time, switches, faults and calls, as far as they were counted: medians.
fn costs(rows: &[&Row], cores: usize) -> Option<String> {
    let columns = COSTS.iter().map(|&(head, figure, unit, decimals)| {
        Column::of(head, Side::Right, rows, |row| {
            number(row.median(figure).map(|median| median / unit), decimals)
        })
    });
    let mut columns: Vec<Column> = columns.filter(|column| !column.is_empty()).collect();
    columns.insert(0, Column::of("Command", Side::Left, rows, |row| label(row, cores)));
    (columns.len() > 1).then(|| render(&columns))
}

/// One command of each tool, as far as they are known; without rows nothing.
fn commands(rows: &[&Row]) -> Vec<String> {
    let known = || rows.iter().filter(|row| !row.command.is_empty());
    let tools = distinct(known().map(|row| &row.tool));
    let first = tools.into_iter().filter_map(|tool| known().find(|row| row.tool == *tool));
    let mut commands: Vec<String> = first.map(|row| code(&row.command)).collect();
    if commands.is_empty() && !rows.is_empty() {
        commands.push("not known".to_owned());
    }
    commands
}
