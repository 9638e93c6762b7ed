//! Two records side by side, as Markdown.

use std::fmt::Write;

use crate::compare::changes::{
    COST_THRESHOLD, Change, Changes, CostChange, THRESHOLD, VERDICTS, Verdict,
};
use crate::compare::estimate::Estimate;
use crate::markdown::{Column, Side, items, number, one_line, render_filled};
use crate::record::{HEIST, Record, Row};

/// The whole report.
pub(super) fn markdown(changes: &Changes<'_>) -> String {
    let mut text = "# Changes\n\n".to_owned();
    text += &facts("old", changes.old);
    text += &facts("new", changes.new);
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(text, "\n{}", summary(changes));
    if changes.old.kind != changes.new.kind {
        let [old, new] =
            [changes.old, changes.new].map(|record| format!("{:?}", record.kind).to_lowercase());
        let _ = writeln!(text, "\nThe old record is of `{old}` and the new one of `{new}`.");
    }
    if changes.changes.iter().any(|change| change.estimate.is_some()) {
        text += "\nRatio: median of new by median of old, with its interval of 95 % \
                 (percentiles of the bootstrap). Of 20 rows that are the same, one may be \
                 outside by chance.\n";
    }
    if !changes.changes.is_empty() {
        let _ = write!(text, "\n{}", times(&changes.changes));
    }
    if !changes.costs.is_empty() {
        let percent = COST_THRESHOLD * 100.0;
        let _ = write!(
            text,
            "\nMemory and context switches that changed by more than {percent:.0} %:\n\n{}",
            costs(&changes.costs)
        );
    }
    text
}

/// How many rows got faster, slower, and so on, in a line.
fn summary(changes: &Changes<'_>) -> String {
    let verdict = match changes.exit_code() {
        0 => "Nothing got slower",
        1 => "Something got slower",
        _ => "Nothing could be compared",
    };
    let counts = VERDICTS.map(|(verdict, name, _)| (verdict, name, changes.count(&[verdict])));
    // No slower row is an answer, too.
    let counts = counts.iter().filter(|(verdict, _, n)| *n > 0 || *verdict == Verdict::Slower);
    let counts: Vec<String> = counts.map(|(_, name, count)| format!("{count} {name}")).collect();
    let (all, counts, percent) = (changes.changes.len(), counts.join(", "), THRESHOLD * 100.0);
    format!("{verdict}: of {all} rows {counts} (beyond {percent:.0} %, and certainly).")
}

/// One side, with its warnings.
fn facts(side: &str, record: &Record) -> String {
    let heist = record.tools.iter().find(|tool| tool.name == HEIST);
    let heist = heist.map_or("unknown", |tool| tool.version.as_str());
    let partial = if record.is_partial { ", stopped early" } else { "" };
    let (date, repeats) = (&record.date, record.method.repeats);
    let fact = format!("{side}: {date} UTC, hs: {heist}, {repeats} runs{partial}");
    let machine = format!("{side} machine: {}", record.machine.sentence());
    let mut facts = vec![fact, machine];
    facts.extend(record.warnings.iter().map(|warning| format!("{side}, beware: {warning}")));
    items(&facts)
}

fn times(changes: &[Change<'_>]) -> String {
    let median = |row: Option<&Row>| {
        let wall = row.and_then(Row::wall);
        let shown = |time: f64| format!("{:.1}", time * 1e3);
        wall.map(|wall| format!("{} ± {}", shown(wall.median), shown(wall.mad))).unwrap_or_default()
    };
    let estimate = |show: fn(Estimate) -> String| {
        move |change: &Change<'_>| change.estimate.map(show).unwrap_or_default()
    };
    let columns = vec![
        Column::of("Row", Side::Left, changes, |change| one_line(&change.name)),
        Column::of("Old [ms]", Side::Right, changes, |change| median(change.old)),
        Column::of("New [ms]", Side::Right, changes, |change| median(change.new)),
        Column::of("Ratio", Side::Right, changes, estimate(|one| format!("{:.3}", one.ratio))),
        Column::of("95 %", Side::Right, changes, {
            estimate(|one| format!("{:.3} to {:.3}", one.low, one.high))
        }),
        Column::of("Verdict", Side::Left, changes, verdict),
    ];
    render_filled(columns, |_| false)
}

fn verdict(change: &Change<'_>) -> String {
    let known = VERDICTS.iter().find(|(verdict, ..)| *verdict == change.verdict);
    let name = known.map_or("", |(.., name)| name);
    one_line(&if change.why.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {}", change.why)
    })
}

fn costs(costs: &[CostChange]) -> String {
    let figure = |figure: f64| number(Some(figure), if figure.fract() == 0.0 { 0 } else { 1 });
    let change = |cost: &CostChange| match cost.old {
        // There is no ratio to nothing.
        0.0 => "from nothing".to_owned(),
        old => format!("{:+.1} %", (cost.new / old - 1.0) * 100.0),
    };
    let doubt = |cost: &CostChange| if cost.overlaps { "runs overlap" } else { "" }.to_owned();
    let columns = vec![
        Column::of("Row", Side::Left, costs, |cost| one_line(&cost.name)),
        Column::of("Figure", Side::Left, costs, |cost| cost.figure.to_owned()),
        Column::of("Old", Side::Right, costs, |cost| figure(cost.old)),
        Column::of("New", Side::Right, costs, |cost| figure(cost.new)),
        Column::of("Change", Side::Right, costs, change),
        Column::of("Doubt", Side::Left, costs, doubt),
    ];
    render_filled(columns, |_| false)
}
