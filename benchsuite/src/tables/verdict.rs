//! A comparison of whole programs in words. All of it compares medians; a difference below the sum
//! of both MADs (median distances from the median) is noise, and such rows are called level.

use crate::reading::{Verdict, best_of_queues, rivals};
use crate::record::{HEIST, Row, fastest};
use crate::stats::Spread;

/// The default of `hs` should be this near to the best it can do.
const NEAR: f64 = 0.03;

/// More threads than most machines have cores.
const MANY: usize = 32;

/// A row's name in a table, with an asterisk if it has more threads than there are cores.
pub(super) fn label(row: &Row, cores: usize) -> String {
    let crowd = if row.is_crowded(cores) { "\\*" } else { "" };
    format!("`{}`{crowd}", row.name())
}

/// Which row is best, how far the others are from it, and what many threads cost.
pub(super) fn verdict(rows: &[&Row], cores: usize) -> String {
    // Ratios need a divisor.
    let is_ranked = |row: &&Row| row.ranked().is_some_and(|wall| wall.median > 0.0);
    let ranked: Vec<&Row> = rows.iter().copied().filter(is_ranked).collect();
    let of = |is_wanted: fn(&Row) -> bool| -> Vec<&Row> {
        ranked.iter().copied().filter(|row| is_wanted(row)).collect()
    };
    let (heist, walker) = (of(Row::is_house), of(Row::is_walker));
    let (floor, others) = (of(Row::is_floor), of(Row::is_rival));
    let mut lines: Vec<String> = Vec::new();
    if let Some(best) = fastest(heist.iter().chain(&others).copied()) {
        lines.push(format!("best: {}, {}", label(best, cores), around(wall(best))));
    } else if walker.is_empty() {
        lines.push("nothing could be ranked".to_owned());
    }
    if let Some(own) = fastest(heist.iter().copied()) {
        lines.extend(backends(&heist, own, "best backend", cores));
        lines.extend(default(rows, &heist, own, cores));
        lines.extend(crowd(&heist, cores));
        for tool in rivals(others.iter().copied()) {
            let best = fastest(others.iter().copied().filter(|row| row.tool == tool));
            lines.extend(best.map(|rival| against(rival, own, cores)));
        }
        let limits = [(&walker, "the walk alone"), (&floor, "the least possible work")];
        lines.extend(limits.into_iter().filter_map(|(limit, name)| {
            fastest(limit.iter().copied()).map(|limit| above(own, limit, name, cores))
        }));
    }
    if let Some(own) = fastest(walker.iter().copied()) {
        let best = format!("{}, {}", label(own, cores), around(wall(own)));
        lines.push(format!("best walk alone: {best}"));
        lines.extend(backends(&walker, own, "best backend of the walk alone", cores));
        lines.extend(crowd(&walker, cores).map(|line| format!("walk alone, {line}")));
    }
    lines.extend(unranked(rows, cores));
    if ranked.iter().any(|row| row.runs.len() == 1) {
        lines.push("with a single run of a command, noise cannot be told from a difference".into());
    }
    lines.iter().map(|line| format!("- {line}\n")).collect()
}

/// The wall times of a ranked row.
fn wall(row: &Row) -> Spread {
    row.wall().unwrap_or_default()
}

fn around(wall: Spread) -> String {
    format!("{:.1} ± {:.1} ms (median ± MAD)", wall.median * 1e3, wall.mad * 1e3)
}

/// How much longer one takes than the other: `+4.1 %`, or that they are level.
fn longer(one: &Row, other: &Row) -> String {
    let (one, other) = (wall(one), wall(other));
    let percent = (one.median / other.median - 1.0) * 100.0;
    if one.is_near(&other) {
        format!("level ({percent:+.1} %)")
    } else {
        format!("{percent:+.1} %")
    }
}

/// The best row of each queue against the best of all.
fn backends(rows: &[&Row], own: &Row, title: &str, cores: usize) -> Option<String> {
    let queues = best_of_queues(rows);
    let name =
        queues.iter().find(|(_, row)| std::ptr::eq(*row, own)).map(|(name, _)| name.as_str());
    let others = queues.iter().filter(|(_, row)| !std::ptr::eq(*row, own));
    let others: Vec<String> =
        others.map(|(_, row)| format!("{} {}", label(row, cores), longer(row, own))).collect();
    let name = name.unwrap_or("none, one worker needs no queue");
    (!others.is_empty()).then(|| {
        let own = label(own, cores);
        format!("{title}: {name} ({own}); the best of the others: {}", others.join(", "))
    })
}

/// Whether the default of `hs` is about as fast as its best choice.
fn default(rows: &[&Row], heist: &[&Row], own: &Row, cores: usize) -> Option<String> {
    let is_it = |row: &&&Row| row.is_house() && row.is_default(cores);
    // A single row is no choice.
    if rows.iter().filter(|row| row.is_house()).count() < 2 {
        return None;
    }
    let title = "what hs does on its own";
    let Some(found) = heist.iter().find(is_it) else {
        let is_there = rows.iter().any(|row| is_it(&row));
        return Some(format!("{title}: {}", if is_there { "not ranked" } else { "not measured" }));
    };
    let name = label(found, cores);
    if std::ptr::eq(*found, own) {
        return Some(format!("{title}: {name}, the best it can do"));
    }
    let is_near = wall(found).median <= wall(own).median * (1.0 + NEAR);
    let near = if is_near { "" } else { "not " };
    let (percent, longer) = (NEAR * 100.0, longer(found, own));
    Some(format!("{title}: {name}, {near}within {percent:.0} % of the best it can do: {longer}"))
}

/// What each queue takes with many threads, against as many as there are cores.
fn crowd(rows: &[&Row], cores: usize) -> Option<String> {
    if cores >= MANY || rows.iter().all(|row| row.threads.is_none()) {
        return None;
    }
    let way = |row: &Row| (row.queue.clone(), row.idle.clone());
    let find = |wanted: &(Option<String>, Option<String>), threads: usize| {
        let is_it = |row: &&&Row| way(row) == *wanted && row.threads == Some(threads);
        rows.iter().find(is_it).copied()
    };
    let mut ways = Vec::new();
    for way in rows.iter().map(|row| way(row)).filter(|way| *way != (None, None)) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways.push((None, None));
    let mut prices = Vec::new();
    for way in ways {
        // One worker uses no queue, whichever would be chosen.
        let alone = || find(&(None, None), cores).filter(|_| cores == 1);
        if let (Some(few), Some(many)) = (find(&way, cores).or_else(alone), find(&way, MANY)) {
            let parts: Vec<String> = [way.0, way.1].into_iter().flatten().collect();
            let name = if parts.is_empty() { HEIST.to_owned() } else { parts.join(" ") };
            prices.push(format!("{name} {}", longer(many, few)));
        }
    }
    let title = format!("-j{MANY} against -j{cores}");
    let prices = if prices.is_empty() { "not measured".to_owned() } else { prices.join(", ") };
    Some(format!("{title}: {prices}"))
}

/// The best of `hs` against the best of a rival.
fn against(rival: &Row, own: &Row, cores: usize) -> String {
    let ratio = wall(rival).median / wall(own).median;
    let how = match Verdict::of(&wall(own), &wall(rival)) {
        Verdict::Level => format!("level ({ratio:.2})"),
        Verdict::Faster(times) => format!("hs is {times:.2} times as fast"),
        Verdict::Slower(times) => format!("hs takes {times:.2} times as long"),
    };
    format!("against {}: {how}", label(rival, cores))
}

fn above(own: &Row, limit: &Row, name: &str, cores: usize) -> String {
    let ratio = wall(own).median / wall(limit).median;
    let level = if wall(own).is_near(&wall(limit)) { ", level" } else { "" };
    format!("against {name}, {}: hs takes {ratio:.2} times as long{level}", label(limit, cores))
}

/// The rows that are not ranked, each with its reason.
fn unranked(rows: &[&Row], cores: usize) -> Option<String> {
    let why = |row: &Row| {
        if row.fault.is_some() {
            "fault"
        } else if row.agrees == Some(false) {
            "differs"
        } else {
            "not timed"
        }
    };
    let unranked = rows.iter().filter(|row| !row.is_ranked());
    let names: Vec<String> =
        unranked.map(|row| format!("{} ({})", label(row, cores), why(row))).collect();
    (!names.is_empty()).then(|| format!("not ranked: {}", names.join(", ")))
}
