//! How a comparison is read, by tables and page alike: which rows stand for a program, why a row is
//! not ranked, and how one time compares with another.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use heist_queue::{IdleKind, QueueKind};

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
    let missed = row.missed();
    if missed > 0 {
        return Some(format!("missed {missed} of {} edits", row.runs.len()));
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

/// Queues that did the same work with the same number of threads: at least two, with their rows and
/// the wall times of these, the fastest first.
pub(crate) struct Contest<'a> {
    /// `at -j8 in list-all`.
    pub(crate) place: String,
    pub(crate) queues: Vec<(String, &'a Row, Spread)>,
}

impl<'a> Contest<'a> {
    /// The contests among rows of a comparison, by their numbers of threads.
    pub(crate) fn among(comparison: &Comparison, rows: &[&'a Row]) -> Vec<Contest<'a>> {
        let threads: BTreeSet<Option<usize>> = rows.iter().map(|row| row.threads).collect();
        let contest = |threads: Option<usize>| {
            let rows = rows.iter().filter(|row| row.threads == threads);
            let queues = rows.filter_map(|row| {
                // A single run has no spread, so that nothing is known of a difference.
                let has_noise = |wall: &Spread| row.runs.len() > 1 && wall.median > 0.0;
                let wall = row.ranked().filter(has_noise)?;
                Some((queue(row)?, *row, wall))
            });
            let mut queues: Vec<_> = queues.collect();
            queues.sort_by(|one, other| one.2.median.total_cmp(&other.2.median));
            let at = threads.map(|threads| format!("-j{threads} in ")).unwrap_or_default();
            let place = format!("at {at}{}", comparison.task);
            (queues.len() > 1).then_some(Contest { place, queues })
        };
        threads.into_iter().filter_map(contest).collect()
    }
}

/// What chose the work queue of a row: that of `hs`, with its idle policy if one was chosen, or a
/// queue alone with the default policy.
fn queue(row: &Row) -> Option<String> {
    let idle = row.idle.as_ref().filter(|idle| *idle != IdleKind::default().name());
    if let Some(queue) = &row.queue {
        return Some(idle.map_or(queue.clone(), |idle| format!("{queue} {idle}")));
    }
    (QueueKind::NAMES.contains(&&*row.tool) && idle.is_none()).then(|| row.tool.clone())
}

/// A row's median relative to that of the best row in its comparison; `≈`: no difference was
/// measured.
pub(crate) fn relative(comparison: &Comparison, row: &Row) -> Option<String> {
    let (best, wall) = (comparison.best()?.wall()?, row.ranked()?);
    let near = if best.is_near(&wall) && best != wall { " ≈" } else { "" };
    (best.median > 0.0).then(|| format!("{:.2}{near}", wall.median / best.median))
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

/// How one time compares with another: medians that are no further apart than both are noisy are
/// level.
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
