//! The answer of a record in a sentence: which queue is the fastest, how `hs` compares with its
//! first rival, and with the least work that can be done.

use heist_queue::QueueKind;

use super::comparison::with_limit;
use crate::format::percent;
use crate::reading::{Contest, SpeedRatio, distinct, house, of_tool, reason, rivals};
use crate::record::{Comparison, FLOOR, INDEXED, Record, RecordKind, Row, WATCHED, fastest};

/// The synthetic loads that last as long as their queue takes.
const LOADS: [&str; 6] =
    ["balanced", "imbalanced", "contention", "injector", "multi-producer", "tree"];

/// How many comparisons are named one by one.
const MAX_NAMED: usize = 4;

/// The answer; a record in which nothing was compared has none.
pub(crate) fn answer(record: &Record) -> Option<String> {
    let all = record.rows().count();
    let exact = match record.rows().filter(|(_, row)| row.fault.is_some()).count() {
        _ if record.kind != RecordKind::Queues => None,
        0 => Some(format!("every item was done exactly once in all {all} rows")),
        bad => Some(format!("{bad} of {all} rows are INVALID")),
    };
    let rival = match record.kind {
        RecordKind::Index => Some(INDEXED),
        RecordKind::Queues => None,
        _ => rivals(record.rows().map(|(_, row)| row)).first().copied(),
    };
    let parts =
        [exact, queues(record), rival.and_then(|rival| against(record, rival)), floor(record)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("On this machine: {}.", parts.join("; ")))
}

/// How much longer a queue took than the fastest at most, and how often it was slower.
struct Gap {
    count: usize,
    share: f64,
    place: String,
}

/// Which queues are slower than others by more than their rows vary: by how much, and where.
fn queues(record: &Record) -> Option<String> {
    let is_load =
        |one: &&Comparison| record.kind != RecordKind::Queues || LOADS.contains(&&*one.corpus);
    let contests = record.comparisons.iter().filter(is_load).flat_map(|one| {
        let own = |is_it: fn(&Row) -> bool| {
            let rows: Vec<&Row> = one.rows.iter().filter(|row| is_it(row)).collect();
            Contest::among(one, &rows)
        };
        let of_programs = own(|row| !row.is_walker());
        if of_programs.is_empty() { own(Row::is_walker) } else { of_programs }
    });
    let contests: Vec<Contest<'_>> = contests.collect();
    let names =
        distinct(contests.iter().flat_map(|contest| &contest.queues).map(|queue| &*queue.0));
    let (mut within, mut gaps) = (0.0_f64, Vec::new());
    for name in &names {
        let mut widest: Option<Gap> = None;
        for contest in &contests {
            let (_, _, best) = contest.queues.first()?;
            let own = contest.queues.iter().find(|queue| queue.0 == *name);
            let Some((_, _, wall)) = own else { continue };
            let share = wall.median / best.median - 1.0;
            if wall.is_near(best) {
                within = within.max(share);
                continue;
            }
            let widest =
                widest.get_or_insert_with(|| Gap { count: 0, share: 0.0, place: String::new() });
            widest.count += 1;
            if widest.share < share {
                (widest.share, widest.place) = (share, contest.place.clone());
            }
        }
        gaps.push((*name, widest));
    }
    let level: Vec<&str> =
        gaps.iter().filter(|(_, gap)| gap.is_none()).map(|(name, _)| *name).collect();
    let mut slower: Vec<(&str, Gap)> =
        gaps.into_iter().filter_map(|(name, gap)| Some((name, gap?))).collect();
    slower.sort_by(|one, other| one.1.share.total_cmp(&other.1.share));
    let all = contests.len();
    let in_words = |(name, gap): &(&str, Gap)| {
        let Gap { count, share, place } = gap;
        let places = if all > 1 { format!("in {count} of {all} places, ") } else { String::new() };
        format!("{name} ({places}up to {} {place})", percent(*share))
    };
    match (&*level, &*slower) {
        ([], []) => None,
        (_, []) => {
            let (names, within) = (listed(&level), percent(within));
            Some(format!(
                "no difference between the queues was measured ({names} are within {within} of one \
                 another, no more than their runs vary)"
            ))
        }
        ([], [least, ..]) => {
            let default = QueueKind::default().name();
            let own = slower.iter().find(|(name, _)| *name == default && least.0 != default);
            let own = own.map(|own| format!(", the default {}", in_words(own))).unwrap_or_default();
            Some(format!(
                "each queue is slower than another somewhere, least of all {}{own}",
                in_words(least)
            ))
        }
        _ => {
            let mut most: Vec<String> = slower.iter().rev().take(MAX_NAMED).map(in_words).collect();
            let rest = slower.len() - most.len();
            most.extend((rest > 0).then(|| format!("{rest} more")));
            let most: Vec<&str> = most.iter().map(String::as_str).collect();
            let verb = if level.len() == 1 { "is" } else { "are" };
            Some(format!(
                "{} {verb} never measurably slower than another queue; slower: {}",
                listed(&level),
                listed(&most)
            ))
        }
    }
}

/// How `hs` compares with each of its rivals.
pub(crate) fn of_record(record: &Record) -> Vec<String> {
    let tools = rivals(record.rows().map(|(_, row)| row)).into_iter();
    tools.filter_map(|tool| Some(format!("{}.", against(record, tool)?))).collect()
}

/// How many times as fast as another program `hs` is; or with an index, than without.
fn against(record: &Record, other: &str) -> Option<String> {
    let is_index = [INDEXED, WATCHED].contains(&other);
    let (subject, base) = if is_index { (other, "hs") } else { ("hs", other) };
    let (mut pairs, mut unranked) = (Vec::new(), 0);
    for comparison in record.comparisons.iter().filter(|c| rivals(&c.rows).contains(&other)) {
        let rival = fastest(of_tool(comparison, other)).and_then(Row::ranked);
        match (house(comparison).and_then(Row::ranked), rival) {
            (Some(one), Some(two)) if is_index => {
                pairs.push((comparison, SpeedRatio::of(&two, &one)));
            }
            (Some(one), Some(two)) => pairs.push((comparison, SpeedRatio::of(&one, &two))),
            _ => unranked += 1,
        }
    }
    let name = |comparison: &Comparison| {
        let is_one_corpus = record.corpora.len() < 2;
        let corpus = if is_one_corpus { "" } else { &*format!("{}, ", comparison.corpus) };
        format!("{corpus}{}", comparison.task)
    };
    let mut parts: Vec<String> = Vec::new();
    if pairs.len() <= MAX_NAMED {
        parts.extend(pairs.iter().map(|(comparison, ratio)| match ratio {
            SpeedRatio::Faster(times) => {
                format!("{times:.2} × as fast as {base} at {}", name(comparison))
            }
            SpeedRatio::Level => format!("level with {base} at {}", name(comparison)),
            SpeedRatio::Slower(times) => {
                format!("{times:.2} × as slow as {base} at {}", name(comparison))
            }
        }));
    } else {
        let (mut fast, mut slow) = (Vec::new(), Vec::new());
        for (_, ratio) in &pairs {
            match *ratio {
                SpeedRatio::Faster(times) => fast.push(times),
                SpeedRatio::Slower(times) => slow.push(times),
                SpeedRatio::Level => {}
            }
        }
        let (all, level) = (pairs.len(), pairs.len() - fast.len() - slow.len());
        for (times, how) in [(fast, "fast"), (slow, "slow")] {
            parts.extend(range(&times).map(|(least, most)| {
                let count = times.len();
                format!("{least:.2} to {most:.2} × as {how} as {base} in {count} of {all} tasks")
            }));
        }
        parts.extend((level > 0).then(|| format!("level with {base} in {level}")));
    }
    if unranked > 0 {
        let mut rows = record.rows().filter(|(_, row)| row.tool == other);
        let why = rows.find_map(|(_, row)| reason(row)).map(|why| format!(" ({why})"));
        parts.push(format!(
            "not to be compared with {base} in {unranked}{}",
            why.unwrap_or_default()
        ));
    }
    (!parts.is_empty()).then(|| format!("{subject} is {}", parts.join(", ")))
}

/// How far `hs` is from the least work that can be done.
fn floor(record: &Record) -> Option<String> {
    let distance = |comparison: &Comparison| {
        let [(_, wall), (_, least)] = with_limit(comparison, FLOOR)?;
        Some(wall.median / least.median)
    };
    let all: Vec<f64> = record.comparisons.iter().filter_map(distance).collect();
    let (least, most) = range(&all)?;
    let [least, most] = [least, most].map(|times| format!("{times:.2}"));
    let times = if least == most { least } else { format!("{least} to {most}") };
    Some(format!("it takes {times} × as long as the least work possible (the floor)"))
}

/// `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [more @ .., last] if !more.is_empty() => format!("{} and {last}", more.join(", ")),
        _ => names.concat(),
    }
}

/// The least and the most of some figures.
fn range(figures: &[f64]) -> Option<(f64, f64)> {
    let least = figures.iter().copied().min_by(f64::total_cmp)?;
    let most = figures.iter().copied().max_by(f64::total_cmp)?;
    Some((least, most))
}
