//! A record of `queues` as Markdown: a table per scenario and set-up.

use std::collections::BTreeSet;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::markdown::{Column, Side, number, one_line, plain, render_filled};
use crate::record::{Comparison, Record, Row};
use crate::template;
use crate::verdict::answer;

/// What queues and policies count, in the order of the columns; a column of zeros is left out.
/// Other figures follow in alphabetical order.
const ORDER: [&str; 10] = [
    "threads",
    "pushed",
    "steals",
    "moved",
    "empty",
    "contended",
    "overflowed",
    "parks",
    "wakes",
    "spurious",
];

/// Figures that have a column of their own, or none.
const FIXED: [&str; 11] = [
    "wall",
    "cpu",
    "user",
    "system",
    "voluntary",
    "involuntary",
    "migrations",
    "peak_bytes",
    "expected",
    "completed",
    "as_published",
];

/// Heads of columns, with the figure, its unit and its decimals.
type Numbers = (&'static str, &'static str, f64, usize);

const AFTER_WALL: [Numbers; 3] =
    [("ns/op", "ns/op", 1.0, 1), ("CPU ns/op", "CPU ns/op", 1.0, 1), ("Mops/s", "Mops/s", 1.0, 3)];
const AFTER_COUNT: [Numbers; 4] = [
    ("voluntary", "voluntary", 1.0, 0),
    ("involuntary", "involuntary", 1.0, 0),
    ("migrations", "migrations", 1.0, 0),
    ("peak MiB", "peak_bytes", (1 << 20) as f64, 1),
];

/// The whole record; `as_published` adds what the harnesses of the documents would have reported.
pub(super) fn print(record: &Record, as_published: bool) -> String {
    let comparison = |one: &Comparison| {
        let table = table(&one.rows, record.machine.cores, as_published);
        context! { task => &one.task, table }
    };
    let scenarios = record.corpora.iter().filter_map(|scenario| {
        let own = |one: &&Comparison| one.corpus == scenario.name && !one.rows.is_empty();
        let mut own = record.comparisons.iter().filter(own).map(comparison).peekable();
        own.peek()?;
        Some(context! { comparisons => own.collect::<Value>(), ..Serde(scenario) })
    });
    let filling = context! {
        record => Serde(record),
        machine => Serde(&record.machine),
        known => Serde(record.machine.known().collect::<Vec<_>>()),
        discarded => record.rows().map(|(_, row)| row.discarded).sum::<usize>(),
        answer => answer(record),
        scenarios => scenarios.collect::<Value>(),
        as_published,
    };
    template::fill("queues.md.jinja", include_str!("queues.md.jinja"), filling)
}

fn table(rows: &[Row], cores: usize, as_published: bool) -> String {
    let column = |head: &str, side: Side, cell: &dyn Fn(&Row) -> String| {
        Column::of(head, side, rows, |row| cell(row))
    };
    let numbers = |(head, figure, unit, decimals): Numbers| {
        let value = |row: &Row| row.median(figure).map(|median| median / unit);
        column(head, Side::Right, &|row| number(value(row), decimals))
    };
    let wall = |head: &str, figure: fn(crate::stats::Spread) -> f64| {
        column(head, Side::Right, &|row| number(row.wall().map(|wall| figure(wall) * 1e3), 3))
    };
    let mut columns = vec![
        column("system", Side::Left, &|row| row.tool.clone()),
        column("policy", Side::Left, &|row| row.idle.clone().unwrap_or_default()),
        column("j", Side::Right, &|row| number(row.threads.map(|n| n as f64), 0)),
        column("n", Side::Right, &|row| row.runs.len().to_string()),
        wall("wall ms", |wall| wall.median),
        wall("min ms", |wall| wall.min),
        wall("MAD ms", |wall| wall.mad),
    ];
    columns.extend(AFTER_WALL.map(numbers));
    columns.push(column("completed", Side::Right, &completed));
    columns.extend(as_published.then(|| numbers(("as published", "as_published", 1.0, 0))));
    columns.extend(AFTER_COUNT.map(numbers));
    for name in further(rows) {
        let value = |row: &Row| row.median(&name);
        let is_nothing = rows.iter().all(|row| value(row).is_none_or(|value| value == 0.0));
        if !(is_nothing && ORDER.contains(&name.as_str())) {
            let head = name.replace('_', " ");
            columns.push(column(&head, Side::Right, &|row| plain(value(row), 2)));
        }
    }
    columns.push(column("note", Side::Left, &|row| note(row, cores)));
    render_filled(columns)
}

/// The names of the figures that only these rows have.
fn further(rows: &[Row]) -> Vec<String> {
    let runs = rows.iter().flat_map(|row| &row.runs);
    let names: BTreeSet<&String> = runs.flat_map(|run| run.0.keys()).collect();
    let mut names: Vec<String> = names.into_iter().cloned().collect();
    names.retain(|name| !FIXED.contains(&name.as_str()));
    // A stable sort: the others stay in alphabetical order.
    names.sort_by_key(|name| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
    names
}

/// How many items were done, exactly: of all runs, the one that is furthest from its target.
fn completed(row: &Row) -> String {
    let counts =
        row.runs.iter().filter_map(|run| Some((run.get("completed")?, run.get("expected")?)));
    let off = |count: &(f64, f64)| (count.0 - count.1).abs();
    match counts.max_by(|one, other| off(one).total_cmp(&off(other))) {
        None => String::new(),
        Some((completed, expected)) if completed == expected => format!("{completed}"),
        Some((completed, expected)) => format!("{completed} of {expected}"),
    }
}

fn note(row: &Row, cores: usize) -> String {
    let mut notes = Vec::new();
    if let Some(why) = &row.fault {
        notes.push(format!("INVALID: {}", one_line(why)));
    }
    if row.is_crowded(cores) {
        notes.push("oversubscribed".to_string());
    }
    if row.discarded > 0 {
        notes.push(format!("{} discarded", row.discarded));
    }
    if row.disturbed > 0 {
        notes.push(format!("{} disturbed", row.disturbed));
    }
    notes.extend(row.cut_short.clone());
    notes.join(", ")
}
