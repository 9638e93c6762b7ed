//! One table from a `benchsuite index` record: its searches in groups, by how much they find.

use std::ops::RangeInclusive;

use crate::markdown::{Column, Side, grouped, render};
use crate::reading::of_tool;
use crate::record::{Comparison, HEIST, Record, RecordKind, fastest};
use crate::stats::Spread;
use crate::suite::tasks::tasks_of;

/// How many lines the searches of each group print.
const GROUPS: [RangeInclusive<u64>; 5] =
    [0..=0, 1..=50, 51..=1000, 1001..=10_000, 10_001..=u64::MAX];

/// How many times as fast as `base` each of `tools` is on a corpus: a line for each group, with the
/// median of its searches and the least. A tool that was ranked nowhere is an error.
pub(crate) fn groups(
    record: &Record,
    corpus: &str,
    base: &str,
    tools: &[&str],
) -> Result<String, String> {
    let searches = tasks_of(RecordKind::Index).iter().filter(|task| task.work.is_search());
    let searches: Vec<&str> = searches.map(|task| &*task.name).collect();
    let is_search =
        |one: &&Comparison| one.corpus == corpus && searches.contains(&one.task.as_str());
    let lines = |one: &Comparison| of_tool(one, HEIST).find_map(|row| Some(row.result?.lines));
    let mut found: Vec<(RangeInclusive<u64>, Vec<&Comparison>)> = Vec::new();
    for group in GROUPS {
        let of_group = record.comparisons.iter().filter(is_search);
        let of_group =
            of_group.filter(|one| lines(one).is_some_and(|count| group.contains(&count)));
        let of_group: Vec<&Comparison> = of_group.collect();
        if !of_group.is_empty() {
            found.push((group, of_group));
        }
    }
    let column = |head: &str, side, cells| Column { head: head.to_owned(), side, cells };
    let heads = found.iter().map(|(group, _)| name(group)).collect();
    let counts = found.iter().map(|(_, searches)| searches.len().to_string()).collect();
    let mut columns =
        vec![column("lines found", Side::Left, heads), column("searches", Side::Right, counts)];
    for tool in tools {
        let cells: Vec<String> = found.iter().map(|(_, all)| cell(all, base, tool)).collect();
        if cells.iter().all(String::is_empty) {
            return Err(format!("{tool} took part in none of these"));
        }
        columns.push(column(tool, Side::Right, cells));
    }
    Ok(render(&columns))
}

/// A group in words.
fn name(group: &RangeInclusive<u64>) -> String {
    match (*group.start(), *group.end()) {
        (0, 0) => "none".to_owned(),
        (least, u64::MAX) => format!("{} or more", grouped(least)),
        (least, most) => format!("{} to {}", grouped(least), grouped(most)),
    }
}

/// How many times as fast as `base` a tool is, in the median and at the least.
fn cell(searches: &[&Comparison], base: &str, tool: &str) -> String {
    let median = |one: &Comparison, tool: &str| {
        fastest(of_tool(one, tool)).and_then(|row| Some(row.ranked()?.median))
    };
    let times = searches.iter().filter_map(|one| Some(median(one, base)? / median(one, tool)?));
    let times: Vec<f64> = times.collect();
    let spread = Spread::of(&times);
    spread.map(|all| format!("{:.2} × ({:.2})", all.median, all.min)).unwrap_or_default()
}
