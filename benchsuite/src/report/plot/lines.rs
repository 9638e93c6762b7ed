//! A figure against the number of threads: a line per series, the spread as a band around it.
//!
//! Each series has its colour, its marker and its dashes, and its name at its right end, so that
//! a reader needs neither colours nor the legend. Threads lie on an axis of
//! doublings with a label at each number that was measured; the region with more threads than cores
//! is shaded and labelled.

use super::frame::{Frame, Level};
use super::ink::{Ink, Inks};
use super::scale::{Doublings, Scale, apart};
use super::style::{Style, marker};
use super::svg::{Anchor, LETTER, ROOM, Stroke, Svg, Words, fit, short, width};
use crate::report::format::Unit;

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
pub(crate) struct LineChart {
    pub(crate) title: String,
    pub(crate) unit: Unit,
    /// How many threads can run at once.
    pub(crate) cores: usize,
    pub(crate) series: Vec<Series>,
    /// The least value possible.
    pub(crate) floor: Option<Level>,
    /// Whether to draw one times the time of one thread per core, for speed-ups.
    pub(crate) has_ideal: bool,
    /// Whether figures may differ by orders of magnitude, so that only a logarithm shows them all.
    pub(crate) may_log: bool,
}

/// The axes of the drawing.
struct Plane {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    threads: Doublings,
    values: Scale,
}

impl Plane {
    fn x(&self, threads: f64) -> f64 {
        // The outermost points keep a little distance from the edges of the plot.
        let (left, right) = (self.left + 10.0, self.right - 8.0);
        left + self.threads.place(threads) * (right - left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.values.place(value) * (self.bottom - self.top)
    }
}

impl LineChart {
    /// Whether there is anything to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    /// The drawing as SVG.
    pub(crate) fn draw(&self, frame: &Frame) -> String {
        let measured = self.measured();
        let plane = self.plane(frame, &measured);
        let size = (frame.width, frame.height);
        let mut svg = Svg::new("lines", size, &self.description(), frame.inks);
        if frame.is_titled {
            svg.words((14.0, 22.0), &self.title, Words::new(Ink::Text).bold());
        }
        self.draw_crowd(&mut svg, &plane, &measured);
        self.draw_axes(&mut svg, &plane, &measured);
        self.draw_levels(&mut svg, &plane);
        for series in &self.series {
            self.draw_series(&mut svg, &plane, series);
        }
        self.draw_names(&mut svg, &plane, frame);
        svg.finish()
    }

    /// Every number of threads that was measured, sorted.
    fn measured(&self) -> Vec<usize> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let mut threads: Vec<usize> = points.map(|point| point.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    fn plane(&self, frame: &Frame, measured: &[usize]) -> Plane {
        let points = self.series.iter().flat_map(|series| &series.points);
        let values: Vec<f64> = points.clone().map(|point| point.value).collect();
        let top = points.map(|point| point.value + point.around);
        let mut largest = top.chain(self.floor.iter().map(|floor| floor.value)).fold(0.0, f64::max);
        if self.has_ideal {
            let most = measured.last().copied().unwrap_or(1).min(self.cores);
            largest = largest.max(most as f64);
        }
        let least = values.into_iter().fold(f64::INFINITY, f64::min);
        let is_wide = self.may_log && largest > 100.0 && largest > 50.0 * least;
        let (unit, _) = self.unit.of(largest);
        // A little room above the highest point, for its marker and for labels.
        let values =
            if is_wide { Scale::log(largest) } else { Scale::linear(largest * 1.08, 5, unit) };
        let name = self.series.iter().map(|series| width(&series.name)).fold(0.0, f64::max);
        let label = |tick: &f64| width(&self.tick(&values, *tick));
        let ticks = values.ticks.iter().map(label).fold(0.0, f64::max);
        Plane {
            left: ticks + 10.0,
            right: frame.width - (name + 20.0).clamp(40.0, frame.width * 0.27),
            top: frame.top() + 24.0,
            bottom: frame.height - 40.0,
            threads: Doublings::of(measured),
            values,
        }
    }

    /// The label of a tick, without its unit.
    fn tick(&self, values: &Scale, tick: f64) -> String {
        let (divisor, _) = self.unit.of(values.max);
        self.unit.tick(tick, divisor, values.decimals(divisor))
    }

    /// In words, for those who cannot see it.
    fn description(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        format!("{}, against the number of threads. Series: {}.", self.title, names.join(", "))
    }

    /// The region in which threads have to wait for one another.
    fn draw_crowd(&self, svg: &mut Svg, plane: &Plane, measured: &[usize]) {
        let Some(first) = measured.iter().copied().find(|threads| *threads > self.cores) else {
            return;
        };
        let last = measured.iter().copied().filter(|threads| *threads <= self.cores).max();
        let from = last.map_or(plane.left, |last| {
            (plane.x(last.max(self.cores) as f64) + plane.x(first as f64)) / 2.0
        });
        let height = plane.bottom - plane.top;
        svg.rect((from, plane.top), (plane.right - from, height), Ink::Shade, "crowd");
        let room = plane.right - from - 8.0;
        let label = ["more threads than cores", "threads > cores", "> cores"]
            .into_iter()
            .find(|label| width(label) <= room);
        if let Some(label) = label {
            let words = Words::new(Ink::Muted).at(Anchor::End);
            svg.words((plane.right - 2.0, plane.top - 8.0), label, words);
        }
    }

    fn draw_axes(&self, svg: &mut Svg, plane: &Plane, measured: &[usize]) {
        let (_, name) = self.unit.of(plane.values.max);
        let muted = Words::new(Ink::Muted);
        for tick in &plane.values.ticks {
            let y = plane.y(*tick);
            let stroke = Stroke::solid(if *tick == 0.0 { Ink::Axis } else { Ink::Grid }, 1.0);
            svg.line((plane.left, y), (plane.right, y), stroke);
            let text = self.tick(&plane.values, *tick);
            svg.words((plane.left - 5.0, y + 4.0), &text, muted.at(Anchor::End));
        }
        let name = if plane.values.is_log() { "logarithmic" } else { name };
        svg.words((4.0, plane.top - 8.0), name, muted);
        let mut free = f64::NEG_INFINITY;
        for threads in measured {
            let x = plane.x(*threads as f64);
            let tick = Stroke::solid(Ink::Axis, 1.0);
            svg.line((x, plane.bottom), (x, plane.bottom + 4.0), tick);
            let text = threads.to_string();
            let half = width(&text) / 2.0;
            if x - half > free {
                svg.words((x, plane.bottom + 16.5), &text, muted.at(Anchor::Middle));
                free = x + half + 2.0;
            }
        }
        let middle = (plane.left + plane.right) / 2.0;
        svg.words((middle, plane.bottom + 33.0), "threads (-j)", muted.at(Anchor::Middle));
    }

    /// The floor, and what cores alone would allow.
    fn draw_levels(&self, svg: &mut Svg, plane: &Plane) {
        if let Some(floor) = &self.floor {
            let y = plane.y(floor.value);
            svg.open("floor", &[("v", &floor.label)]);
            let stroke = Stroke { ink: Ink::Floor, width: 1.4, dash: "6 4" };
            svg.line((plane.left, y), (plane.right, y), stroke);
            let words = Words::new(Ink::Floor).halo();
            svg.words((plane.left + 6.0, y + 15.0), &floor.label, words);
            svg.close();
        }
        let measured = self.measured();
        if let (true, Some(least), Some(most)) = (self.has_ideal, measured.first(), measured.last())
        {
            let bend = self.cores.clamp(*least, *most);
            let at = |threads: usize| {
                let ideal = threads.min(self.cores) as f64;
                (plane.x(threads as f64), plane.y(ideal))
            };
            let mut points: Vec<(f64, f64)> = measured.iter().map(|threads| at(*threads)).collect();
            points.push(at(bend));
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            svg.open("ideal", &[]);
            svg.polyline(&points, Stroke { ink: Ink::Axis, width: 1.4, dash: "6 4" });
            let (x, y) = at(*most);
            let words = Words::new(Ink::Muted).at(Anchor::End).halo();
            svg.words((x, y - 5.0), "as many as cores", words);
            svg.close();
        }
    }

    fn draw_series(&self, svg: &mut Svg, plane: &Plane, series: &Series) {
        let style = Style::of(series.slot);
        let at = |value: f64, point: &Point| (plane.x(point.threads as f64), plane.y(value));
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
    /// belong.
    fn draw_names(&self, svg: &mut Svg, plane: &Plane, frame: &Frame) {
        let most = self.measured().last().copied().unwrap_or(1);
        let reaches = |series: &&Series| series.points.last().is_some_and(|p| p.threads == most);
        let named: Vec<&Series> = self.series.iter().filter(reaches).collect();
        let ends: Vec<f64> = named
            .iter()
            .filter_map(|series| series.points.last())
            .map(|point| plane.y(point.value))
            .collect();
        let distance =
            (LETTER * ROOM).min((plane.bottom - plane.top + 10.0) / ends.len().max(1) as f64);
        let places = apart(&ends, distance, plane.top, plane.bottom + 4.0);
        let (x, label) = (plane.x(most as f64), plane.right + 10.0);
        for ((series, end), place) in named.iter().zip(&ends).zip(&places) {
            let ink = Style::of(series.slot).ink;
            open_series(svg, "series name", series);
            let path = format!(
                "M{} {}L{} {}L{} {}",
                short(x + 5.0),
                short(*end),
                short(plane.right),
                short(*end),
                short(label - 2.0),
                short(*place)
            );
            svg.path(&path, Stroke::solid(ink, 0.7));
            let name = fit(&series.name, frame.width - label);
            svg.words((label, place + 4.0), &name, Words::new(ink));
            svg.close();
        }
        for series in self.series.iter().filter(|series| !reaches(series)) {
            if let Some(point) = series.points.last() {
                open_series(svg, "series name", series);
                let at = (plane.x(point.threads as f64) + 7.0, plane.y(point.value) - 5.0);
                let words = Words::new(Style::of(series.slot).ink).halo();
                svg.words(at, &series.name, words);
                svg.close();
            }
        }
    }
}

fn open_series(svg: &mut Svg, class: &str, series: &Series) {
    let slot = series.slot.map_or_else(|| "hs".to_owned(), |slot| slot.to_string());
    svg.open(class, &[("series", &slot), ("name", &series.name)]);
}

/// A line with a marker in its middle, as a legend shows it.
pub(crate) fn sample(slot: Option<usize>) -> String {
    let style = Style::of(slot);
    let mut svg = Svg::new("sample", (34.0, 12.0), "", Inks::Variables);
    svg.line((0.0, 6.0), (34.0, 6.0), Stroke { ink: style.ink, width: 1.8, dash: style.dash });
    svg.shape(&marker(style.marker, 17.0, 6.0, 4.2), style.ink);
    svg.finish()
}
