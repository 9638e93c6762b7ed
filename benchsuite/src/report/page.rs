//! The page: what `page.html` is filled with.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::panels::{missing, panels};
use crate::format::{Unit, digits};
use crate::reading::{by_time, distinct, house, reason, relative, rivals};
use crate::record::{Comparison, FLOOR, HEIST, Record, RecordKind, Row, fastest};
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
    let comparisons = record.comparisons.iter().map(|one| view(one, record.machine.cores));
    let filling = context! {
        title,
        style => include_str!("page.css"),
        script => include_str!("page.js"),
        record => Serde(record),
        machine => Serde(&record.machine),
        answer => verdict::answer(record),
        findings => verdict::of_record(record),
        caveats => verdict::caveats(record),
        overview => overview(record),
        comparisons => comparisons.collect::<Vec<_>>(),
    };
    Ok(template::fill("page.html", include_str!("page.html"), filling))
}

/// What the page shows of a comparison.
fn view(comparison: &Comparison, cores: usize) -> Value {
    context! {
        name => comparison.name(),
        about => comparison.about.as_str(),
        findings => verdict::of_comparison(comparison, cores),
        bars => bars(comparison),
        panels => Serde(panels(comparison, cores)),
        missing => missing(comparison),
        rows => rows(comparison, cores),
    }
}

/// The figures that bars show.
const BARS: [(Unit, &str); 3] =
    [(Unit::Time, "wall"), (Unit::Memory, "peak_bytes"), (Unit::Count, "switches")];

/// The fastest row of each program and of each queue, with time, memory and switches as shares of
/// the most among them; a row that was never ranked has its reason.
fn bars(comparison: &Comparison) -> Vec<Value> {
    let kind = |row: &Row| (row.tool.clone(), row.way());
    let kinds = distinct(comparison.rows.iter().filter(|row| !row.is_walker()).map(kind));
    let best = kinds.iter().filter_map(|wanted| {
        let own = || comparison.rows.iter().filter(|row| kind(row) == *wanted);
        let plain = own().find(|row| row.threads.is_none() && row.is_ranked());
        plain.or_else(|| fastest(own())).or_else(|| own().next())
    });
    let mut shown: Vec<&Row> = best.collect();
    shown.sort_by(|one, other| by_time(one, other));
    let most = BARS.map(|(_, figure)| {
        shown.iter().filter_map(|row| row.median(figure)).fold(f64::MIN_POSITIVE, f64::max)
    });
    let bar = |row: &Row| {
        let cells = BARS.iter().zip(most).map(|((unit, figure), most)| {
            let spread = row.spread(figure)?;
            let share = format!("{:.3}", (spread.median / most).clamp(0.0, 1.0));
            let noise = Some(spread.noise).filter(|_| *unit == Unit::Time && row.runs.len() > 1);
            let shown = noise.map(|noise| unit.around(spread.median, noise));
            let text = shown.unwrap_or_else(|| unit.show(spread.median));
            Some(context! { share, text })
        });
        let cells: Vec<Option<Value>> = cells.collect();
        context! { class => class(row), name => row.name(), reason => reason(row), cells }
    };
    shown.into_iter().map(bar).collect()
}

/// The classes of a row.
fn class(row: &Row) -> String {
    let classes =
        [("house", row.is_house()), ("limit", row.is_floor()), ("unranked", !row.is_ranked())];
    classes
        .into_iter()
        .filter_map(|(class, is_it)| is_it.then_some(class))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The rows, sorted by time.
fn rows(comparison: &Comparison, cores: usize) -> Vec<Value> {
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    rows.sort_by(|one, other| by_time(one, other));
    let view = |row: &Row| {
        let figures = row.clone();
        context! {
            class => class(row),
            name => row.name(),
            is_crowded => row.is_crowded(cores),
            command => row.command.as_str(),
            spread => Value::from_function(move |figure: &str| Serde(figures.spread(figure))),
            relative => relative(comparison, row),
            reason => reason(row),
            agrees => row.agrees == Some(true),
        }
    };
    rows.into_iter().map(view).collect()
}

/// The time of `hs`, or of another program's fastest row.
fn best_time(comparison: &Comparison, program: &str) -> Option<f64> {
    let row = match program {
        HEIST => house(comparison),
        _ => fastest(comparison.rows.iter().filter(|row| row.tool == program)),
    };
    Some(row?.ranked()?.median).filter(|time| *time > 0.0)
}

/// Every task of a record without queues in one table: `hs` and each rival's best row as multiples
/// of the floor. A task without its own floor is set against the least floor of its corpus, which
/// is marked by an asterisk. With an index, `hs` without it is the floor.
fn overview(record: &Record) -> Option<Value> {
    let base = match record.kind {
        RecordKind::Index => HEIST,
        RecordKind::Search => FLOOR,
        RecordKind::Walk | RecordKind::Queues | RecordKind::Hunt => return None,
    };
    let own_floor = |one: &Comparison| best_time(one, base);
    let floor = |comparison: &Comparison| {
        let of_corpus = record.comparisons.iter().filter(|one| one.corpus == comparison.corpus);
        let least = of_corpus.filter_map(own_floor).min_by(f64::total_cmp);
        let other = least.filter(|_| base == FLOOR).map(|least| (least, "*"));
        own_floor(comparison).map(|time| (time, "")).or(other)
    };
    let mut programs = vec![HEIST.to_owned()];
    programs.extend(rivals(record.rows().map(|(_, row)| row)).into_iter().map(str::to_owned));
    let is_one_corpus = record.comparisons.iter().all(|c| c.corpus == record.comparisons[0].corpus);
    let task = |comparison: &Comparison| {
        let (floor, mark) = floor(comparison)?;
        let ratios: Vec<Option<f64>> =
            programs.iter().map(|program| Some(best_time(comparison, program)? / floor)).collect();
        let best = ratios.iter().flatten().copied().min_by(f64::total_cmp)?;
        let cells = ratios.into_iter().map(|ratio| {
            context! { text => ratio.map(digits), is_best => ratio == Some(best) }
        });
        let corpus = if is_one_corpus { "" } else { &*format!("{} ", comparison.corpus) };
        let label = format!("{corpus}{}{mark}", comparison.task);
        Some(context! { label, cells => cells.collect::<Vec<_>>() })
    };
    let tasks: Vec<Value> = record.comparisons.iter().filter_map(task).collect();
    let base =
        if base == FLOOR { "the floor, the least work possible" } else { "hs without an index" };
    (!tasks.is_empty()).then(|| context! { base, programs, tasks })
}
