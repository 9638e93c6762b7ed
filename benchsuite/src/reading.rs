//! How a comparison is read, by tables and page alike: which rows stand for a program, why a row is
//! not ranked, and how one time compares with another.

use std::cmp::Ordering;

use crate::markdown::grouped;
use crate::record::{Comparison, Row, fastest};
use crate::stats::Spread;

/// Each of these once, in the order in which they first appear.
pub(crate) fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

/// Table order: by time, rows that are not ranked last.
pub(crate) fn by_time(one: &Row, other: &Row) -> Ordering {
    let median = |row: &Row| row.ranked().map_or(f64::INFINITY, |wall| wall.median);
    let key = |row: &Row| (median(row), row.wall().is_none());
    let (one, other) = (key(one), key(other));
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
}

/// Why a row is not ranked.
pub(crate) fn reason(row: &Row) -> Option<String> {
    if let Some(fault) = &row.fault {
        return Some(fault.clone());
    }
    if row.agrees == Some(false) {
        let lines = row.result.map(|result| format!(": {} lines", grouped(result.lines)));
        return Some(format!("other output{}", lines.unwrap_or_default()));
    }
    row.runs.is_empty().then(|| "not timed".to_owned())
}

/// The row that stands for `hs` against others: with its own choices, or else the fastest.
pub(crate) fn house(comparison: &Comparison) -> Option<&Row> {
    let rows = || comparison.rows.iter().filter(|row| row.is_house());
    let plain = fastest(rows().filter(|row| row.queue.is_none() && row.threads != Some(1)));
    plain.or_else(|| fastest(rows()))
}

/// The fastest row of each queue, in the order in which queues first appear. A queue with two idle
/// policies counts twice.
pub(crate) fn best_of_queues<'a>(rows: &[&'a Row]) -> Vec<(String, &'a Row)> {
    let best = |name: String| {
        let rows = rows.iter().copied().filter(|row| row.way() == name);
        fastest(rows).map(|row| (name, row))
    };
    let names = rows.iter().map(|row| row.way()).filter(|name| !name.is_empty());
    distinct(names).into_iter().filter_map(best).collect()
}

/// The rivals of `hs`, in the order in which they first appear.
pub(crate) fn rivals<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<&'a str> {
    distinct(rows.into_iter().filter(|row| row.is_rival()).map(|row| &*row.tool))
}

/// The rows of a program.
pub(crate) fn of_tool<'a>(
    comparison: &'a Comparison,
    tool: &'a str,
) -> impl Iterator<Item = &'a Row> {
    comparison.rows.iter().filter(move |row| row.tool == tool)
}

/// How one time compares with another: medians that are no further apart than both MADs are level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SpeedRatio {
    /// So many times as fast.
    Faster(f64),
    Level,
    /// So many times as long.
    Slower(f64),
}

impl SpeedRatio {
    /// Of `one` against `other`.
    pub(crate) fn of(one: &Spread, other: &Spread) -> SpeedRatio {
        if one.is_near(other) {
            SpeedRatio::Level
        } else if one.median <= other.median {
            SpeedRatio::Faster(other.median / one.median)
        } else {
            SpeedRatio::Slower(one.median / other.median)
        }
    }
}
