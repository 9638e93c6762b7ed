//! The rows of a comparison with every figure, as the page shows them.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::format::Unit;
use crate::reading::{by_time, reason};
use crate::record::{Comparison, Row};
use crate::stats::Spread;

/// Head and meaning of a column, and the cell of a row with these wall times, where the fastest row
/// has those.
type Column =
    (&'static str, &'static str, fn(&Row, Option<Spread>, Option<Spread>) -> Option<String>);

/// The columns between the command and the agreement.
const COLUMNS: [Column; 10] = [
    ("Mean ± σ", "Wall time of all timed runs: mean and standard deviation", |_, wall, _| {
        wall.map(|wall| Unit::Time.around(wall.mean, wall.deviation))
    }),
    ("Min", "The shortest run", |_, wall, _| wall.map(|wall| Unit::Time.show(wall.min))),
    ("Max", "The longest run", |_, wall, _| wall.map(|wall| Unit::Time.show(wall.max))),
    (
        "Relative",
        "Median time against that of the fastest; ≈: the two are no further apart than both vary",
        |row, _, best| {
            let (best, wall) = (best?, row.ranked()?);
            let near = if best.is_near(&wall) && best != wall { " ≈" } else { "" };
            Some(format!("{:.2}{near}", wall.median / best.median))
        },
    ),
    ("CPU", "Time on cores, in the program and in the kernel, mean", |row, _, _| {
        row.spread("cpu").map(|cpu| Unit::Time.show(cpu.mean))
    }),
    ("Memory", "The most memory it had, median", |row, _, _| {
        row.median("peak_bytes").map(|bytes| Unit::Memory.show(bytes))
    }),
    ("Switches", "Context switches, voluntary and involuntary, median", |row, _, _| {
        row.median("switches").map(|switches| Unit::Count.show(switches))
    }),
    ("Faults", "Page faults, minor and major, median", |row, _, _| {
        row.median("faults").map(|faults| Unit::Count.show(faults))
    }),
    ("Migrations", "Times a thread went on another core, median", |row, _, _| {
        row.median("migrations").map(|migrations| Unit::Count.show(migrations))
    }),
    ("Calls / file", "System calls per file of the corpus", |row, _, _| {
        row.median("calls_per_file").map(|calls| format!("{calls:.2}"))
    }),
];

/// The heads of the columns, and what they mean.
pub(super) fn heads() -> Vec<Value> {
    COLUMNS.iter().map(|(head, about, _)| context! { head => *head, about => *about }).collect()
}

/// The rows, sorted by time.
pub(super) fn rows(comparison: &Comparison, cores: usize) -> Vec<Value> {
    let best = comparison.best().and_then(Row::wall);
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    rows.sort_by(|one, other| by_time(one, other));
    let view = |row: &Row| {
        let cell =
            |column: &Column| column.2(row, row.wall(), best).unwrap_or_else(|| "–".to_owned());
        let classes =
            [("house", row.is_house()), ("limit", row.is_floor()), ("unranked", !row.is_ranked())];
        let classes = classes.into_iter().filter_map(|(class, is_it)| is_it.then_some(class));
        context! {
            class => classes.collect::<Vec<_>>().join(" "),
            name => row.name(),
            is_crowded => row.is_crowded(cores),
            command => row.command.as_str(),
            cells => COLUMNS.iter().map(cell).collect::<Vec<_>>(),
            agreement => Serde(agreement(row)),
        }
    };
    rows.into_iter().map(view).collect()
}

/// Whether a row printed what `hs` did, in a word, and the class of that word.
fn agreement(row: &Row) -> (&'static str, String) {
    match (reason(row), row.agrees) {
        (Some(reason), _) => ("bad", reason),
        (None, Some(true)) => ("good", "yes".to_owned()),
        (None, _) => ("", "–".to_owned()),
    }
}
