//! One table from a whole record, for docs/speed.md: a line per task, a column per tool with its
//! own choice of threads and queue.

use crate::markdown::{Column, Side, code, render};
use crate::record::{Comparison, FLOOR, HEIST, Record, Row};
use crate::stats::Spread;

/// Medians in milliseconds, for rivals also as a multiple of what `hs` takes. The task `*` stands
/// for all. A task that the record does not have is an error, and so is a tool that took part in
/// none.
pub(crate) fn summary(
    record: &Record,
    corpus: &str,
    tasks: &[&str],
    tools: &[&str],
) -> Result<String, String> {
    let known = || record.comparisons.iter().filter(|one| one.corpus == corpus);
    let find = |task: &&str| {
        let found = known().find(|one| one.task == **task);
        found.ok_or_else(|| format!("the record has no {task} of {corpus}"))
    };
    let comparisons: Vec<&Comparison> = match tasks {
        ["*"] => known().collect(),
        tasks => tasks.iter().map(find).collect::<Result<_, _>>()?,
    };
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

/// How many times as long as `hs` each of `tools` takes for the tasks on a corpus: in the median,
/// and where that is least. A tool that was ranked nowhere is an error.
pub(crate) fn ratios(record: &Record, corpus: &str, tools: &[&str]) -> Result<String, String> {
    let cores = record.machine.cores;
    let comparisons = record.comparisons.iter().filter(|one| one.corpus == corpus);
    let comparisons: Vec<&Comparison> = comparisons.collect();
    let ratio = |comparison: &Comparison, tool: &str| {
        let wall = |tool| by_itself(comparison, tool, cores).and_then(Row::ranked);
        Some(wall(tool)?.median / wall(HEIST)?.median)
    };
    let heads = ["against", "queries", "median", "worst"];
    let mut cells = [const { Vec::new() }; 4];
    for tool in tools {
        let mut found: Vec<(f64, &str)> = comparisons
            .iter()
            .filter_map(|comparison| Some((ratio(comparison, tool)?, &*comparison.task)))
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: Vec<f64> = found.iter().map(|(ratio, _)| *ratio).collect();
        let (Some(spread), Some((least, task))) = (Spread::of(&all), found.first()) else {
            return Err(format!("{tool} took part in none of these"));
        };
        cells[0].push((*tool).to_owned());
        cells[1].push(found.len().to_string());
        cells[2].push(format!("{:.2} ×", spread.median));
        cells[3].push(format!("{least:.2} × ({})", code(task)));
    }
    let sides = [Side::Left, Side::Right, Side::Right, Side::Left];
    let columns = heads.into_iter().zip(sides).zip(cells);
    let column =
        |((head, side), cells): ((&str, Side), _)| Column { head: head.into(), side, cells };
    Ok(render(&columns.map(column).collect::<Vec<_>>()))
}

/// The median of a tool's row; empty if it cannot do the task, a word if the row is not ranked.
fn cell(comparison: &Comparison, tool: &str, cores: usize) -> String {
    let Some(row) = by_itself(comparison, tool, cores) else {
        return String::new();
    };
    let missed = row.missed();
    match (row.fault.is_some(), row.agrees, row.wall()) {
        (true, ..) | (false, _, None) => "failed".to_owned(),
        (false, Some(false), _) if missed > 0 => {
            format!("missed {missed} of {}", row.runs.len())
        }
        (false, Some(false), _) => "differs".to_owned(),
        (false, _, Some(wall)) => {
            let own = by_itself(comparison, HEIST, cores).and_then(Row::wall);
            let times = own.filter(|_| tool != HEIST && tool != FLOOR);
            let times = times.map(|own| ratio(wall.median / own.median));
            format!("{}{}", milliseconds(wall.median), times.unwrap_or_default())
        }
    }
}

/// How many times as long, with two significant digits.
fn ratio(times: f64) -> String {
    format!(" ({times:.*} ×)", if times < 1.0 { 2 } else { 1 })
}

/// A tool's row with its own choice of threads and queue, or with what it would choose.
fn by_itself<'a>(comparison: &'a Comparison, tool: &str, cores: usize) -> Option<&'a Row> {
    let own = || comparison.rows.iter().filter(|row| row.tool == tool && row.is_default(cores));
    own().find(|row| row.threads.is_none()).or_else(|| own().next())
}

/// Three significant digits, if there are as many before the point.
fn milliseconds(seconds: f64) -> String {
    let ms = seconds * 1e3;
    format!("{ms:.*}", if ms < 10.0 { 1 } else { 0 })
}
