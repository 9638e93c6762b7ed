//! A whole record in words.

use super::comparison::{queues, signed, timed, with_limit};
use crate::reading::{SpeedRatio, distinct, house, of_tool, reason, rivals};
use crate::record::{Comparison, FLOOR, Record, Row, fastest};

/// The findings of the whole record.
pub(crate) fn of_record(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(best_queues(record));
    let tools = rivals(record.rows().map(|(_, row)| row));
    found.extend(tools.into_iter().map(|tool| against(record, tool)));
    let distance = |comparison| {
        let [(_, wall), (_, least)] = with_limit(comparison, FLOOR)?;
        Some(wall.median / least.median - 1.0)
    };
    let distances: Vec<f64> = record.comparisons.iter().filter_map(distance).collect();
    if let Some((least, most)) = range(&distances) {
        let (least, most) = (signed(least), signed(most));
        let away = if least == most { least } else { format!("{least} to {most}") };
        let (count, all) = (distances.len(), record.comparisons.len());
        let rest = if count == all {
            String::new()
        } else {
            format!(" Measured in {count} of {all} comparisons.")
        };
        found.push(format!(
            "Time of hs against the floor, the least work that can be done: {away}.{rest}"
        ));
    }
    found
}

/// Which queues are the fastest, or level with it, in how many comparisons.
fn best_queues(record: &Record) -> Option<String> {
    let winners = |comparison: &Comparison| -> Option<Vec<String>> {
        let own: Vec<&Row> = comparison.rows.iter().filter(|row| row.is_house()).collect();
        let queues = queues(&own);
        let wall = queues.first()?.1.wall()?;
        let is_level = |row: &Row| row.wall().is_some_and(|other| wall.is_near(&other));
        let level = queues.iter().filter(|(_, row)| is_level(row));
        (queues.len() > 1).then(|| level.map(|(name, _)| name.clone()).collect())
    };
    let contests: Vec<Vec<String>> = record.comparisons.iter().filter_map(winners).collect();
    let wins = |name: &str| contests.iter().flatten().filter(|winner| *winner == name).count();
    let mut first = distinct(contests.iter().flatten().map(String::as_str));
    let most = first.iter().map(|name| wins(name)).max()?;
    first.retain(|name| wins(name) == most);
    let contests = contests.len();
    let verb = if first.len() == 1 { "is" } else { "are" };
    Some(format!(
        "In {most} of {contests} comparisons {} {verb} the fastest of the queues, or level with \
         it.",
        listed(&first)
    ))
}

/// How `hs` compares with a program in all comparisons.
fn against(record: &Record, tool: &str) -> String {
    let (mut faster, mut slower) = (Vec::new(), Vec::new());
    let (mut total, mut unranked) = (0, 0);
    for comparison in record.comparisons.iter().filter(|c| rivals(&c.rows).contains(&tool)) {
        let rival = fastest(of_tool(comparison, tool)).and_then(timed);
        let (Some((_, one)), Some((_, other))) = (house(comparison).and_then(timed), rival) else {
            unranked += 1;
            continue;
        };
        total += 1;
        match SpeedRatio::of(&one, &other) {
            SpeedRatio::Faster(times) => faster.push(times),
            SpeedRatio::Slower(times) => slower.push(times),
            SpeedRatio::Level => {}
        }
    }
    let times = |all: &[f64]| match range(all) {
        Some((least, most)) if all.len() > 1 => format!("{least:.2} to {most:.2} times"),
        Some((least, _)) => format!("{least:.2} times"),
        None => String::new(),
    };
    let level = total - faster.len() - slower.len();
    let mut parts = Vec::new();
    if !faster.is_empty() {
        parts.push(format!("faster in {} of {total} ({} as fast)", faster.len(), times(&faster)));
    }
    if level > 0 {
        parts.push(format!("level in {level} of {total}"));
    }
    if !slower.is_empty() {
        parts.push(format!("slower in {} of {total} ({} as long)", slower.len(), times(&slower)));
    }
    if unranked > 0 {
        let mut rows = record.rows().filter(|(_, row)| row.tool == tool);
        let why = rows.find_map(|(_, row)| reason(row));
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        parts.push(format!("not to be compared in {unranked}{why}"));
    }
    format!("hs against {tool}: {}.", parts.join(", "))
}

fn range(figures: &[f64]) -> Option<(f64, f64)> {
    let least = figures.iter().copied().min_by(f64::total_cmp)?;
    let most = figures.iter().copied().max_by(f64::total_cmp)?;
    Some((least, most))
}

/// `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [more @ .., last] if !more.is_empty() => format!("{} and {last}", more.join(", ")),
        _ => names.concat(),
    }
}
