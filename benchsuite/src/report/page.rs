//! The page: what `page.html` is filled with.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::charts::{Charts, Slots, have_one_beginning, lines, missing, overview};
use super::plot::{Frame, key, sample};
use super::table;
use crate::record::{Comparison, Kind, Record};
use crate::{template, verdict};

/// The whole page; a record without comparisons is an error.
pub(crate) fn html(record: &Record) -> Result<String, String> {
    if record.comparisons.is_empty() {
        return Err("the record holds no comparison, so there is nothing to report".to_owned());
    }
    let title = match record.kind {
        Kind::Walk => "Walking trees: hs measured",
        Kind::Search => "Searching trees: hs measured",
        Kind::Queues | Kind::Hunt => "hs measured",
    };
    let slots = Slots::of(record);
    let comparisons = record.comparisons.iter().map(|one| view(one, record.machine.cores, &slots));
    let filling = context! {
        title,
        style => include_str!("page.css"),
        script => include_str!("page.js"),
        record => Serde(record),
        machine => Serde(&record.machine),
        findings => verdict::of_record(record),
        caveats => verdict::caveats(record),
        overview => Serde(Vec::from_iter(overview(record))),
        left_out => Serde(slots.left_out()),
        comparisons => comparisons.collect::<Vec<_>>(),
    };
    Ok(template::fill("page.html", include_str!("page.html"), filling))
}

/// What the page shows of a comparison.
fn view(comparison: &Comparison, cores: usize, slots: &Slots) -> Value {
    let charts = Charts::of(comparison, cores, slots, &Frame::PAGE);
    let drawn = lines(comparison, slots);
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
        rows => table::rows(comparison, cores),
    }
}
