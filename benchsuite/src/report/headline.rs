//! The findings of a record in words.
//!
//! A sentence is as careful as the figures: where two medians are no further apart than both their
//! spreads they are called level, and what may not be ranked is named with its reason instead.

use super::format::percent;
use super::reading::{Verdict, house, of_tool, queues, reason, rivals, time};
use crate::suite::record::{Comparison, FLOOR, Record, fastest};

/// What a comparison shows.
pub(super) fn of_comparison(comparison: &Comparison) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(queue_sentence(comparison));
    let Some((house, wall)) = house(comparison).and_then(|row| Some((row, row.wall()?))) else {
        found.push("There is no time of hs that could be compared with others.".to_owned());
        return found;
    };
    let mut told = Vec::new();
    let mut untold = Vec::new();
    for rival in rivals(comparison) {
        let best = fastest(of_tool(comparison, rival));
        if let Some((row, other)) = best.and_then(|row| Some((row, row.wall()?))) {
            let name = format!("{} ({})", row.name(), time(row));
            told.push(Verdict::of(&wall, &other).against(&name));
        } else if let Some(reason) = of_tool(comparison, rival).find_map(reason) {
            untold.push(format!("Not ranked: {rival} ({reason})."));
        }
    }
    if !told.is_empty() {
        found.push(format!("{} ({}): {}.", house.name(), time(house), told.join("; ")));
    }
    found.extend(untold);
    found.extend(floor_sentence(comparison));
    found
}

/// Which queue is fastest, and by how much.
fn queue_sentence(comparison: &Comparison) -> Option<String> {
    let queues = queues(comparison);
    let ((first, best), others) = queues.split_first()?;
    let wall = best.wall()?;
    let Some(((_, last), more)) = others.split_last() else {
        return Some(format!("{} is the only queue: {}.", first, time(best)));
    };
    let is_near = |row: &crate::suite::record::Row| row.wall().is_some_and(|w| wall.is_near(&w));
    let level: Vec<&str> =
        others.iter().filter(|(_, row)| is_near(row)).map(|(name, _)| *name).collect();
    let mut sentence =
        format!("Fastest of {} queues: {} at {}", queues.len(), best.name(), time(best));
    if level.is_empty() {
        let next = more.first().unwrap_or(&others[0]);
        let ratio = next.1.wall()?.median / wall.median;
        let by = percent(ratio - 1.0);
        sentence.push_str(&format!(", {by} before {} at {}.", next.1.name(), time(next.1)));
    } else {
        sentence.push_str(&format!(", with no difference worth naming to {}.", listed(&level)));
    }
    if !is_near(last) {
        let ratio = last.wall()?.median / wall.median;
        sentence
            .push_str(&format!(" The slowest, {}, takes {ratio:.2} times as long.", last.name()));
    }
    Some(sentence)
}

/// How far `hs` is from the floor.
fn floor_sentence(comparison: &Comparison) -> Option<String> {
    let (house, floor) = (house(comparison)?, fastest(of_tool(comparison, FLOOR))?);
    let (wall, least) = (house.wall()?, floor.wall()?);
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

/// How far the time of `hs` is from that of the floor, as a part of the latter.
fn floor_distance(comparison: &Comparison) -> Option<f64> {
    let floor = fastest(of_tool(comparison, FLOOR))?;
    Some(house(comparison)?.wall()?.median / floor.wall()?.median - 1.0)
}

/// With its sign: `+8.3 %`.
fn signed(part: f64) -> String {
    format!("{}{}", if part < 0.0 { "−" } else { "+" }, percent(part.abs()))
}

/// What the record shows as a whole.
pub(super) fn of_record(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(best_queues(record));
    let mut tools: Vec<&str> = Vec::new();
    for tool in record.comparisons.iter().flat_map(rivals) {
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    found.extend(tools.into_iter().map(|tool| against(record, tool)));
    let distances: Vec<f64> = record.comparisons.iter().filter_map(floor_distance).collect();
    if let Some((least, most)) = range(&distances) {
        let (least, most) = (signed(least), signed(most));
        let away = if least == most { least } else { format!("{least} to {most}") };
        let count = distances.len();
        let where_ = if count == record.comparisons.len() {
            String::new()
        } else {
            format!(" Measured in {count} of {} comparisons.", record.comparisons.len())
        };
        found.push(format!(
            "Time of hs against the floor, the least work that can be done: {away}.{where_}"
        ));
    }
    found
}

/// Which queues are the fastest, or level with it, in how many comparisons.
fn best_queues(record: &Record) -> Option<String> {
    let mut wins: Vec<(&str, usize)> = Vec::new();
    let mut contests = 0;
    for comparison in &record.comparisons {
        let queues = queues(comparison);
        let Some(wall) = queues.first().and_then(|(_, row)| row.wall()) else { continue };
        if queues.len() < 2 {
            continue;
        }
        contests += 1;
        for (name, row) in &queues {
            if row.wall().is_some_and(|other| wall.is_near(&other)) {
                match wins.iter_mut().find(|(winner, _)| winner == name) {
                    Some((_, count)) => *count += 1,
                    None => wins.push((name, 1)),
                }
            }
        }
    }
    let most = wins.iter().map(|(_, count)| *count).max()?;
    let first: Vec<&str> =
        wins.iter().filter(|(_, count)| *count == most).map(|(name, _)| *name).collect();
    let verb = if first.len() == 1 { "is" } else { "are" };
    Some(format!(
        "In {most} of {contests} comparisons {} {verb} the fastest of the queues, or level with \
         it.",
        listed(&first)
    ))
}

/// How `hs` does against a program in all comparisons.
fn against(record: &Record, tool: &str) -> String {
    let mut verdicts = Vec::new();
    let mut unranked = 0;
    for comparison in record.comparisons.iter().filter(|c| rivals(c).contains(&tool)) {
        let wall = |row: Option<&crate::suite::record::Row>| row.and_then(|row| row.wall());
        match (wall(house(comparison)), wall(fastest(of_tool(comparison, tool)))) {
            (Some(one), Some(other)) => verdicts.push(Verdict::of(&one, &other)),
            _ => unranked += 1,
        }
    }
    let pick = |wanted: fn(&Verdict) -> Option<f64>| -> Vec<f64> {
        verdicts.iter().filter_map(wanted).collect()
    };
    let faster =
        pick(|verdict| if let Verdict::Faster(times) = verdict { Some(*times) } else { None });
    let slower =
        pick(|verdict| if let Verdict::Slower(times) = verdict { Some(*times) } else { None });
    let level = verdicts.len() - faster.len() - slower.len();
    let times = |all: &[f64]| match range(all) {
        Some((least, most)) if all.len() > 1 => format!("{least:.2} to {most:.2} times"),
        Some((least, _)) => format!("{least:.2} times"),
        None => String::new(),
    };
    let total = verdicts.len();
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
        let rows = record.comparisons.iter().flat_map(|comparison| of_tool(comparison, tool));
        let why = rows.filter_map(reason).next().map(|why| format!(" ({why})")).unwrap_or_default();
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
