//! The rows of a comparison with every figure, as the page shows them.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::reading::{by_time, reason};
use crate::record::{Comparison, Row};

/// The rows, sorted by time.
pub(super) fn rows(comparison: &Comparison, cores: usize) -> Vec<Value> {
    let best = comparison.best().and_then(Row::wall);
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    rows.sort_by(|one, other| by_time(one, other));
    let view = |row: &Row| {
        let classes =
            [("house", row.is_house()), ("limit", row.is_floor()), ("unranked", !row.is_ranked())];
        let classes = classes.into_iter().filter_map(|(class, is_it)| is_it.then_some(class));
        let relative = best.zip(row.ranked()).map(|(best, wall)| {
            let near = if best.is_near(&wall) && best != wall { " ≈" } else { "" };
            format!("{:.2}{near}", wall.median / best.median)
        });
        let figures = row.clone();
        context! {
            class => classes.collect::<Vec<_>>().join(" "),
            name => row.name(),
            is_crowded => row.is_crowded(cores),
            command => row.command.as_str(),
            spread => Value::from_function(move |figure: &str| Serde(figures.spread(figure))),
            relative,
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
