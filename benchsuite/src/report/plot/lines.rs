//! A figure against the number of threads: a line per series, the spread as a band around it.
//!
//! Each series has its colour, its marker and its dashes, and its name at its right end, so that
//! a reader needs neither colours nor the legend. Threads lie on an axis of
//! doublings with a label at each number that was measured; the region with more threads than cores
//! is shaded and labelled.

use super::scale::{Level, Scale, apart};
use super::style::{Style, marker};
use super::svg::{Frame, LETTER, ROOM, Stroke, Svg, Words, fit, short, widest, width};
use crate::format::Unit;

#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// Which colour, marker and dashes; `None`: those of `hs` as it is.
    pub(crate) slot: Option<usize>,
    pub(crate) name: String,
    /// In the order of their threads.
    pub(crate) points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) threads: usize,
    pub(crate) value: f64,
    /// The MAD of the value.
    pub(crate) around: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) unit: Unit,
    /// How many threads can run at once.
    pub(crate) cores: usize,
    pub(crate) series: Vec<Series>,
    /// The least value possible.
    pub(crate) floor: Option<Level>,
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

impl Lines {
    /// Whether there is anything to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    /// The drawing as SVG.
    pub(super) fn draw(&self, title: &str, frame: &Frame) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let names = names.join(", ");
        let about = format!("{title}. Series: {names}.");
        let mut svg = frame.draw("lines", frame.height, title, &about);
        let plane = self.plane(frame);
        self.draw_crowd(&mut svg, &plane);
        draw_axes(&mut svg, &plane);
        self.draw_floor(&mut svg, &plane);
        if self.has_ideal() {
            self.draw_ideal(&mut svg, &plane);
        }
        for series in &self.series {
            self.draw_series(&mut svg, &plane, series);
        }
        self.draw_names(&mut svg, &plane, frame);
        svg.finish()
    }

    /// Whether to draw what cores alone would allow, for speed-ups.
    fn has_ideal(&self) -> bool {
        self.unit == Unit::Ratio
    }

    fn plane(&self, frame: &Frame) -> Plane {
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
    fn draw_crowd(&self, svg: &mut Svg, plane: &Plane) {
        let Some(first) = plane.threads.iter().copied().find(|threads| *threads > self.cores)
        else {
            return;
        };
        let last = plane.threads.iter().copied().filter(|threads| *threads <= self.cores).max();
        let from = last.map_or(plane.left, |last| {
            let cores = last.max(self.cores) as f64;
            f64::midpoint(plane.across.at(cores), plane.across.at(first as f64))
        });
        let height = plane.bottom - plane.top;
        svg.rect((from, plane.top), (plane.right - from, height), "shade", "crowd");
        let room = plane.right - from - 8.0;
        let label = ["more threads than cores", "threads > cores", "> cores"]
            .into_iter()
            .find(|label| width(label) <= room);
        if let Some(label) = label {
            let words = Words::new("muted").end();
            svg.words((plane.right - 2.0, plane.top - 8.0), label, words);
        }
    }

    fn draw_floor(&self, svg: &mut Svg, plane: &Plane) {
        let Some(floor) = &self.floor else { return };
        let y = plane.values.at(floor.value);
        svg.open("floor", &[("v", &floor.label)]);
        svg.line((plane.left, y), (plane.right, y), Stroke::level("floor"));
        svg.words((plane.left + 6.0, y + 15.0), &floor.label, Words::new("floor").halo());
        svg.close();
    }

    /// A speed-up of one for each core.
    fn draw_ideal(&self, svg: &mut Svg, plane: &Plane) {
        let (Some(least), Some(most)) = (plane.threads.first(), plane.threads.last()) else {
            return;
        };
        let at = |threads: usize| plane.at(threads, threads.min(self.cores) as f64);
        let mut threads = plane.threads.clone();
        threads.push(self.cores.clamp(*least, *most));
        threads.sort_unstable();
        let points: Vec<(f64, f64)> = threads.into_iter().map(at).collect();
        svg.open("ideal", &[]);
        svg.polyline(&points, Stroke::level("axis"));
        let (x, y) = at(*most);
        svg.words((x, y - 5.0), "as many as cores", Words::new("muted").end().halo());
        svg.close();
    }

    fn draw_series(&self, svg: &mut Svg, plane: &Plane, series: &Series) {
        let style = Style::of(series.slot);
        let at = |value: f64, point: &Point| plane.at(point.threads, value);
        open_series(svg, "series", series);
        svg.title(&series.name);
        let upper = series.points.iter().map(|point| at(point.value + point.around, point));
        let lower = series.points.iter().rev().map(|point| at(point.value - point.around, point));
        if series.points.len() > 1 {
            if series.points.iter().any(|point| point.around > 0.0) {
                svg.veil(&upper.chain(lower).collect::<Vec<_>>(), style.ink);
            }
            let line: Vec<(f64, f64)> = series.points.iter().map(|p| at(p.value, p)).collect();
            svg.polyline(&line, Stroke { ink: style.ink, width: 1.8, dash: style.dash });
        }
        for point in &series.points {
            let (x, y) = at(point.value, point);
            let value = self.unit.around(point.value, point.around);
            let threads = point.threads.to_string();
            svg.open("point", &[("j", &threads), ("x", &short(x)), ("v", &value)]);
            svg.title(&format!("{} -j{threads}: {value}", series.name));
            svg.shape(&marker(style.marker, x, y, 3.8), style.ink);
            svg.close();
        }
        svg.close();
    }

    /// Names at the right ends, moved apart where they would overlap, with a line to where they
    /// belong; those of lines that end earlier beside their last point.
    fn draw_names(&self, svg: &mut Svg, plane: &Plane, frame: &Frame) {
        let most = plane.threads.last().copied();
        let last = |series: &'_ Series| series.points.last().copied();
        let ends = self.series.iter().filter_map(|series| Some((series, last(series)?)));
        let (named, early): (Vec<_>, Vec<_>) =
            ends.partition(|(_, point)| Some(point.threads) == most);
        let heights: Vec<f64> =
            named.iter().map(|(_, point)| plane.values.at(point.value)).collect();
        let room = plane.bottom - plane.top + 10.0;
        let distance = (LETTER * ROOM).min(room / heights.len().max(1) as f64);
        let places = apart(&heights, distance, plane.top, plane.bottom + 4.0);
        let label = plane.right + 10.0;
        for (((series, point), end), place) in named.into_iter().zip(heights).zip(places) {
            let ink = Style::of(series.slot).ink;
            open_series(svg, "series name", series);
            let from = plane.across.at(point.threads as f64) + 5.0;
            let path = [(from, end), (plane.right, end), (label - 2.0, place)];
            svg.polyline(&path, Stroke::solid(ink, 0.7));
            let name = fit(&series.name, frame.width - label);
            svg.words((label, place + 4.0), &name, Words::new(ink));
            svg.close();
        }
        for (series, point) in early {
            open_series(svg, "series name", series);
            let (x, y) = plane.at(point.threads, point.value);
            let words = Words::new(Style::of(series.slot).ink).halo();
            svg.words((x + 7.0, y - 5.0), &series.name, words);
            svg.close();
        }
    }
}

fn draw_axes(svg: &mut Svg, plane: &Plane) {
    let muted = Words::new("muted");
    for (tick, label) in &plane.values.ticks {
        let y = plane.values.at(*tick);
        let stroke = Stroke::solid(if *tick == 0.0 { "axis" } else { "grid" }, 1.0);
        svg.line((plane.left, y), (plane.right, y), stroke);
        svg.words((plane.left - 5.0, y + 4.0), label, muted.end());
    }
    svg.words((4.0, plane.top - 8.0), plane.values.name, muted);
    let bottom = plane.bottom;
    plane.across.draw_below(svg, bottom, "threads (-j)", |svg, x, _| {
        svg.line((x, bottom), (x, bottom + 4.0), Stroke::solid("axis", 1.0));
    });
}

fn open_series(svg: &mut Svg, class: &str, series: &Series) {
    let slot = series.slot.map_or_else(|| "hs".to_owned(), |slot| slot.to_string());
    svg.open(class, &[("series", &slot), ("name", &series.name)]);
}

/// A line with a marker in its middle, as a legend shows it.
pub(crate) fn sample(slot: Option<usize>) -> String {
    let style = Style::of(slot);
    let mut svg = Svg::new("sample", (34.0, 12.0), "");
    svg.line((0.0, 6.0), (34.0, 6.0), Stroke { ink: style.ink, width: 1.8, dash: style.dash });
    svg.shape(&marker(style.marker, 17.0, 6.0, 4.2), style.ink);
    svg.finish()
}
