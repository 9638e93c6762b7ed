//! What a comparison says in words: all of it compares medians, and a difference below the sum of
//! both MADs (median distances from the median) is noise, so that its rows are said to be level.

use crate::stats::Spread;
use crate::suite::record::{HEIST, Row};
use crate::suite::table::label;

/// What `hs` does on its own shall be this near to the best it can.
const NEAR: f64 = 0.03;

/// Threads that hardly any machine has cores for.
const MANY: usize = 32;

/// A row that may be ranked, and its wall times.
#[derive(Clone, Copy)]
struct Ranked<'a> {
    row: &'a Row,
    wall: Spread,
}

/// Which row is best, how far the others are from it, and what many threads cost.
pub(super) fn verdict(rows: &[&Row], cores: usize) -> String {
    let ranked: Vec<Ranked<'_>> = rows
        .iter()
        // Ratios need something to divide by, and nothing takes no time.
        .filter_map(|row| {
            Some(Ranked { row, wall: row.ranked().filter(|wall| wall.median > 0.0)? })
        })
        .collect();
    let of = |is_wanted: &dyn Fn(&Row) -> bool| -> Vec<Ranked<'_>> {
        ranked.iter().copied().filter(|ranked| is_wanted(ranked.row)).collect()
    };
    let (heist, floor) = (of(&Row::is_house), of(&Row::is_floor));
    let rivals = of(&|row| !row.is_house() && !row.is_floor());
    let mut lines: Vec<String> = Vec::new();
    if let Some(best) = best(heist.iter().chain(&rivals)) {
        lines.push(format!("best: {}, {}", label(best.row, cores), around(best.wall)));
    } else {
        lines.push("nothing could be ranked".to_owned());
    }
    if let Some(own) = best(&heist) {
        lines.extend(backends(&heist, own, cores));
        lines.extend(default(rows, &heist, own, cores));
        lines.extend(crowd(&heist, cores));
        lines.extend(against(&rivals, own, cores));
        lines.extend(best(&floor).map(|floor| above(own, floor, cores)));
    }
    lines.extend(unranked(rows, cores));
    if ranked.iter().any(|ranked| ranked.row.runs.len() == 1) {
        lines.push("with a single run of a command nobody can tell what is noise".to_owned());
    }
    lines.iter().map(|line| format!("- {line}\n")).collect()
}

fn best<'a: 'b, 'b>(ranked: impl IntoIterator<Item = &'b Ranked<'a>>) -> Option<Ranked<'a>> {
    let by_median =
        |one: &&Ranked<'_>, other: &&Ranked<'_>| one.wall.median.total_cmp(&other.wall.median);
    ranked.into_iter().min_by(by_median).copied()
}

fn around(wall: Spread) -> String {
    format!("{:.1} ± {:.1} ms (median ± MAD)", wall.median * 1e3, wall.mad * 1e3)
}

/// How much longer one takes than the other: `+4.1 %`, or that they are level.
fn longer(one: Spread, other: Spread) -> String {
    let percent = (one.median / other.median - 1.0) * 100.0;
    if one.is_near(&other) {
        format!("level ({percent:+.1} %)")
    } else {
        format!("{percent:+.1} %")
    }
}

/// The best row of each queue against the best of all.
fn backends(heist: &[Ranked<'_>], own: Ranked<'_>, cores: usize) -> Option<String> {
    let queues = queues(heist);
    let others: Vec<String> = queues
        .iter()
        .filter(|&&queue| own.row.queue.as_deref() != Some(queue))
        .filter_map(|queue| {
            best(heist.iter().filter(|one| one.row.queue.as_deref() == Some(queue)))
        })
        .map(|found| format!("{} {}", label(found.row, cores), longer(found.wall, own.wall)))
        .collect();
    let name = own.row.queue.as_deref().unwrap_or("none, one worker needs no queue");
    (!others.is_empty()).then(|| {
        let own = label(own.row, cores);
        format!("best backend: {name} ({own}); the best of the others: {}", others.join(", "))
    })
}

/// Every queue there are rows of, in their order.
fn queues<'a>(heist: &[Ranked<'a>]) -> Vec<&'a str> {
    let mut queues: Vec<&str> = heist.iter().filter_map(|one| one.row.queue.as_deref()).collect();
    // Rows come queue by queue.
    queues.dedup();
    queues
}

/// Whether `hs` on its own is about as fast as it can be told to be.
fn default(rows: &[&Row], heist: &[Ranked<'_>], own: Ranked<'_>, cores: usize) -> Option<String> {
    let is_it = |row: &Row| row.is_house() && row.is_default(cores);
    // With nothing to choose from there is nothing to say.
    if rows.iter().filter(|row| row.is_house()).count() < 2 {
        return None;
    }
    let title = "what hs does on its own";
    let Some(found) = heist.iter().find(|one| is_it(one.row)) else {
        let is_there = rows.iter().any(|row| is_it(row));
        return Some(format!("{title}: {}", if is_there { "not ranked" } else { "not measured" }));
    };
    let name = label(found.row, cores);
    if std::ptr::eq(found.row, own.row) {
        return Some(format!("{title}: {name}, the best it can do"));
    }
    let near = if found.wall.median <= own.wall.median * (1.0 + NEAR) { "" } else { "not " };
    let (percent, longer) = (NEAR * 100.0, longer(found.wall, own.wall));
    Some(format!("{title}: {name}, {near}within {percent:.0} % of the best it can do: {longer}"))
}

/// What each queue takes with many threads, against as many as there are cores.
fn crowd(heist: &[Ranked<'_>], cores: usize) -> Option<String> {
    if cores >= MANY || heist.iter().all(|one| one.row.threads.is_none()) {
        return None;
    }
    let of = |queue: Option<&str>, threads: usize| {
        let is_it = |one: &&Ranked<'_>| {
            one.row.queue.as_deref() == queue && one.row.threads == Some(threads)
        };
        heist.iter().find(is_it)
    };
    let mut prices = Vec::new();
    let named = queues(heist).into_iter().map(Some);
    for queue in named.chain([None]) {
        // One worker uses no queue, whichever would be chosen.
        let few = of(queue, cores).or_else(|| of(None, cores).filter(|_| cores == 1));
        if let (Some(few), Some(many)) = (few, of(queue, MANY)) {
            let name = queue.unwrap_or(HEIST);
            prices.push(format!("{name} {}", longer(many.wall, few.wall)));
        }
    }
    let title = format!("-j{MANY} against -j{cores}");
    let prices = if prices.is_empty() { "not measured".to_owned() } else { prices.join(", ") };
    Some(format!("{title}: {prices}"))
}

/// The best of `hs` against the best of each rival.
fn against(rivals: &[Ranked<'_>], own: Ranked<'_>, cores: usize) -> Vec<String> {
    let mut tools: Vec<&str> = rivals.iter().map(|one| one.row.tool.as_str()).collect();
    tools.dedup();
    let rows =
        tools.iter().filter_map(|tool| best(rivals.iter().filter(|one| one.row.tool == *tool)));
    rows.map(|rival| {
        let ratio = rival.wall.median / own.wall.median;
        let how = if rival.wall.is_near(&own.wall) {
            format!("level ({ratio:.2})")
        } else if ratio >= 1.0 {
            format!("hs is {ratio:.2} times as fast")
        } else {
            format!("hs takes {:.2} times as long", 1.0 / ratio)
        };
        format!("against {}: {how}", label(rival.row, cores))
    })
    .collect()
}

fn above(own: Ranked<'_>, floor: Ranked<'_>, cores: usize) -> String {
    let name = label(floor.row, cores);
    let ratio = own.wall.median / floor.wall.median;
    let level = if own.wall.is_near(&floor.wall) { ", level" } else { "" };
    format!("against the least possible work, {name}: hs takes {ratio:.2} times as long{level}")
}

/// Those who could not win, and why not.
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
