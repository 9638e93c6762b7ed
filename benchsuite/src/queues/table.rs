//! A record of `queues` as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::markdown::{Column, Side, number, one_line, render};
use crate::queues::report::{Record, RowRecord};
use crate::queues::row::Sample;

/// What queues and policies count about themselves, in the order of the columns. Where all is 0 the
/// column is left out. What is not listed follows, and stays.
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

/// Everything a record says, as Markdown.
pub(crate) fn print(record: &Record, as_published: bool) -> String {
    let mut out = head(record);
    for about in &record.scenarios {
        let rows: Vec<&RowRecord> =
            record.rows.iter().filter(|row| row.row.scenario == about.name).collect();
        if rows.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## {}\n\n{}\n", about.name, about.about);
        if let (true, Some(explanation)) = (as_published, &about.as_published) {
            let _ = write!(out, "\nAs published: {explanation}\n");
        }
        for rows in setups(rows) {
            if let Some(first) = rows.first().filter(|first| !first.row.setup.is_empty()) {
                let _ = write!(out, "\n### {}\n", first.row.setup);
            }
            let _ = write!(out, "\n{}", table(&rows, record.machine.cores, as_published));
        }
    }
    out
}

fn head(record: &Record) -> String {
    let machine = &record.machine;
    let versions: Vec<String> =
        record.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let mut facts = vec![("date", format!("{} UTC", record.date))];
    let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
    facts.push(("machine", format!("{} cores, {cpu}", machine.cores)));
    let told = [
        ("kernel", &machine.kernel),
        ("governor", &machine.governor),
        ("load before", &machine.load),
    ];
    facts.extend(told.into_iter().filter_map(|(name, fact)| Some((name, fact.clone()?))));
    facts.push(("versions", versions.join(", ")));
    let options = &record.options;
    let quick = if options.quick { "quick, " } else { "" };
    facts.push((
        "method",
        format!(
            "{quick}{} repeats after a warm-up, a process each, in turns (seed {}); medians, MAD = \
             median distance from the median",
            options.repeats, options.seed
        ),
    ));
    let discarded: usize = record.rows.iter().map(|row| row.discarded).sum();
    if discarded > 0 {
        let reason = "over 5 % of the time was stolen by the hypervisor";
        facts.push(("discarded", format!("{discarded} runs, during which {reason}")));
    }
    let mut out = "# Queues\n\n".to_string();
    for (name, fact) in facts {
        let _ = writeln!(out, "- {name}: {fact}");
    }
    out
}

/// Cuts rows where the setup changes.
fn setups(rows: Vec<&RowRecord>) -> Vec<Vec<&RowRecord>> {
    let mut setups: Vec<Vec<&RowRecord>> = Vec::new();
    for row in rows {
        let same = |other: &Vec<&RowRecord>| {
            other.first().is_some_and(|first| first.row.setup == row.row.setup)
        };
        match setups.iter_mut().find(|setup| same(setup)) {
            Some(setup) => setup.push(row),
            None => setups.push(vec![row]),
        }
    }
    setups
}

/// The head of a column of numbers, and how to fill it.
type Numbers<'a> = (&'a str, &'a dyn Fn(&RowRecord) -> String);

fn table(rows: &[&RowRecord], cores: usize, as_published: bool) -> String {
    let column = |head: &str, side: Side, cell: &dyn Fn(&RowRecord) -> String| {
        Column::of(head, side, rows, |row| cell(row))
    };
    let mut columns = vec![
        column("system", Side::Left, &|row| row.row.system.clone()),
        column("policy", Side::Left, &|row| row.row.policy.clone().unwrap_or_default()),
        column("j", Side::Right, &|row| row.row.threads.to_string()),
        column("n", Side::Right, &|row| row.samples.len().to_string()),
    ];
    let mut numbers: Vec<Numbers<'_>> = vec![
        ("wall ms", &|row| ms(row.median(|sample| Some(sample.wall_ns as f64)))),
        ("min ms", &|row| ms(row.least_wall())),
        ("MAD ms", &|row| ms(row.wall_deviation())),
        ("ns/op", &|row| number(row.median(|s| s.per_op(s.wall_ns)), 1)),
        ("CPU ns/op", &|row| number(row.median(|s| s.per_op(s.cpu_ns)), 1)),
        ("Mops/s", &|row| number(row.median(Sample::mops), 3)),
        ("completed", &completed),
    ];
    let published =
        |row: &RowRecord| number(row.median(|sample| sample.as_published.map(|n| n as f64)), 0);
    if as_published {
        numbers.push(("as published", &published));
    }
    numbers.extend::<[Numbers<'_>; 4]>([
        ("voluntary", &|row| number(row.median(|s| Some(s.voluntary as f64)), 0)),
        ("involuntary", &|row| number(row.median(|s| Some(s.involuntary as f64)), 0)),
        ("migrations", &|row| number(row.median(|s| s.migrations.map(|n| n as f64)), 0)),
        ("peak MiB", &|row| number(row.median(Sample::peak_mib), 1)),
    ]);
    columns.extend(numbers.into_iter().map(|(head, cell)| column(head, Side::Right, cell)));
    for name in further(rows) {
        let value = |row: &RowRecord| row.median(|sample| sample.columns.get(&name).copied());
        let is_nothing = rows.iter().all(|row| value(row).is_none_or(|value| value == 0.0));
        if !(is_nothing && ORDER.contains(&name.as_str())) {
            columns.push(column(&name.replace('_', " "), Side::Right, &|row| plain(value(row))));
        }
    }
    columns.push(column("note", Side::Left, &|row| note(row, cores)));
    columns.retain(|column| !column.is_empty());
    render(&columns)
}

/// The names of the columns that only these rows have.
fn further(rows: &[&RowRecord]) -> Vec<String> {
    let samples = rows.iter().flat_map(|row| &row.samples);
    let names: BTreeSet<&String> = samples.flat_map(|sample| sample.columns.keys()).collect();
    let mut names: Vec<String> = names.into_iter().cloned().collect();
    // A stable sort: the others stay in alphabetical order.
    names.sort_by_key(|name| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
    names
}

/// How many were done, exactly: of all runs, the one that is furthest from what it should be.
fn completed(row: &RowRecord) -> String {
    let off = |sample: &&Sample| sample.completed.abs_diff(sample.expected);
    match row.samples.iter().max_by_key(off) {
        None => String::new(),
        Some(sample) if sample.completed == sample.expected => sample.completed.to_string(),
        Some(sample) => format!("{} of {}", sample.completed, sample.expected),
    }
}

fn note(row: &RowRecord, cores: usize) -> String {
    let mut notes = Vec::new();
    if let Some(why) = row.invalid() {
        notes.push(format!("INVALID: {}", one_line(&why)));
    }
    if row.row.is_crowded(cores) {
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

fn ms(ns: Option<f64>) -> String {
    number(ns.map(|ns| ns / 1e6), 3)
}

/// With decimals only if it has any.
fn plain(value: Option<f64>) -> String {
    number(value, if value.is_some_and(|value| value.fract() != 0.0) { 2 } else { 0 })
}

#[cfg(test)]
mod tests;
