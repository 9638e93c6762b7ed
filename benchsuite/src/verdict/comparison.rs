//! A comparison in words: which queue is the fastest, what `hs` does on its own, how it compares
//! with others and with the least work possible.

use crate::format::{Unit, digits, percent};
use crate::reading::{SpeedRatio, best_of_queues, by_time, house, of_tool, reason, rivals};
use crate::record::{Comparison, FLOOR, HEIST, Row, WALKER, fastest};
use crate::stats::Spread;

/// The default of `hs` should be this near to the best it can do.
const NEAR_SHARE: f64 = 0.03;

/// More threads than most machines have cores.
const MANY_THREADS: usize = 32;

/// A row's name, with an asterisk if it has more threads than there are cores.
fn label(row: &Row, cores: usize) -> String {
    format!("{}{}", row.name(), if row.is_crowded(cores) { "*" } else { "" })
}

/// A row's median with its unit.
fn time(row: &Row) -> String {
    row.wall().map_or_else(|| "–".to_owned(), |wall| Unit::Time.show(wall.median))
}

/// A row with its wall times, if they can be compared: ratios need a divisor.
pub(super) fn timed(row: &Row) -> Option<(&Row, Spread)> {
    Some((row, row.ranked().filter(|wall| wall.median > 0.0)?))
}

/// The rows of `hs` and a tool that limits it, with their wall times.
pub(super) fn with_limit<'a>(
    comparison: &'a Comparison,
    tool: &str,
) -> Option<[(&'a Row, Spread); 2]> {
    let limit = fastest(comparison.rows.iter().filter(|row| row.tool == tool))?;
    Some([timed(house(comparison)?)?, timed(limit)?])
}

/// The best row of every queue, the fastest first.
pub(super) fn queues<'a>(rows: &[&'a Row]) -> Vec<(String, &'a Row)> {
    let mut queues = best_of_queues(rows);
    queues.sort_by(|one, other| one.0.cmp(&other.0));
    queues.sort_by(|one, other| by_time(one.1, other.1));
    queues
}

/// The findings of a comparison.
pub(crate) fn of_comparison(comparison: &Comparison, cores: usize) -> Vec<String> {
    let rows = |is_wanted: fn(&Row) -> bool| -> Vec<&Row> {
        comparison.rows.iter().filter(|row| is_wanted(row)).collect()
    };
    let (own, walks) = (rows(Row::is_house), rows(Row::is_walker));
    let mut found = Vec::new();
    found.push(match comparison.best().and_then(timed) {
        Some((best, wall)) => {
            let time = Unit::Time.around(wall.median, wall.mad);
            format!("Fastest: {}, {time} (median ± median distance from it).", label(best, cores))
        }
        None => "Nothing could be ranked.".to_owned(),
    });
    found.extend(queue_sentence(&own, cores));
    found.extend(default(&own, cores).map(|it| format!("What hs does on its own: {it}.")));
    found.extend(crowd(&own, cores));
    if house(comparison).is_some() {
        found.extend(against_rivals(comparison, cores));
        found.extend(limit_sentence(comparison, FLOOR, "the floor", cores));
        found.extend(limit_sentence(comparison, WALKER, "the walk alone", cores));
    } else if walks.is_empty() {
        found.push("There is no time of hs that could be compared with others.".to_owned());
    }
    let of_walks = [queue_sentence(&walks, cores), crowd(&walks, cores)];
    found.extend(of_walks.into_iter().flatten().map(|finding| format!("Walk alone. {finding}")));
    let unranked = comparison.rows.iter().filter_map(|row| Some((row, reason(row)?)));
    let unranked: Vec<String> =
        unranked.map(|(row, reason)| format!("{} ({reason})", label(row, cores))).collect();
    if !unranked.is_empty() {
        found.push(format!("Not ranked: {}.", unranked.join(", ")));
    }
    if comparison.rows.iter().any(|row| row.is_ranked() && row.runs.len() == 1) {
        found.push("A command that ran once has no spread: no difference was measured.".to_owned());
    }
    found
}

/// How much longer one takes than the other: `+4.1 %`.
fn more(one: &Row, other: &Row) -> String {
    let median = |row: &Row| row.wall().unwrap_or_default().median;
    format!("{:+.1} %", (median(one) / median(other) - 1.0) * 100.0)
}

fn is_near(one: &Row, other: &Row) -> bool {
    one.wall().zip(other.wall()).is_some_and(|(one, other)| one.is_near(&other))
}

/// How much longer one takes than the other, or that they are level.
fn longer(one: &Row, other: &Row) -> String {
    let more = more(one, other);
    if is_near(one, other) { format!("level ({more})") } else { more }
}

/// Which queue is fastest, and by how much.
fn queue_sentence(rows: &[&Row], cores: usize) -> Option<String> {
    let queues = queues(rows);
    let ((first, best), others) = queues.split_first()?;
    timed(best)?;
    if others.is_empty() {
        return Some(format!("{first} is the only queue: {}.", time(best)));
    }
    let (level, slower): (Vec<_>, Vec<_>) = others.iter().partition(|(_, row)| is_near(row, best));
    let parts = [("no difference measured", level), ("slower", slower)];
    let parts = parts.into_iter().filter(|(_, queues)| !queues.is_empty()).map(|(how, queues)| {
        let queues = queues.into_iter().map(|(name, row)| format!("{name} ({})", more(row, best)));
        format!("; {how}: {}", queues.collect::<Vec<_>>().join(", "))
    });
    let (count, best, time) = (queues.len(), label(best, cores), time(best));
    Some(format!("Fastest of {count} queues: {best} at {time}{}.", parts.collect::<String>()))
}

/// Whether the default of `hs` is about as fast as its best choice. A single row is no choice.
fn default(rows: &[&Row], cores: usize) -> Option<String> {
    let own = timed(fastest(rows.iter().copied())?)?.0;
    if rows.len() < 2 {
        return None;
    }
    let mut defaults = rows.iter().filter(|row| row.is_default(cores)).peekable();
    let is_there = defaults.peek().is_some();
    let Some((found, wall)) = defaults.find_map(|row| timed(row)) else {
        return Some(if is_there { "not ranked" } else { "not measured" }.to_owned());
    };
    let name = label(found, cores);
    if std::ptr::eq(found, own) {
        return Some(format!("{name}, the best it can do"));
    }
    let is_near = wall.median <= own.wall()?.median * (1.0 + NEAR_SHARE);
    let near = if is_near { "" } else { "not " };
    let (percent, longer) = (NEAR_SHARE * 100.0, longer(found, own));
    Some(format!("{name}, {near}within {percent:.0} % of the best it can do: {longer}"))
}

/// What each queue takes with many threads, against as many as there are cores.
fn crowd(rows: &[&Row], cores: usize) -> Option<String> {
    let rows: Vec<&Row> = rows.iter().filter_map(|row| Some(timed(row)?.0)).collect();
    if cores >= MANY_THREADS || rows.iter().all(|row| row.threads.is_none()) {
        return None;
    }
    let find = |way: &str, threads: usize| {
        rows.iter().copied().find(|row| row.way() == way && row.threads == Some(threads))
    };
    let many = rows.iter().filter(|row| row.threads == Some(MANY_THREADS));
    let prices: Vec<String> = many
        .filter_map(|many| {
            let way = many.way();
            // One worker uses no queue, whichever would be chosen.
            let alone = || find("", cores).filter(|_| cores == 1);
            let few = find(&way, cores).or_else(alone)?;
            let name = if way.is_empty() { HEIST } else { &way };
            Some(format!("{name} {}", longer(many, few)))
        })
        .collect();
    let prices = if prices.is_empty() { "not measured".to_owned() } else { prices.join(", ") };
    Some(format!("-j{MANY_THREADS} against -j{cores}: {prices}."))
}

/// How `hs` compares with the fastest row of each rival.
fn against_rivals(comparison: &Comparison, cores: usize) -> Option<String> {
    let (house, wall) = timed(house(comparison)?)?;
    let rivals = rivals(&comparison.rows).into_iter().filter_map(|rival| {
        let (row, other) = fastest(of_tool(comparison, rival)).and_then(timed)?;
        let name = format!("{} ({})", label(row, cores), time(row));
        Some(match SpeedRatio::of(&wall, &other) {
            SpeedRatio::Faster(times) => format!("{} times as fast as {name}", digits(times)),
            SpeedRatio::Level => format!("level with {name}"),
            SpeedRatio::Slower(times) => format!("takes {} times as long as {name}", digits(times)),
        })
    });
    let rivals: Vec<String> = rivals.collect();
    let house = format!("{} ({})", label(house, cores), time(house));
    (!rivals.is_empty()).then(|| format!("{house}: {}.", rivals.join("; ")))
}

/// The distance of `hs` from what limits it.
fn limit_sentence(comparison: &Comparison, tool: &str, what: &str, cores: usize) -> Option<String> {
    let [(house, wall), (limit, least)] = with_limit(comparison, tool)?;
    let name = label(house, cores);
    let limit = format!("{what}, {} at {}", label(limit, cores), time(limit));
    let away = wall.median / least.median - 1.0;
    Some(match SpeedRatio::of(&wall, &least) {
        SpeedRatio::Level => format!("{name} is level with {limit} ({}).", signed(away)),
        SpeedRatio::Slower(_) => format!("{name} is {} above {limit}.", percent(away)),
        SpeedRatio::Faster(_) => {
            let cannot = ", which cannot be: distrust this comparison";
            let doubt = if tool == FLOOR { cannot } else { "" };
            format!("{name} is {} below {limit}{doubt}.", percent(-away))
        }
    })
}

/// With its sign: `+8.3 %`.
pub(super) fn signed(part: f64) -> String {
    format!("{}{}", if part < 0.0 { "−" } else { "+" }, percent(part.abs()))
}
