//! Small multiples: a panel for each queue, in which its line stands out from those of all others.
//! Each panel is a drawing of its own, so that a page lays them out in as many columns as fit. Why
//! no library draws them: docs/decisions/0070-report-plots.md.

use std::sync::LazyLock;

use minijinja::{Environment, Value, context};
use serde::Serialize;

use super::scale::{Scale, width};
use crate::format::Unit;
use crate::reading::{distinct, reason};
use crate::record::{Comparison, Row, fastest};
use crate::template;

/// The size of a panel, in units that are pixels at its natural size.
pub(super) const WIDTH: f64 = 230.0;
pub(super) const HEIGHT: f64 = 150.0;

/// Title, caption, unit and figure of the panels.
const FIGURES: [(&str, &str, Unit, &str); 3] = [
    ("Time by threads", "Medians, lower is better; bands: noise.", Unit::Time, "wall"),
    ("Peak memory by threads", "The most memory it had, medians.", Unit::Memory, "peak_bytes"),
    ("Context switches by threads", "Voluntary and involuntary, medians.", Unit::Count, "switches"),
];

/// The panels of a figure.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Panels {
    title: &'static str,
    /// How to read them.
    caption: String,
    /// As SVG.
    pub(super) drawings: Vec<String>,
}

/// A queue's medians in the order of their threads.
struct PanelLine {
    name: String,
    points: Vec<Point>,
}

#[derive(Clone, Copy)]
struct Point {
    threads: usize,
    value: f64,
    noise: f64,
}

/// Whether a row belongs into the panels.
fn is_shown(row: &Row) -> bool {
    row.is_house() && row.threads.is_some()
}

/// Rows that should have been in a panel and are not, with the reasons.
pub(super) fn missing(comparison: &Comparison) -> Vec<String> {
    let rows = comparison.rows.iter().filter(|row| is_shown(row) && row.queue.is_some());
    rows.filter_map(|row| Some(format!("{} ({})", row.name(), reason(row)?))).collect()
}

/// The panels of a comparison: of time first, then of what else was measured.
pub(super) fn panels(comparison: &Comparison, cores: usize) -> Vec<Panels> {
    let floor = fastest(comparison.rows.iter().filter(|row| row.is_floor()));
    let floor = floor.and_then(|row| Some((row.name(), row.wall()?.median)));
    let panels = |(title, caption, unit, figure): (&'static str, &str, Unit, &str)| {
        let lines = lines(comparison, figure);
        let floor = floor.as_ref().filter(|_| unit == Unit::Time);
        let dashed =
            floor.map(|(name, time)| format!(" Dashed: {name}, {}.", Unit::Time.show(*time)));
        let caption = format!("{caption}{}", dashed.unwrap_or_default());
        let plane = Plane::of(&lines, cores, unit, floor.map(|floor| floor.1));
        let drawings = lines.iter().map(|line| plane.draw(title, line, &lines)).collect();
        (!lines.is_empty()).then_some(Panels { title, caption, drawings })
    };
    FIGURES.into_iter().filter_map(panels).collect()
}

/// The queues that were run, with a figure of their rows that may be ranked.
///
/// One worker alone uses no queue. Where that was measured for `hs` as it is and not for each
/// queue, it is the beginning of every line.
fn lines(comparison: &Comparison, figure: &str) -> Vec<PanelLine> {
    let rows = || comparison.rows.iter().filter(|row| is_shown(row) && row.is_ranked());
    let alone = rows().find(|row| row.queue.is_none() && row.threads == Some(1));
    let names = distinct(rows().filter(|row| row.queue.is_some()).map(Row::way));
    let line = |name: String| {
        let mut own: Vec<&Row> = rows().filter(|row| row.way() == name).collect();
        own.extend(alone.filter(|_| own.iter().all(|row| row.threads != Some(1))));
        own.sort_by_key(|row| row.threads);
        let point = |row: &&Row| {
            let spread = row.spread(figure)?;
            Some(Point { threads: row.threads?, value: spread.median, noise: spread.noise })
        };
        PanelLine { points: own.iter().filter_map(point).collect(), name }
    };
    names.into_iter().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// The axes that all panels of a figure have.
struct Plane {
    unit: Unit,
    across: Scale,
    values: Scale,
    /// Where the region with more threads than cores begins.
    crowd: Option<f64>,
    floor: Option<f64>,
}

impl Plane {
    fn of(lines: &[PanelLine], cores: usize, unit: Unit, floor: Option<f64>) -> Plane {
        let points = || lines.iter().flat_map(|line| &line.points);
        let mut threads: Vec<usize> = points().map(|point| point.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let ends = points().map(|point| point.value + point.noise);
        let largest = ends.chain(floor).fold(0.0, f64::max);
        let least = points().map(|point| point.value).fold(f64::INFINITY, f64::min);
        // Counts may differ by orders of magnitude, so that only a logarithm shows them all.
        let is_wide = unit == Unit::Count && largest > 100.0 && largest > 50.0 * least;
        let values =
            if is_wide { Scale::counts(largest) } else { Scale::linear(largest * 1.05, 3, unit) };
        let label = values.ticks.iter().map(|(_, label)| width(label)).fold(0.0, f64::max);
        let across = Scale::doublings(&threads).between(label + 16.0, WIDTH - 10.0);
        let values = values.between(HEIGHT - 24.0, 34.0);
        let crowd = threads.iter().position(|&threads| threads > cores).map(|first| {
            let before = first.checked_sub(1).map_or(cores, |before| threads[before].max(cores));
            f64::midpoint(across.at(before as f64), across.at(threads[first] as f64))
        });
        Plane { unit, across, floor: floor.map(|floor| values.at(floor)), values, crowd }
    }

    fn path(&self, points: impl Iterator<Item = (usize, f64)>) -> String {
        let place = |(threads, value): (usize, f64)| {
            format!("{:.1} {:.1}", self.across.at(threads as f64), self.values.at(value))
        };
        format!("M{}", points.map(place).collect::<Vec<_>>().join("L"))
    }

    fn draw(&self, title: &str, line: &PanelLine, lines: &[PanelLine]) -> String {
        static PANEL: LazyLock<Environment<'static>> = LazyLock::new(|| {
            let mut panel = template::environment();
            panel.add_template("panel.svg", include_str!("panel.svg")).expect("a template");
            panel
        });
        let path = |line: &PanelLine| {
            self.path(line.points.iter().map(|point| (point.threads, point.value)))
        };
        let others = lines.iter().filter(|other| other.name != line.name);
        let upper = line.points.iter().map(|point| (point.threads, point.value + point.noise));
        let lower = line.points.iter().rev();
        let lower = lower.map(|point| (point.threads, (point.value - point.noise).max(0.0)));
        let points = line.points.iter().map(|point| {
            let Point { threads, value, noise } = *point;
            let (x, y) = (self.across.at(threads as f64), self.values.at(value));
            let shown =
                if noise > 0.0 { self.unit.around(value, noise) } else { self.unit.show(value) };
            context! { threads, x, y, shown }
        });
        let by_value = |one: &&Point, other: &&Point| one.value.total_cmp(&other.value);
        let best = match self.unit {
            Unit::Time => line.points.iter().min_by(by_value),
            Unit::Memory | Unit::Count => line.points.iter().max_by(by_value),
        };
        let to = if self.unit == Unit::Time { "" } else { "to " };
        let best =
            best.map(|best| format!("{to}{} -j{}", self.unit.show(best.value), best.threads));
        let filling = context! {
            width => WIDTH,
            height => HEIGHT,
            title,
            name => &line.name,
            best,
            across => self.across.marks(),
            values => self.values.marks(),
            crowd => self.crowd,
            floor => self.floor,
            others => others.map(path).collect::<Vec<_>>(),
            own => path(line),
            band => self.path(upper.chain(lower)),
            points => points.collect::<Value>(),
            is_line => line.points.len() > 1,
        };
        let panel = PANEL.get_template("panel.svg").and_then(|panel| panel.render(filling));
        panel.unwrap_or_else(|why| panic!("{why:#}"))
    }
}
