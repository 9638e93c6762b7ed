//! The page: what `page.html` is filled with.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::charts::{Charts, have_one_beginning, lines, missing, overview, queues};
use super::plot::{Frame, SERIES, key, sample};
use crate::reading::{by_time, reason};
use crate::record::{Comparison, Record, RecordKind, Row};
use crate::{template, verdict};

/// The whole page; a record without comparisons is an error.
pub(crate) fn html(record: &Record) -> Result<String, String> {
    if record.comparisons.is_empty() {
        return Err("the record holds no comparison, so there is nothing to report".to_owned());
    }
    let title = match record.kind {
        RecordKind::Walk => "Walking trees: hs measured",
        RecordKind::Search => "Searching trees: hs measured",
        RecordKind::Index => "Searching with an index: hs measured",
        RecordKind::Queues | RecordKind::Hunt => "hs measured",
    };
    let queues = queues(record);
    let comparisons = record.comparisons.iter().map(|one| view(one, record.machine.cores, &queues));
    let filling = context! {
        title,
        style => include_str!("page.css"),
        script => include_str!("page.js"),
        record => Serde(record),
        machine => Serde(&record.machine),
        findings => verdict::of_record(record),
        caveats => verdict::caveats(record),
        overview => Serde(Vec::from_iter(overview(record))),
        left_out => Serde(queues.get(SERIES..).unwrap_or_default()),
        comparisons => comparisons.collect::<Vec<_>>(),
    };
    Ok(template::fill("page.html", include_str!("page.html"), filling))
}

/// What the page shows of a comparison.
fn view(comparison: &Comparison, cores: usize, queues: &[&String]) -> Value {
    let charts = Charts::of(comparison, cores, queues, &Frame::PAGE_FRAME);
    let drawn = lines(comparison, queues);
    let legend = drawn.iter().filter(|line| !line.rows.is_empty()).map(|line| {
        let name = if line.slot.is_none() { "hs as it is" } else { line.name.as_str() };
        context! { series => key(line.slot), name, sample => sample(line.slot) }
    });
    context! {
        name => comparison.name(),
        about => comparison.about.as_str(),
        findings => verdict::of_comparison(comparison, cores),
        bars => Serde(charts.bars),
        lines => Serde(charts.lines),
        legend => legend.collect::<Vec<_>>(),
        has_one_beginning => have_one_beginning(comparison),
        missing => missing(comparison),
        rows => rows(comparison, cores),
    }
}

/// The rows, sorted by time.
fn rows(comparison: &Comparison, cores: usize) -> Vec<Value> {
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
