//! A figure per command as horizontal bars from zero, the shortest on top.
//!
//! What cannot be ranked comes last, hatched in grey, with the reason below it.

use super::frame::{Frame, Level};
use super::ink::Ink;
use super::scale::Scale;
use super::svg::{Anchor, Stroke, Svg, Words, fit, width};
use crate::report::format::Unit;

/// Height of a bar and of the gap to the next.
const ROW: f64 = 27.0;
/// Height of a bar alone.
const THICK: f64 = 18.0;
/// Height of a line of words below a bar.
const NOTE: f64 = 15.0;

/// How a bar is ranked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    House,
    Rival,
    /// Not to be compared, and why.
    Unranked(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    /// `None`: there is none, see the standing.
    pub(crate) value: Option<f64>,
    /// The MAD of the value.
    pub(crate) around: f64,
    pub(crate) standing: Standing,
}

impl Bar {
    /// Why it is not ranked, if it is not.
    fn reason(&self) -> Option<&str> {
        match &self.standing {
            Standing::Unranked(reason) => Some(reason),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct BarChart {
    pub(crate) title: String,
    pub(crate) unit: Unit,
    /// In the order they are drawn.
    pub(crate) bars: Vec<Bar>,
    /// The least value possible.
    pub(crate) floor: Option<Level>,
}

/// The axes of the drawing.
struct Plane {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    values: Scale,
}

impl Plane {
    fn x(&self, value: f64) -> f64 {
        self.left + self.values.place(value) * (self.right - self.left)
    }
}

impl BarChart {
    /// Whether there is anything to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.bars.iter().all(|bar| bar.value.is_none())
    }

    /// The drawing as SVG.
    pub(crate) fn draw(&self, frame: &Frame) -> String {
        let plane = self.plane(frame);
        let size = (frame.width, plane.bottom + 38.0);
        let mut svg = Svg::new("bars", size, &self.description(), frame.inks);
        if frame.is_titled {
            svg.words((14.0, 22.0), &self.title, Words::new(Ink::Text).bold());
        }
        self.draw_axis(&mut svg, &plane);
        let mut y = plane.top;
        for bar in &self.bars {
            self.draw_bar(&mut svg, &plane, bar, y);
            y += height(bar);
        }
        self.draw_floor(&mut svg, &plane, frame.width);
        // Reasons lie above everything: they have to be read.
        let mut y = plane.top;
        for bar in &self.bars {
            draw_reason(&mut svg, &plane, bar, y, frame.width);
            y += height(bar);
        }
        svg.finish()
    }

    fn plane(&self, frame: &Frame) -> Plane {
        let ends = self.bars.iter().filter_map(|bar| Some(bar.value? + bar.around));
        let largest = ends.chain(self.floor.iter().map(|floor| floor.value)).fold(0.0, f64::max);
        let label = self.bars.iter().map(|bar| width(&bar.label)).fold(0.0, f64::max);
        let value = self.bars.iter().filter_map(|bar| bar.value);
        let value = value.map(|value| width(&self.unit.show(value))).fold(0.0, f64::max);
        let top = frame.top() + if self.floor.is_some() { 20.0 } else { 4.0 };
        let rows: f64 = self.bars.iter().map(height).sum();
        Plane {
            left: (label + 8.0).min(frame.width * 0.36),
            right: frame.width - value - 12.0,
            top,
            bottom: top + rows + 2.0,
            values: Scale::linear(largest, 4, self.unit.of(largest).0),
        }
    }

    /// In words, for those who cannot see it.
    fn description(&self) -> String {
        let bars: Vec<String> = self
            .bars
            .iter()
            .filter_map(|bar| Some(format!("{} {}", bar.label, self.unit.show(bar.value?))))
            .collect();
        format!("{}: {}.", self.title, bars.join(", "))
    }

    fn draw_axis(&self, svg: &mut Svg, plane: &Plane) {
        let (divisor, name) = self.unit.of(plane.values.max);
        let words = Words::new(Ink::Muted).at(Anchor::Middle);
        let mut free = f64::NEG_INFINITY;
        for tick in &plane.values.ticks {
            let x = plane.x(*tick);
            svg.line((x, plane.top), (x, plane.bottom), Stroke::solid(Ink::Grid, 1.0));
            let text = self.unit.tick(*tick, divisor, plane.values.decimals(divisor));
            let half = width(&text) / 2.0;
            if x - half > free {
                svg.words((x, plane.bottom + 15.0), &text, words);
                free = x + half + 2.0;
            }
        }
        let middle = (plane.left + plane.right) / 2.0;
        svg.words((middle, plane.bottom + 31.0), name, words);
    }

    fn draw_bar(&self, svg: &mut Svg, plane: &Plane, bar: &Bar, y: f64) {
        let middle = y + ROW / 2.0;
        let reason = bar.reason();
        let value = bar.value.map(|value| self.unit.around(value, bar.around));
        let told = [Some(bar.label.clone()), value, reason.map(str::to_owned)];
        svg.open(if reason.is_some() { "bar unranked" } else { "bar" }, &[]);
        svg.title(&told.into_iter().flatten().collect::<Vec<_>>().join(" · "));
        let is_house = bar.standing == Standing::House;
        let words = Words::new(if reason.is_some() { Ink::Muted } else { Ink::Text });
        let name = if is_house { words.bold() } else { words };
        let label = fit(&bar.label, plane.left - 8.0);
        svg.words((plane.left - 8.0, middle + 4.0), &label, name.at(Anchor::End));
        if let Some(value) = bar.value {
            let corner = (plane.left, middle - THICK / 2.0);
            let size = (plane.x(value) - plane.left, THICK);
            match &bar.standing {
                Standing::House => svg.rect(corner, size, Ink::Accent, "value"),
                Standing::Rival => svg.rect(corner, size, Ink::Rival, "value"),
                Standing::Unranked(_) => hatch(svg, corner, size),
            }
            let end = whisker(svg, plane, bar, middle);
            svg.words((end + 6.0, middle + 4.0), &self.unit.show(value), name.halo());
        }
        svg.close();
        svg.line((plane.left, y), (plane.left, y + height(bar)), Stroke::solid(Ink::Axis, 1.0));
    }

    fn draw_floor(&self, svg: &mut Svg, plane: &Plane, width_of_all: f64) {
        let Some(floor) = &self.floor else { return };
        let x = plane.x(floor.value);
        svg.open("floor", &[("v", &floor.label)]);
        let stroke = Stroke { ink: Ink::Floor, width: 1.4, dash: "6 4" };
        svg.line((x, plane.top - 2.0), (x, plane.bottom), stroke);
        let half = width(&floor.label) / 2.0;
        let middle = x.clamp(half.min(width_of_all / 2.0), (width_of_all - half).max(half));
        let words = Words::new(Ink::Floor).at(Anchor::Middle);
        svg.words((middle, plane.top - 7.0), &floor.label, words);
        svg.close();
    }
}

/// Why a bar is not ranked: below it, or in its place where there is none.
fn draw_reason(svg: &mut Svg, plane: &Plane, bar: &Bar, y: f64, width: f64) {
    let Some(reason) = bar.reason() else { return };
    let middle = y + ROW / 2.0;
    let line = if bar.value.is_some() { middle + THICK / 2.0 + 12.5 } else { middle + 4.0 };
    let room = width - plane.left - 8.0;
    svg.words((plane.left + 5.0, line), &fit(reason, room), Words::new(Ink::Bad).halo());
}

/// How much room a bar takes.
fn height(bar: &Bar) -> f64 {
    let has_note = bar.reason().is_some() && bar.value.is_some();
    if has_note { ROW + NOTE } else { ROW }
}

/// Draws the whisker of a bar, and returns where both end.
fn whisker(svg: &mut Svg, plane: &Plane, bar: &Bar, middle: f64) -> f64 {
    let value = bar.value.unwrap_or_default();
    if bar.around <= 0.0 {
        return plane.x(value);
    }
    let (from, to) = (plane.x(value - bar.around), plane.x(value + bar.around));
    let stroke = Stroke::solid(Ink::Text, 1.2);
    svg.line((from, middle), (to, middle), stroke);
    for x in [from, to] {
        svg.line((x, middle - 4.0), (x, middle + 4.0), stroke);
    }
    to
}

/// A bar of slanted lines, clipped by hand: a pattern would need an id that is unique in its page.
fn hatch(svg: &mut Svg, corner: (f64, f64), size: (f64, f64)) {
    let ((x, y), (width, height)) = (corner, size);
    svg.rect(corner, size, Ink::Grid, "value");
    let stroke = Stroke::solid(Ink::Axis, 1.0);
    let mut start = -height;
    while start < width {
        // The line climbs from (start, bottom) to (start + height, top).
        let (from, to) = (start.max(0.0), (start + height).min(width));
        let at = |along: f64| (x + along, y + height - (along - start));
        svg.line(at(from), at(to), stroke);
        start += 6.0;
    }
}
