//! One table of a whole record, for the README: a line per task, a column per tool with its own
//! choice of threads and queue.

use crate::markdown::{Column, Side, render};
use crate::record::{Comparison, FLOOR, HEIST, Record, Row};

/// Medians in milliseconds; those of rivals also as a multiple of that of `hs`. A corpus or task
/// that the record does not have is an error, and so is a tool that took part nowhere.
pub(crate) fn summary(
    record: &Record,
    corpus: &str,
    tasks: &[&str],
    tools: &[&str],
) -> Result<String, String> {
    let find = |task: &&str| {
        let known = |found: &&Comparison| found.corpus == corpus && found.task == **task;
        let found = record.comparisons.iter().find(known);
        found.ok_or_else(|| format!("the record has no {task} of {corpus}"))
    };
    let comparisons = tasks.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let about = comparisons.iter().map(|comparison| comparison.about.clone()).collect();
    let mut columns =
        vec![Column { head: format!("{corpus}, ms"), side: Side::Left, cells: about }];
    let cores = record.machine.cores;
    for tool in tools {
        let cells: Vec<String> =
            comparisons.iter().map(|comparison| cell(comparison, tool, cores)).collect();
        if cells.iter().all(String::is_empty) {
            return Err(format!("{tool} took part in none of these"));
        }
        columns.push(Column { head: (*tool).to_owned(), side: Side::Right, cells });
    }
    Ok(render(&columns))
}

/// The median of a tool's row; empty if it cannot do the task, a word if the row is not ranked.
fn cell(comparison: &Comparison, tool: &str, cores: usize) -> String {
    let Some(row) = by_itself(comparison, tool, cores) else {
        return String::new();
    };
    match (row.fault.is_some(), row.agrees, row.wall()) {
        (true, ..) | (false, _, None) => "failed".to_owned(),
        (false, Some(false), _) => "differs".to_owned(),
        (false, _, Some(wall)) => {
            let own = by_itself(comparison, HEIST, cores).and_then(Row::wall);
            let times = own.filter(|_| tool != HEIST && tool != FLOOR);
            let times = times.map(|own| format!(" ({:.1} ×)", wall.median / own.median));
            format!("{}{}", milliseconds(wall.median), times.unwrap_or_default())
        }
    }
}

/// The row of a tool with its own choice of threads and queue, or with what it would choose.
fn by_itself<'a>(comparison: &'a Comparison, tool: &str, cores: usize) -> Option<&'a Row> {
    let own = || comparison.rows.iter().filter(|row| row.tool == tool && row.is_default(cores));
    own().find(|row| row.threads.is_none()).or_else(|| own().next())
}

/// Three significant digits, if there are as many before the point.
fn milliseconds(seconds: f64) -> String {
    let ms = seconds * 1e3;
    format!("{ms:.*}", if ms < 10.0 { 1 } else { 0 })
}
