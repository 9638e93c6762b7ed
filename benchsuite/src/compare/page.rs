//! Two records side by side, as Markdown: what `changes.md.jinja` is filled with.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::compare::changes::{COST_THRESHOLD, Changes, THRESHOLD, VERDICTS, Verdict};
use crate::record::{HEIST, Record};
use crate::template;

/// The whole report.
pub(super) fn markdown(changes: &Changes<'_>) -> String {
    let counts = VERDICTS.iter().filter_map(|(verdict, name)| {
        let count = changes.count(&[*verdict]);
        // No slower row is an answer, too.
        (count > 0 || *verdict == Verdict::Slower).then(|| format!("{count} {name}"))
    });
    let filling = context! {
        sides => vec![side("old", changes.old), side("new", changes.new)],
        exit_code => changes.exit_code(),
        counts => counts.collect::<Vec<_>>(),
        changes => Serde(&changes.changes),
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
