//! A comparison of whole programs as Markdown: times in the shape of document 4 (hyperfine's), a
//! matrix of queues and threads, costs, and a verdict in words.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write;

use crate::markdown::{
    Column, Side, code, items, number, one_line, relative, render, render_filled,
};
use crate::record::{Comparison, Row, WALKER};
use crate::stats::Spread;
use crate::verdict::of_comparison;

/// The whole report of a comparison.
pub(super) fn report(comparison: &Comparison, cores: usize) -> String {
    let rows = ordered(comparison);
    let mut text = format!("## {}\n\n", comparison.name());
    // Writing to a string cannot fail, here and below.
    if !comparison.about.is_empty() {
        let _ = writeln!(text, "{}.\n", comparison.about.trim_end_matches('.'));
    }
    if rows.is_empty() {
        return text + "Nothing was measured.\n";
    }
    text += &times(comparison, &rows, cores);
    if rows.iter().any(|row| row.is_crowded(cores)) {
        let cores = if cores == 1 { "core".to_owned() } else { format!("{cores} cores") };
        let _ = writeln!(text, "\n\\* more threads than the machine's {cores}");
    }
    for table in [matrix(&rows, cores), costs(&rows, cores)].into_iter().flatten() {
        let _ = write!(text, "\n{table}");
    }
    let _ = write!(text, "\nVerdict:\n\n{}", items(&of_comparison(comparison, cores)));
    let _ = write!(text, "\nCommands, for instance:\n\n{}", commands(&rows));
    text
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
    let of_one_kind = |one: &Row, other: &Row| (&one.tool, ways(one)) == (&other.tool, ways(other));
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

/// The queue and idle policy of a row.
fn ways(row: &Row) -> (Option<&str>, Option<&str>) {
    (row.queue.as_deref(), row.idle.as_deref())
}

/// Means, relative to the best row, which is the one with the smallest median, as in the verdict.
/// Another row may have a smaller mean if the best had an outlier.
fn times(comparison: &Comparison, rows: &[&Row], cores: usize) -> String {
    let best = comparison.best();
    let ms = |seconds: f64| format!("{:.1}", seconds * 1e3);
    let of = |figure: &dyn Fn(&Row, Spread) -> String| {
        let figure = |row: &&Row| row.wall().map(|wall| figure(row, wall)).unwrap_or_default();
        rows.iter().map(figure).collect()
    };
    let mean = |row: &Row, wall: Spread| match row.runs.len() {
        1 => ms(wall.mean),
        _ => format!("{} ± {}", ms(wall.mean), ms(wall.deviation)),
    };
    let times_best = |row: &Row, wall: Spread| {
        best.filter(|_| row.is_ranked())
            .and_then(|best| Some((best, best.wall().filter(|wall| wall.mean > 0.0)?)))
            .map(|(best, base)| match row.runs.len().min(best.runs.len()) {
                // One run has no deviation, so the ratio has no error that could be known.
                1 => format!("{:.2}", wall.mean / base.mean),
                _ => relative(wall, base),
            })
            .unwrap_or_default()
    };
    let right =
        |head: &str, cells: Vec<String>| Column { head: head.to_owned(), side: Side::Right, cells };
    let columns = vec![
        Column::of("Command", Side::Left, rows, |row| label(row, cores)),
        right("Mean [ms]", of(&mean)),
        right("Min [ms]", of(&|_, wall| ms(wall.min))),
        right("Max [ms]", of(&|_, wall| ms(wall.max))),
        right("Relative", of(&times_best)),
        Column::of("Note", Side::Left, rows, |row| note(row, reference(rows, row))),
    ];
    // Without a note there is no column for notes; the others stay, for the shape.
    render_filled(columns, |head| head != "Note")
}

/// The row whose result that of `row` was compared with.
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
        notes.push(format!("FAULT: {}", one_line(why)));
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

/// A line per queue of `hs` and a column per number of threads, if there are several of both;
/// without rows of `hs` it is of the walker.
fn matrix(rows: &[&Row], cores: usize) -> Option<String> {
    let of = |is_it: fn(&Row) -> bool| -> Vec<&Row> {
        rows.iter().copied().filter(|row| is_it(row) && row.threads.is_some()).collect()
    };
    let mut given = of(Row::is_house);
    if given.is_empty() {
        given = of(Row::is_walker);
    }
    let of_walker = given.first().is_some_and(|row| row.is_walker());
    let mut queues: Vec<_> = given.iter().map(|row| ways(row)).collect();
    // Rows come queue by queue.
    queues.dedup();
    let threads: BTreeSet<usize> = given.iter().filter_map(|row| row.threads).collect();
    if queues.iter().filter(|queue| **queue != (None, None)).count() < 2 || threads.len() < 2 {
        return None;
    }
    let mut columns = vec![Column::of("Queue", Side::Left, &queues, |queue| {
        let parts: Vec<&str> = [queue.0, queue.1].into_iter().flatten().collect();
        // A single worker uses no queue.
        if parts.is_empty() { "none".to_owned() } else { parts.join(" ") }
    })];
    columns.extend(threads.into_iter().map(|threads| {
        let of_column: Vec<Option<&Row>> = queues
            .iter()
            .map(|&queue| {
                let is_it = |row: &&&Row| ways(row) == queue && row.threads == Some(threads);
                given.iter().find(is_it).copied()
            })
            .collect();
        let crowd = if threads > cores { "\\*" } else { "" };
        let cells = medians(&of_column);
        Column { head: format!("-j{threads}{crowd}"), side: Side::Right, cells }
    }));
    let of = if of_walker { format!(" of the {WALKER}") } else { String::new() };
    let head = format!("Medians{of} in ms, the best queue for each number of threads in bold:");
    Some(format!("{head}\n\n{}", render(&columns)))
}

/// The cells of a column of the matrix. With a single ranked row nothing is in bold.
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
const COSTS: [(&str, &str, f64, usize); 9] = [
    ("Peak [MiB]", "peak_bytes", (1 << 20) as f64, 1),
    ("User [ms]", "user", 1e-3, 1),
    ("System [ms]", "system", 1e-3, 1),
    ("Voluntary", "voluntary", 1.0, 0),
    ("Involuntary", "involuntary", 1.0, 0),
    ("Migrations", "migrations", 1.0, 0),
    ("Minor faults", "minor_faults", 1.0, 0),
    ("Major faults", "major_faults", 1.0, 0),
    ("Calls/file", "calls_per_file", 1.0, 2),
];

/// The figures of walks alone.
const COSTS_OF_WALKS: [(&str, &str, f64, usize); 7] = [
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
    let columns = COSTS.iter().chain(&COSTS_OF_WALKS).map(|&(head, figure, unit, decimals)| {
        Column::of(head, Side::Right, rows, |row| {
            number(row.median(figure).map(|median| median / unit), decimals)
        })
    });
    let mut columns: Vec<Column> = columns.filter(|column| !column.is_empty()).collect();
    if columns.is_empty() {
        return None;
    }
    columns.insert(0, Column::of("Command", Side::Left, rows, |row| label(row, cores)));
    let head = "Memory, time on cores, context switches, page faults, system calls (medians):";
    Some(format!("{head}\n\n{}", render(&columns)))
}

/// One command of each tool.
fn commands(rows: &[&Row]) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut text = String::new();
    for row in rows {
        if !known.contains(&row.tool.as_str()) && !row.command.is_empty() {
            known.push(&row.tool);
            let _ = writeln!(text, "- {}", code(&row.command));
        }
    }
    if text.is_empty() { "- not known\n".to_owned() } else { text }
}
