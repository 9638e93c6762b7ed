//! Two records side by side, as Markdown: what `changes.md.jinja` is filled with.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::compare::changes::{COST_THRESHOLD, Change, Changes, THRESHOLD, VERDICTS, Verdict};
use crate::record::{HEIST, Record, Row};
use crate::template;

/// The whole report.
pub(super) fn markdown(changes: &Changes<'_>) -> String {
    let counts = VERDICTS.iter().filter_map(|(verdict, name, _)| {
        let count = changes.count(&[*verdict]);
        // No slower row is an answer, too.
        (count > 0 || *verdict == Verdict::Slower).then(|| format!("{count} {name}"))
    });
    let filling = context! {
        sides => vec![side("old", changes.old), side("new", changes.new)],
        exit_code => changes.exit_code(),
        counts => counts.collect::<Vec<_>>(),
        changes => changes.changes.iter().map(change).collect::<Value>(),
        costs => Serde(&changes.costs),
        threshold => percent(THRESHOLD),
        cost_threshold => percent(COST_THRESHOLD),
    };
    template::fill("changes.md.jinja", include_str!("changes.md.jinja"), filling)
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

/// What stands there of a record.
fn side(name: &str, record: &Record) -> Value {
    let heist = record.tools.iter().find(|tool| tool.name == HEIST);
    context! {
        name,
        kind => Serde(record.kind),
        date => &record.date,
        hs => heist.map_or("unknown", |tool| tool.version.as_str()),
        repeats => record.method.repeats,
        is_partial => record.is_partial,
        machine => record.machine.sentence(),
        warnings => Serde(&record.warnings),
    }
}

fn change(change: &Change<'_>) -> Value {
    let wall = |row: Option<&Row>| {
        let wall = row.and_then(Row::wall)?;
        Some(format!("{:.1} ± {:.1}", wall.median * 1e3, wall.mad * 1e3))
    };
    let known = VERDICTS.iter().find(|(verdict, ..)| *verdict == change.verdict);
    context! {
        name => &change.name,
        old => wall(change.old),
        new => wall(change.new),
        estimate => Serde(change.estimate),
        verdict => known.map_or("", |(.., name)| name),
        why => &change.why,
    }
}
