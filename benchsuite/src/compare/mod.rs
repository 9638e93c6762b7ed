//! `benchsuite compare`: two records, and what got faster or slower between them.
//!
//! | module | holds |
//! |---|---|
//! | `changes` | which rows correspond, and the verdict on each |
//! | `estimate` | the ratio of two times with its interval |
//! | `obstacles` | what makes two rows incomparable |
//!
//! `changes.md.jinja` writes all of it in Markdown.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::compare::changes::{COST_THRESHOLD, Changes, RowVerdict, THRESHOLD, VERDICTS};
use crate::record::{HEIST, Record};
use crate::template;

mod changes;
mod estimate;
mod obstacles;

/// Prints the changes from `old` to `new`. The exit code is 0 if nothing got slower, 1 if something
/// did, 2 if nothing can be compared.
pub(crate) fn run(old: &Path, new: &Path) -> io::Result<ExitCode> {
    let (old, new) = (Record::read(old)?, Record::read(new)?);
    let (text, code) = print(&old, &new);
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::from(code))
}

/// The changes from `old` to `new` as Markdown, and the exit code.
pub(crate) fn print(old: &Record, new: &Record) -> (String, u8) {
    let changes = changes::compare(old, new);
    (markdown(&changes), changes.exit_code())
}

/// The whole report.
fn markdown(changes: &Changes<'_>) -> String {
    let counts = VERDICTS.iter().filter_map(|(verdict, name)| {
        let count = changes.count(&[*verdict]);
        // No slower row is an answer, too.
        (count > 0 || *verdict == RowVerdict::Slower).then(|| format!("{count} {name}"))
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
