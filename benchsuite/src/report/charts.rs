//! Which charts a comparison has, and what is drawn in them.

use super::plot::{Bar, Bars, Chart, DotRow, Dots, Frame, Level, Lines, Point, SERIES, Series};
use crate::format::Unit;
use crate::reading::{by_time, distinct, house, of_tool, reason, rivals};
use crate::record::{Comparison, FLOOR, HEIST, Record, RecordKind, Row, fastest};

/// The queues in a record, in the order they appear in: a queue's place is its slot, the same in
/// every comparison. Queues beyond [`SERIES`] cannot be distinguished.
pub(super) fn queues(record: &Record) -> Vec<&String> {
    let rows = record.rows().map(|(_, row)| row).filter(|row| is_line(row));
    distinct(rows.filter_map(|row| row.queue.as_ref()))
}

/// A line of a comparison: `hs` with one queue, or as it is.
#[derive(Clone, Debug)]
pub(super) struct ChartLine<'a> {
    /// The queue's place among the queues; `None` if `hs` ran without a choice of queue.
    pub(super) slot: Option<usize>,
    pub(super) name: String,
    /// The rows on this line that may be ranked, with their threads and sorted by them.
    pub(super) rows: Vec<(usize, &'a Row)>,
}

/// The figure of a row in a chart, with its MAD.
type Figure = fn(&ChartLine<'_>, &Row) -> Option<(f64, f64)>;

/// The lines that can be distinguished, those without a single point included.
///
/// One worker alone uses no queue. Where that was measured for `hs` as it is and not for each
/// queue, it is the beginning of every line.
pub(super) fn lines<'a>(comparison: &'a Comparison, queues: &[&String]) -> Vec<ChartLine<'a>> {
    let alone = comparison.rows.iter().find(|row| is_alone(row) && row.is_ranked());
    let plain = (None, None, HEIST.to_owned());
    let queues = queues.iter().copied().take(SERIES).enumerate();
    let queues = queues.map(|(slot, queue)| (Some(slot), Some(queue), queue.clone()));
    let mut lines = Vec::new();
    for (slot, queue, name) in queues.chain([plain]) {
        let rows = comparison.rows.iter().filter(|row| is_line(row) && row.queue.as_ref() == queue);
        let rows: Vec<&Row> = rows.collect();
        let mut ranked: Vec<(usize, &Row)> = rows
            .iter()
            .filter(|row| row.is_ranked())
            .filter_map(|row| Some((row.threads?, *row)))
            .collect();
        if let Some(alone) = alone
            && !rows.is_empty()
            && !rows.iter().any(|row| row.threads == Some(1))
        {
            ranked.push((1, alone));
        }
        ranked.sort_by_key(|(threads, _)| *threads);
        if rows.iter().any(|row| !is_alone(row)) {
            lines.push(ChartLine { slot, name, rows: ranked });
        }
    }
    // What was measured with threads but never with a queue is no comparison of queues.
    if lines.iter().all(|line| line.slot.is_none()) { Vec::new() } else { lines }
}

/// Whether a row is `hs` with one worker, which uses no queue.
fn is_alone(row: &Row) -> bool {
    is_line(row) && row.queue.is_none() && row.threads == Some(1)
}

/// Whether the lines of a comparison have such a beginning in common.
pub(super) fn have_one_beginning(comparison: &Comparison) -> bool {
    comparison.rows.iter().any(|row| is_alone(row) && row.is_ranked())
}

/// Whether a row belongs into the charts over threads.
fn is_line(row: &Row) -> bool {
    row.is_house() && row.threads.is_some()
}

/// Rows that should have been in a line and are not, with the reasons.
pub(super) fn missing(comparison: &Comparison) -> Vec<String> {
    let rows = comparison.rows.iter().filter(|row| is_line(row) && row.queue.is_some());
    rows.filter_map(|row| Some(format!("{} ({})", row.name(), reason(row)?))).collect()
}

/// Title, caption, unit and figure of each chart over threads.
const OVER_THREADS: [(&str, &str, Unit, Figure); 4] = [
    (
        "Time by threads",
        "Medians, lower is better; bands: median distance from the median.",
        Unit::Time,
        |_, row| around(row, "wall"),
    ),
    (
        "Speed-up over -j1 by threads",
        "Time of one thread through time; higher is better.",
        Unit::Ratio,
        |line, row| {
            let (_, alone) = line.rows.iter().find(|(threads, _)| *threads == 1)?;
            Some((alone.wall()?.median / row.wall()?.median, 0.0))
        },
    ),
    ("Peak memory by threads", "The most memory it had, medians.", Unit::Memory, |_, row| {
        around(row, "peak_bytes")
    }),
    (
        "Context switches by threads",
        "Voluntary and involuntary, medians.",
        Unit::Count,
        |_, row| around(row, "switches"),
    ),
];

/// Everything that is drawn of a comparison, without what would be empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Charts {
    pub(super) bars: Vec<Chart>,
    pub(super) lines: Vec<Chart>,
}

impl Charts {
    pub(super) fn of(
        comparison: &Comparison,
        cores: usize,
        queues: &[&String],
        frame: &Frame<'_>,
    ) -> Charts {
        let (floor, lines) = (floor(comparison), lines(comparison, queues));
        let lines = OVER_THREADS.into_iter().filter_map(|(title, caption, unit, figure)| {
            let floor = floor.clone().filter(|_| unit == Unit::Time);
            let plot = Lines { unit, cores, series: series(&lines, figure), floor };
            let is_drawn = !plot.series.is_empty();
            is_drawn.then(|| Chart::of(title, caption, unit, plot.marks(frame), frame))
        });
        let lines = lines.collect();
        let rows = bar_rows(comparison);
        let whiskers = "Medians, shorter is better; whiskers: median distance from the median.";
        let bars = [
            ("Time", whiskers, Bars { floor, ..bars(&rows, Unit::Time, "wall") }),
            ("Peak memory", "Medians, less is better.", bars(&rows, Unit::Memory, "peak_bytes")),
        ];
        let bars = bars.into_iter().filter(|(.., plot)| plot.bars.len() > 1 && !plot.is_empty());
        let bars = bars.map(|(title, caption, plot)| {
            Chart::of(title, caption, plot.unit, plot.marks(frame), frame)
        });
        Charts { bars: bars.collect(), lines }
    }
}

/// The lines with a figure for every row that has one.
fn series(lines: &[ChartLine<'_>], figure: Figure) -> Vec<Series> {
    let series = lines.iter().map(|line| {
        let points = line.rows.iter().filter_map(|(threads, row)| {
            let (value, around) = figure(line, row)?;
            Some(Point { threads: *threads, value, around })
        });
        Series { slot: line.slot, name: line.name.clone(), points: points.collect() }
    });
    series.filter(|series| !series.points.is_empty()).collect()
}

/// The median of a figure, and its MAD.
fn around(row: &Row, figure: &str) -> Option<(f64, f64)> {
    row.spread(figure).map(|spread| (spread.median, spread.mad))
}

/// The floor's least time with any number of threads.
fn floor(comparison: &Comparison) -> Option<Level> {
    let floor = fastest(comparison.rows.iter().filter(|row| row.is_floor()))?;
    let value = floor.wall()?.median;
    Some(Level { label: format!("{} {}", floor.name(), Unit::Time.show(value)), value })
}

/// The rows that are shown as bars: everything that is no line, and the best queue where there is
/// no other `hs`. If a program was run with many numbers of threads, the fastest row is shown.
fn bar_rows(comparison: &Comparison) -> Vec<&Row> {
    let rows = || comparison.rows.iter().filter(|row| row.is_house() || row.is_rival());
    let mut shown: Vec<&Row> = Vec::new();
    for row in rows().filter(|row| !is_line(row) || row.queue.is_none()) {
        let family = || rows().filter(|other| other.tool == row.tool && other.queue == row.queue);
        let ranked = family().filter(|other| other.is_ranked() && other.threads.is_some());
        let is_fastest = fastest(ranked).is_some_and(|best| std::ptr::eq(best, row));
        if row.threads.is_none() || !row.is_ranked() || is_fastest {
            shown.push(row);
        }
    }
    let queues = fastest(rows().filter(|row| row.is_house() && row.queue.is_some()));
    if let Some(best) = queues
        && !shown.iter().any(|row| row.is_house() && row.is_ranked() && !is_alone(row))
    {
        // One worker alone is the base of speed-ups, not what anyone runs.
        shown.retain(|row| !is_alone(row) || !row.is_ranked());
        shown.push(best);
    }
    shown.sort_by(|one, other| by_time(one, other));
    // Bars of queues alone would repeat the lines, if there are any.
    let has_lines = rows().any(|row| is_line(row) && row.queue.is_some());
    let is_repetition = has_lines && shown.iter().all(|row| row.is_house());
    if is_repetition { Vec::new() } else { shown }
}

/// A figure of these rows. A row without a time is shown with its reason, one without any other
/// figure is left out.
fn bars(rows: &[&Row], unit: Unit, figure: &str) -> Bars {
    let bars = rows.iter().map(|row| {
        let (value, around) = around(row, figure).unzip();
        let around = around.unwrap_or_default();
        let reason = reason(row);
        let is_house = row.is_house() && reason.is_none();
        Bar { label: row.name(), value, around, is_house, reason }
    });
    let bars = bars.filter(|bar| bar.value.is_some() || unit == Unit::Time).collect();
    Bars { unit, bars, floor: None }
}

const OVER_FLOOR: &str = "Medians as multiples of the floor, the least work possible; left is \
                          better. With an asterisk: the least floor of the corpus, as the task has \
                          none.";

const WITH_INDEX: &str = "Medians as multiples of hs without an index; left is better.";

/// Every task in one picture: `hs` and each rival's best row as multiples of the floor. A task
/// without its own floor is set against the least floor of its corpus, which is marked by an
/// asterisk; without any floor a task is left out. With an index, `hs` without it is the floor.
pub(super) fn overview(record: &Record) -> Option<Chart> {
    let least = |row: Option<&Row>| Some(row?.ranked()?.median).filter(|time| *time > 0.0);
    let (base, caption) = match record.kind {
        RecordKind::Index => (HEIST, WITH_INDEX),
        RecordKind::Walk | RecordKind::Search | RecordKind::Queues | RecordKind::Hunt => {
            (FLOOR, OVER_FLOOR)
        }
    };
    let own_floor = |one: &Comparison| least(fastest(of_tool(one, base)));
    let floor = |comparison: &Comparison| {
        let of_corpus = record.comparisons.iter().filter(|one| one.corpus == comparison.corpus);
        let of_corpus = || of_corpus.filter_map(own_floor).min_by(f64::total_cmp);
        let other = || Some((of_corpus()?, "*")).filter(|_| base == FLOOR);
        own_floor(comparison).map(|time| (time, "")).or_else(other)
    };
    let mut programs = vec![HEIST.to_owned()];
    programs.extend(rivals(record.rows().map(|(_, row)| row)).into_iter().map(str::to_owned));
    let is_one_corpus = record.comparisons.iter().all(|c| c.corpus == record.comparisons[0].corpus);
    let task = |comparison: &Comparison| {
        let (floor, mark) = floor(comparison)?;
        let dot = |(index, program): (usize, &String)| {
            let row =
                if index == 0 { house(comparison) } else { fastest(of_tool(comparison, program)) };
            Some((index, least(row)? / floor))
        };
        let corpus = if is_one_corpus { "" } else { &*format!("{} ", comparison.corpus) };
        let label = format!("{corpus}{}{mark}", comparison.task);
        Some(DotRow { label, dots: programs.iter().enumerate().filter_map(dot).collect() })
    };
    let mut tasks: Vec<DotRow> = record.comparisons.iter().filter_map(task).collect();
    tasks.retain(|task| !task.dots.is_empty());
    if tasks.is_empty() {
        return None;
    }
    let marks = Dots { programs, tasks }.marks(&Frame::PAGE_FRAME);
    Some(Chart::of("All tasks", caption, Unit::Ratio, marks, &Frame::PAGE_FRAME))
}
