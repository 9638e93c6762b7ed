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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Figures;

    fn row(tool: &str, queue: Option<&str>, threads: Option<usize>, wall: f64) -> Row {
        Row {
            tool: tool.to_owned(),
            queue: queue.map(str::to_owned),
            threads,
            agrees: Some(true),
            runs: vec![Figures::of([("wall", wall)])],
            ..Row::default()
        }
    }

    fn record() -> Record {
        let rows = vec![
            row("hs", None, Some(1), 9.0),
            row("hs", Some("stack"), Some(2), 8.0),
            row("hs", Some("deque"), Some(2), 0.02),
            row("rg", None, Some(1), 7.0),
            row("rg", None, None, 0.05),
            Row { agrees: Some(false), ..row("ag", None, None, 0.05) },
            row("floor", None, Some(1), 7.0),
            row("floor", None, Some(2), 0.005),
        ];
        let comparison = Comparison {
            corpus: "linux".to_owned(),
            task: "list-all".to_owned(),
            about: "Print all".to_owned(),
            rows,
            ..Comparison::default()
        };
        let mut record = Record { comparisons: vec![comparison], ..Record::default() };
        record.machine.cores = 2;
        record
    }

    #[test]
    fn every_tool_has_its_own_choices() {
        let table =
            summary(&record(), "linux", &["list-all"], &["hs", "floor", "rg", "ag"]).unwrap();
        let expected = "| linux, ms |  hs | floor |         rg |      ag |\n\
                        | --------- | --: | ----: | ---------: | ------: |\n\
                        | Print all |  20 |   5.0 | 50 (2.5 ×) | differs |\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |corpus, task, tool| summary(&record(), corpus, &[task], &[tool]).unwrap_err();
        assert!(error("linux", "search", "hs").contains("no search of linux"));
        assert!(error("wide", "list-all", "hs").contains("no list-all of wide"));
        assert!(error("linux", "list-all", "fd").contains("fd took part in none"));
    }
}
