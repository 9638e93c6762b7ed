//! A comparison in words: which queue is the fastest, what `hs` does on its own, how it compares
//! with others and with the least work possible.

use crate::format::{Unit, digits, percent};
use crate::reading::{Contest, SpeedRatio, house, of_tool, reason, rivals};
use crate::record::{Comparison, FLOOR, Row, WALKER, fastest};
use crate::stats::Spread;

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
    found.extend(contests(comparison, &own));
    if house(comparison).is_some() {
        found.extend(against_rivals(comparison, cores));
        found.extend(limit_sentence(comparison, FLOOR, "the floor", cores));
        found.extend(limit_sentence(comparison, WALKER, "the walk alone", cores));
    } else if walks.is_empty() {
        found.push("There is no time of hs that could be compared with others.".to_owned());
    }
    let of_walks = contests(comparison, &walks).into_iter();
    found.extend(of_walks.map(|finding| format!("Walk alone. {finding}")));
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

/// Which queues are the fastest with each number of threads, and by how much.
fn contests(comparison: &Comparison, rows: &[&Row]) -> Vec<String> {
    let contest = |Contest { place, queues }: Contest<'_>| {
        let (first, best, wall) = queues.first()?;
        let (level, slower): (Vec<_>, Vec<_>) =
            queues[1..].iter().partition(|(.., other)| other.is_near(wall));
        let widest = level.iter().max_by(|one, other| one.2.median.total_cmp(&other.2.median));
        let level = widest.map(|(_, row, _)| {
            let names: Vec<&str> = level.iter().map(|(name, ..)| name.as_str()).collect();
            format!(", level with {} (up to {})", names.join(", "), more(row, best))
        });
        let slower = slower.iter().map(|(name, row, _)| format!("{name} ({})", more(row, best)));
        let slower: Vec<String> = slower.collect();
        let (level, how) = (
            level.unwrap_or_default(),
            match &*slower {
                [] => "no difference was measured".to_owned(),
                slower => format!("slower: {}", slower.join(", ")),
            },
        );
        Some(format!("Queues {place}: {first} at {}{level}; {how}.", time(best)))
    };
    Contest::among(comparison, rows).into_iter().filter_map(contest).collect()
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
fn signed(part: f64) -> String {
    format!("{}{}", if part < 0.0 { "−" } else { "+" }, percent(part.abs()))
}
