//! The findings of a record in words.
//!
//! A sentence is as careful as the figures: two medians that are no further apart than both their
//! spreads are called level, and a row that is not ranked is named with its reason instead.

use super::format::{Unit, digits, percent};
use crate::reading::{Verdict, best_of_queues, by_time, house, of_tool, reason, rivals};
use crate::record::{Comparison, FLOOR, Record, Row, fastest};
use crate::stats::Spread;

/// A row's median with its unit.
fn time(row: &Row) -> String {
    row.wall().map_or_else(|| "–".to_owned(), |wall| Unit::Time.show(wall.median))
}

/// A row with its wall times, which it must have been timed for.
fn timed(row: &Row) -> Option<(&Row, Spread)> {
    Some((row, row.wall()?))
}

/// The best row of every queue, the fastest first.
fn queues(comparison: &Comparison) -> Vec<(String, &Row)> {
    let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.is_house()).collect();
    let mut queues = best_of_queues(&rows);
    queues.sort_by(|one, other| one.0.cmp(&other.0));
    queues.sort_by(|one, other| by_time(one.1, other.1));
    queues
}

/// The findings of a comparison.
pub(super) fn of_comparison(comparison: &Comparison) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(queue_sentence(comparison));
    let Some((house, wall)) = house(comparison).and_then(timed) else {
        found.push("There is no time of hs that could be compared with others.".to_owned());
        return found;
    };
    let (mut ranked, mut unranked) = (Vec::new(), Vec::new());
    for rival in rivals(&comparison.rows) {
        if let Some((row, other)) = fastest(of_tool(comparison, rival)).and_then(timed) {
            let name = format!("{} ({})", row.name(), time(row));
            ranked.push(match Verdict::of(&wall, &other) {
                Verdict::Faster(times) => format!("{} times as fast as {name}", digits(times)),
                Verdict::Level => format!("level with {name}"),
                Verdict::Slower(times) => {
                    format!("takes {} times as long as {name}", digits(times))
                }
            });
        } else if let Some(reason) = of_tool(comparison, rival).find_map(reason) {
            unranked.push(format!("Not ranked: {rival} ({reason})."));
        }
    }
    if !ranked.is_empty() {
        found.push(format!("{} ({}): {}.", house.name(), time(house), ranked.join("; ")));
    }
    found.extend(unranked);
    found.extend(floor_sentence(comparison));
    found
}

/// Which queue is fastest, and by how much.
fn queue_sentence(comparison: &Comparison) -> Option<String> {
    let queues = queues(comparison);
    let ((first, best), others) = queues.split_first()?;
    let wall = best.wall()?;
    let Some(((_, last), _)) = others.split_last() else {
        return Some(format!("{first} is the only queue: {}.", time(best)));
    };
    let is_near = |row: &Row| row.wall().is_some_and(|other| wall.is_near(&other));
    let times = |row: &Row| Some(row.wall()?.median / wall.median);
    let level = others.iter().filter(|(_, row)| is_near(row)).map(|(name, _)| name.as_str());
    let level: Vec<&str> = level.collect();
    let mut sentence =
        format!("Fastest of {} queues: {} at {}", queues.len(), best.name(), time(best));
    if level.is_empty() {
        let next = others[0].1;
        let by = percent(times(next)? - 1.0);
        sentence.push_str(&format!(", {by} before {} at {}.", next.name(), time(next)));
    } else {
        sentence.push_str(&format!(", with no difference worth naming to {}.", listed(&level)));
    }
    if !is_near(last) {
        let (name, ratio) = (last.name(), times(last)?);
        sentence.push_str(&format!(" The slowest, {name}, takes {ratio:.2} times as long."));
    }
    Some(sentence)
}

/// The rows of `hs` and of the floor with their wall times.
fn with_floor(comparison: &Comparison) -> Option<[(&Row, Spread); 2]> {
    let floor = fastest(of_tool(comparison, FLOOR))?;
    Some([timed(house(comparison)?)?, timed(floor)?])
}

/// The distance of `hs` from the floor, in a sentence.
fn floor_sentence(comparison: &Comparison) -> Option<String> {
    let [(house, wall), (floor, least)] = with_floor(comparison)?;
    let (name, limit) = (house.name(), format!("{} at {}", floor.name(), time(floor)));
    let away = wall.median / least.median - 1.0;
    Some(match Verdict::of(&wall, &least) {
        Verdict::Level => format!("{name} is level with the floor, {limit} ({}).", signed(away)),
        Verdict::Slower(_) => format!("{name} is {} above the floor, {limit}.", percent(away)),
        Verdict::Faster(_) => format!(
            "{name} is {} below the floor, {limit}, which cannot be: distrust this comparison.",
            percent(-away)
        ),
    })
}

/// With its sign: `+8.3 %`.
fn signed(part: f64) -> String {
    format!("{}{}", if part < 0.0 { "−" } else { "+" }, percent(part.abs()))
}

/// The findings of the whole record.
pub(super) fn of_record(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(best_queues(record));
    let tools = rivals(record.rows().map(|(_, row)| row));
    found.extend(tools.into_iter().map(|tool| against(record, tool)));
    let distance = |comparison| {
        let [(_, wall), (_, least)] = with_floor(comparison)?;
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
    let mut wins: Vec<(String, usize)> = Vec::new();
    let mut contests = 0;
    for comparison in &record.comparisons {
        let queues = queues(comparison);
        let Some(wall) = queues.first().and_then(|(_, row)| row.wall()) else { continue };
        if queues.len() < 2 {
            continue;
        }
        contests += 1;
        let is_level = |row: &Row| row.wall().is_some_and(|other| wall.is_near(&other));
        for (name, _) in queues.into_iter().filter(|(_, row)| is_level(row)) {
            match wins.iter_mut().find(|(winner, _)| *winner == name) {
                Some((_, count)) => *count += 1,
                None => wins.push((name, 1)),
            }
        }
    }
    let most = wins.iter().map(|(_, count)| *count).max()?;
    let first = wins.iter().filter(|(_, count)| *count == most).map(|(name, _)| name.as_str());
    let first: Vec<&str> = first.collect();
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
        match Verdict::of(&one, &other) {
            Verdict::Faster(times) => faster.push(times),
            Verdict::Slower(times) => slower.push(times),
            Verdict::Level => {}
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
    match names.split_last() {
        Some((last, more)) if !more.is_empty() => format!("{} and {last}", more.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => String::new(),
    }
}
