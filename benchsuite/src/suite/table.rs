//! A record of `walk` or `search` as Markdown: the facts, then each comparison in figures and in
//! words.
//!
//! Times are in the shape of document 4 (hyperfine's), rates in that of document 3 (Phanes): so
//! people can lay their own tables beside those that were published.
//!
//! ```text
//! print ──> facts: where, when, how, on what
//!       └─> per comparison: times, matrix, costs, then verdict: the same in words
//! ```

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write;

use crate::markdown::{Column, Side, code, number, one_line, relative, render};
use crate::stats::Spread;
use crate::suite::record::{Comparison, Cost, Record, Row};

mod facts;
#[cfg(test)]
mod tests;
mod verdict;

/// Everything a record says.
pub(crate) fn print(record: &Record) -> String {
    let mut text = facts::facts(record);
    for comparison in &record.comparisons {
        text.push('\n');
        text += &report(comparison, record.machine.cores);
    }
    text
}

/// Everything there is to say of a comparison.
fn report(comparison: &Comparison, cores: usize) -> String {
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
    let _ = write!(text, "\nVerdict:\n\n{}", verdict::verdict(&rows, cores));
    let _ = write!(text, "\nCommands, for instance:\n\n{}", commands(&rows));
    text
}

/// `hs` by queue and then by threads, then the rivals by threads, then the floor. Queues and rivals
/// keep the order they were measured in.
fn ordered(comparison: &Comparison) -> Vec<&Row> {
    let class = |row: &Row| match row {
        row if row.is_house() => usize::from(row.queue.is_some()),
        row if row.is_floor() => 3,
        _ => 2,
    };
    let of_one_kind =
        |one: &Row, other: &Row| (&one.tool, &one.queue) == (&other.tool, &other.queue);
    let first = |row: &Row| comparison.rows.iter().position(|other| of_one_kind(row, other));
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    rows.sort_by_cached_key(|row| (class(row), first(row), row.threads));
    rows
}

/// A row's name in a table.
fn label(row: &Row, cores: usize) -> String {
    let crowd = if row.is_crowded(cores) { "\\*" } else { "" };
    format!("`{}`{crowd}", row.name())
}

/// In the shape of document 4 (hyperfine's): means, relative to the best row, which is the one with
/// the smallest median, as in the verdict. Another may have a smaller mean, if the best had an
/// outlier.
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
    let mut columns = vec![
        Column::of("Command", Side::Left, rows, |row| label(row, cores)),
        right("Mean [ms]", of(&mean)),
        right("Min [ms]", of(&|_, wall| ms(wall.min))),
        right("Max [ms]", of(&|_, wall| ms(wall.max))),
        right("Relative", of(&times_best)),
        Column::of("Note", Side::Left, rows, |row| note(row, reference(rows))),
    ];
    // The others stay, for the shape; a note is for what is odd.
    columns.retain(|column| column.head != "Note" || !column.is_empty());
    render(&columns)
}

/// The row whose result the others were compared with.
fn reference<'a>(rows: &[&'a Row]) -> Option<&'a Row> {
    let known = |row: &&&Row| row.is_house() && row.result.is_some() && row.agrees != Some(false);
    rows.iter().find(known).copied()
}

/// Why a row is not ranked, if it is not. The floor is no rival, and needs no reason.
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

/// By how many lines a result differs from that of the reference.
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

/// A line per queue and a column per number of threads, if there are several of both.
fn matrix(rows: &[&Row], cores: usize) -> Option<String> {
    let told: Vec<&Row> =
        rows.iter().copied().filter(|row| row.is_house() && row.threads.is_some()).collect();
    let mut queues: Vec<Option<&str>> = told.iter().map(|row| row.queue.as_deref()).collect();
    // Rows come queue by queue.
    queues.dedup();
    let threads: BTreeSet<usize> = told.iter().filter_map(|row| row.threads).collect();
    if queues.iter().flatten().count() < 2 || threads.len() < 2 {
        return None;
    }
    let mut columns = vec![Column::of("Queue", Side::Left, &queues, |queue| {
        // One worker shares with nobody.
        queue.unwrap_or("none").to_owned()
    })];
    columns.extend(threads.into_iter().map(|threads| {
        let of_column: Vec<Option<&Row>> = queues
            .iter()
            .map(|&queue| {
                let is_it =
                    |row: &&&Row| row.queue.as_deref() == queue && row.threads == Some(threads);
                told.iter().find(is_it).copied()
            })
            .collect();
        let crowd = if threads > cores { "\\*" } else { "" };
        let cells = medians(&of_column);
        Column { head: format!("-j{threads}{crowd}"), side: Side::Right, cells }
    }));
    let head = "Medians in ms, the best queue for each number of threads in bold:";
    Some(format!("{head}\n\n{}", render(&columns)))
}

/// The cells of a column of the matrix. Where there is nothing to choose from, nothing is in bold.
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

/// The head of a column of numbers, and how to fill it.
type Numbers<'a> = (&'a str, &'a dyn Fn(&Row) -> String);

/// Memory, processor time, switches, faults and calls, as far as they were counted: medians.
fn costs(rows: &[&Row], cores: usize) -> Option<String> {
    let mebibytes = f64::from(1 << 20);
    let of_cost = |row: &Row, decimals: usize, figure: &dyn Fn(&Cost) -> f64| {
        number(row.cost(figure), decimals)
    };
    let migrations = |row: &Row| {
        let counted: Vec<f64> =
            row.costs.iter().filter_map(|cost| cost.migrations).map(|count| count as f64).collect();
        number(Spread::of(&counted).map(|spread| spread.median), 0)
    };
    let ms = |time: Option<Spread>| number(time.map(|spread| spread.median * 1e3), 1);
    let cells: [Numbers<'_>; 9] = [
        ("Peak [MiB]", &|row| of_cost(row, 1, &|cost| cost.peak_bytes as f64 / mebibytes)),
        ("User [ms]", &|row| ms(row.spread(|run| run.user))),
        ("System [ms]", &|row| ms(row.spread(|run| run.system))),
        ("Voluntary", &|row| of_cost(row, 0, &|cost| cost.voluntary as f64)),
        ("Involuntary", &|row| of_cost(row, 0, &|cost| cost.involuntary as f64)),
        ("Migrations", &migrations),
        ("Minor faults", &|row| of_cost(row, 0, &|cost| cost.minor_faults as f64)),
        ("Major faults", &|row| of_cost(row, 0, &|cost| cost.major_faults as f64)),
        ("Calls/file", &|row| number(row.calls_per_file, 2)),
    ];
    let columns = cells.map(|(head, cell)| Column::of(head, Side::Right, rows, |row| cell(row)));
    let mut columns: Vec<Column> =
        columns.into_iter().filter(|column| !column.is_empty()).collect();
    if columns.is_empty() {
        return None;
    }
    columns.insert(0, Column::of("Command", Side::Left, rows, |row| label(row, cores)));
    let head = "Memory, time on cores, context switches, page faults, system calls (medians):";
    Some(format!("{head}\n\n{}", render(&columns)))
}

/// What was typed, once for each tool.
fn commands(rows: &[&Row]) -> String {
    let mut told: Vec<&str> = Vec::new();
    let mut text = String::new();
    for row in rows {
        if !told.contains(&row.tool.as_str()) && !row.command.is_empty() {
            told.push(&row.tool);
            let _ = writeln!(text, "- {}", code(&row.command));
        }
    }
    if text.is_empty() { "- not known\n".to_owned() } else { text }
}
