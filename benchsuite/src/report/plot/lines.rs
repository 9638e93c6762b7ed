//! A figure against the number of threads: a line per series, the spread as a band around it.
//!
//! Each series has its colour, its marker and its dashes, and its name at its right end, so that
//! a reader needs neither colours nor the legend. Threads lie on an axis of
//! doublings with a label at each number that was measured; the region with more threads than cores
//! is shaded and labelled.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::room::{Frame, LETTER, ROOM, widest, width};
use super::scale::{Level, Scale, apart};
use super::style::Style;
use crate::format::Unit;

#[derive(Clone, Debug)]
pub(in crate::report) struct Series {
    /// Which colour, marker and dashes; `None` is `hs` as it is.
    pub(in crate::report) slot: Option<usize>,
    pub(in crate::report) name: String,
    /// In the order of their threads; there is at least one.
    pub(in crate::report) points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(in crate::report) struct Point {
    pub(in crate::report) threads: usize,
    pub(in crate::report) value: f64,
    /// The MAD of the value.
    pub(in crate::report) around: f64,
}

#[derive(Clone, Debug)]
pub(in crate::report) struct Lines {
    pub(in crate::report) unit: Unit,
    /// How many threads can run at once.
    pub(in crate::report) cores: usize,
    pub(in crate::report) series: Vec<Series>,
    /// The least value possible.
    pub(in crate::report) floor: Option<Level>,
}

/// The axes of the drawing.
struct Plane {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// Every number of threads that was measured.
    threads: Vec<usize>,
    across: Scale,
    values: Scale,
}

impl Plane {
    fn at(&self, threads: usize, value: f64) -> (f64, f64) {
        (self.across.at(threads as f64), self.values.at(value))
    }
}

/// What scripts call a series.
pub(in crate::report) fn key(slot: Option<usize>) -> String {
    slot.map_or_else(|| "hs".to_owned(), |slot| slot.to_string())
}

impl Lines {
    /// What is drawn, and where.
    pub(in crate::report) fn marks(&self, frame: &Frame<'_>) -> Value {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let (unit, plane) = (self.unit, self.plane(frame));
        let series = self.series.iter().map(|series| {
            let at = |value: f64, point: &Point| plane.at(point.threads, value);
            let upper = series.points.iter().map(|point| at(point.value + point.around, point));
            let lower =
                series.points.iter().rev().map(|point| at(point.value - point.around, point));
            let is_wide = series.points.iter().any(|point| point.around > 0.0);
            let band = is_wide.then(|| Serde(upper.chain(lower).collect::<Vec<_>>()));
            let line: Vec<_> = series.points.iter().map(|point| at(point.value, point)).collect();
            let points = series.points.iter().zip(&line);
            let points = points.map(|(point, (x, y))| context! { x, y, ..Serde(point) });
            let points: Value = points.collect();
            let (key, style) = (key(series.slot), Serde(Style::of(series.slot)));
            context! { key, name => &series.name, style, band, line => Serde(line), points }
        });
        let floor = self.floor.as_ref();
        let floor =
            floor.map(|it| context! { label => &it.label, at => plane.values.at(it.value) });
        context! {
            kind => "lines",
            about => format!(". Series: {}.", names.join(", ")),
            height => frame.height,
            around => Value::from_function(move |value: f64, by: f64| unit.around(value, by)),
            axis => plane.values.marks(),
            across => plane.across.marks(),
            crowd => self.crowd(&plane),
            ideal => Serde(self.ideal(&plane)),
            series => series.collect::<Value>(),
            names => self.names(&plane),
            floor,
            left => plane.left,
            right => plane.right,
            top => plane.top,
            bottom => plane.bottom,
        }
    }

    /// Whether to draw what cores alone would allow, for speed-ups.
    fn has_ideal(&self) -> bool {
        self.unit == Unit::Ratio
    }

    fn plane(&self, frame: &Frame<'_>) -> Plane {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let mut threads: Vec<usize> = points().map(|point| point.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let ends = points().map(|point| point.value + point.around);
        let mut largest =
            ends.chain(self.floor.iter().map(|floor| floor.value)).fold(0.0, f64::max);
        if self.has_ideal() {
            let most = threads.last().copied().unwrap_or(1).min(self.cores);
            largest = largest.max(most as f64);
        }
        let least = points().map(|point| point.value).fold(f64::INFINITY, f64::min);
        // Counts may differ by orders of magnitude, so that only a logarithm shows them all.
        let is_wide = self.unit == Unit::Count && largest > 100.0 && largest > 50.0 * least;
        // A little room above the highest point, for its marker and for labels.
        let linear = || Scale::linear(largest * 1.08, 5, self.unit);
        let values = if is_wide { Scale::counts(largest) } else { linear() };
        let name = widest(self.series.iter().map(|series| &series.name));
        let left = widest(values.ticks.iter().map(|(_, label)| label)) + 10.0;
        let right = frame.width - (name + 20.0).clamp(40.0, frame.width * 0.27);
        let (top, bottom) = (frame.top() + 24.0, frame.height - 40.0);
        // The outermost points keep a little distance from the edges of the plot.
        let across = Scale::doublings(&threads).between(left + 10.0, right - 8.0);
        let values = values.between(bottom, top);
        Plane { left, right, top, bottom, threads, across, values }
    }

    /// The region in which threads have to wait for one another.
    fn crowd(&self, plane: &Plane) -> Option<Value> {
        let first = plane.threads.iter().copied().find(|threads| *threads > self.cores)?;
        let last = plane.threads.iter().copied().filter(|threads| *threads <= self.cores).max();
        let left = last.map_or(plane.left, |last| {
            let cores = last.max(self.cores) as f64;
            f64::midpoint(plane.across.at(cores), plane.across.at(first as f64))
        });
        let room = plane.right - left - 8.0;
        let labels = ["more threads than cores", "threads > cores", "> cores"];
        let label = labels.into_iter().find(|label| width(label) <= room);
        Some(context! { left, label })
    }

    /// A speed-up of one for each core.
    fn ideal(&self, plane: &Plane) -> Option<Vec<(f64, f64)>> {
        let (least, most) = (plane.threads.first()?, plane.threads.last()?);
        let mut threads = plane.threads.clone();
        threads.push(self.cores.clamp(*least, *most));
        threads.sort_unstable();
        let at = |threads: usize| plane.at(threads, threads.min(self.cores) as f64);
        self.has_ideal().then(|| threads.into_iter().map(at).collect())
    }

    /// Names at the right ends, moved apart where they would overlap, with a line to where they
    /// belong. If a line ends earlier, its name is beside its last point.
    fn names(&self, plane: &Plane) -> Value {
        let ends = self.series.iter().filter_map(|series| Some((series, series.points.last()?)));
        let (named, early): (Vec<_>, Vec<_>) =
            ends.partition(|(_, point)| Some(&point.threads) == plane.threads.last());
        let heights = named.iter().map(|(_, point)| plane.values.at(point.value));
        let heights: Vec<f64> = heights.collect();
        let room = plane.bottom - plane.top + 10.0;
        let distance = (LETTER * ROOM).min(room / heights.len().max(1) as f64);
        let places = apart(&heights, distance, plane.top, plane.bottom + 4.0);
        let name = |(series, point): (&Series, &Point)| {
            let (x, y) = plane.at(point.threads, point.value);
            let ink = Style::of(series.slot).ink;
            context! { key => key(series.slot), name => &series.name, ink, x, y }
        };
        let named = named.into_iter().zip(places);
        let named = named.map(|(end, place)| context! { place, ..name(end) });
        named.chain(early.into_iter().map(name)).collect()
    }
}
