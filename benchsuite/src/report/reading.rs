//! How a record is read: which rows stand for a program, what may be compared, and in which words.

use std::cmp::Ordering;

use super::format::{Unit, count, digits};
use crate::stats::Spread;
use crate::suite::record::{Comparison, Row, fastest};

/// Above this part of the median, the spread of a row is worth a warning.
pub(super) const NOISE: f64 = 0.05;

/// In the order of a table: by time, and what cannot be ranked last.
pub(super) fn lower(one: &Row, other: &Row) -> Ordering {
    let median = |row: &Row| row.ranked().map_or(f64::INFINITY, |wall| wall.median);
    let key = |row: &Row| (median(row), row.wall().is_none());
    let (one, other) = (key(one), key(other));
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
}

/// Why a row is not ranked.
pub(super) fn reason(row: &Row) -> Option<String> {
    if let Some(fault) = &row.fault {
        return Some(fault.clone());
    }
    if row.agrees == Some(false) {
        let lines = row.result.map(|result| format!(": {} lines", count(result.lines as f64)));
        return Some(format!("other output{}", lines.unwrap_or_default()));
    }
    row.runs.is_empty().then(|| "not timed".to_owned())
}

/// The row that stands for `hs` against others: as it is, or else with the best queue.
pub(super) fn house(comparison: &Comparison) -> Option<&Row> {
    let rows = || comparison.rows.iter().filter(|row| row.is_house());
    let plain = fastest(rows().filter(|row| row.queue.is_none() && row.threads != Some(1)));
    plain.or_else(|| fastest(rows()))
}

/// The best row of every queue, the fastest first.
pub(super) fn queues(comparison: &Comparison) -> Vec<(&str, &Row)> {
    let rows = || comparison.rows.iter().filter(|row| row.is_house());
    let mut names: Vec<&str> = rows().filter_map(|row| row.queue.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    let best = |name: &&str| fastest(rows().filter(|row| row.queue.as_deref() == Some(*name)));
    let mut queues: Vec<(&str, &Row)> =
        names.into_iter().filter_map(|name| Some((name, best(&name)?))).collect();
    queues.sort_by(|one, other| lower(one.1, other.1));
    queues
}

/// The programs besides `hs` and the floor, in the order of their first rows.
pub(super) fn rivals(comparison: &Comparison) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in comparison.rows.iter().filter(|row| !row.is_house() && !row.is_floor()) {
        if !names.contains(&row.tool.as_str()) {
            names.push(&row.tool);
        }
    }
    names
}

/// The rows of a program.
pub(super) fn of_tool<'a>(
    comparison: &'a Comparison,
    tool: &'a str,
) -> impl Iterator<Item = &'a Row> {
    comparison.rows.iter().filter(move |row| row.tool == tool)
}

/// How one time compares with another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// As many times as fast.
    Faster(f64),
    /// No difference worth naming.
    Level,
    /// As many times as long.
    Slower(f64),
}

impl Verdict {
    /// Of `one` against `other`.
    pub(super) fn of(one: &Spread, other: &Spread) -> Verdict {
        if one.is_near(other) {
            Verdict::Level
        } else if one.median <= other.median {
            Verdict::Faster(other.median / one.median)
        } else {
            Verdict::Slower(one.median / other.median)
        }
    }

    /// What `hs` is, against a rival of this name.
    pub(super) fn against(self, rival: &str) -> String {
        match self {
            Verdict::Faster(times) => format!("{} times as fast as {rival}", digits(times)),
            Verdict::Level => format!("level with {rival}"),
            Verdict::Slower(times) => format!("takes {} times as long as {rival}", digits(times)),
        }
    }
}

/// A row's median with its unit.
pub(super) fn time(row: &Row) -> String {
    row.wall().map_or_else(|| "–".to_owned(), |wall| Unit::Time.show(wall.median))
}
