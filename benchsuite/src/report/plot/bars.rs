//! A figure per command as horizontal bars from zero, the shortest on top.
//!
//! What cannot be ranked comes last, hatched in grey, with the reason below it.

use super::scale::{Level, Scale};
use super::svg::{Frame, Stroke, Svg, Words, fit, widest, width};
use crate::format::Unit;

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

    /// How much room it takes.
    fn height(&self) -> f64 {
        if self.reason().is_some() && self.value.is_some() { ROW + NOTE } else { ROW }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Bars {
    pub(crate) unit: Unit,
    /// In the order they are drawn.
    pub(crate) bars: Vec<Bar>,
    /// The least value possible.
    pub(crate) floor: Option<Level>,
}

impl Bars {
    /// Whether there is anything to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.bars.iter().all(|bar| bar.value.is_none())
    }

    /// The drawing as SVG.
    pub(super) fn draw(&self, title: &str, frame: &Frame) -> String {
        let top = frame.top() + if self.floor.is_some() { 20.0 } else { 4.0 };
        let bottom = top + self.bars.iter().map(Bar::height).sum::<f64>() + 2.0;
        let values = self.values(frame);
        let mut svg = frame.draw("bars", bottom + 38.0, title, &self.description(title));
        values.draw_below(&mut svg, bottom, values.name, Scale::grid(top, bottom));
        let mut y = top;
        let rows = self.bars.iter().map(|bar| {
            let above = y;
            y += bar.height();
            (bar, above)
        });
        let rows: Vec<(&Bar, f64)> = rows.collect();
        for (bar, y) in &rows {
            self.draw_bar(&mut svg, &values, bar, *y);
        }
        self.draw_floor(&mut svg, &values, (top, bottom), frame.width);
        // Reasons lie above everything: they have to be read.
        for (bar, y) in rows {
            draw_reason(&mut svg, values.at(0.0), bar, y, frame.width);
        }
        svg.finish()
    }

    fn values(&self, frame: &Frame) -> Scale {
        let ends = self.bars.iter().filter_map(|bar| Some(bar.value? + bar.around));
        let largest = ends.chain(self.floor.iter().map(|floor| floor.value)).fold(0.0, f64::max);
        let values = self.bars.iter().filter_map(|bar| bar.value);
        let values: Vec<String> = values.map(|value| self.unit.show(value)).collect();
        let label = widest(self.bars.iter().map(|bar| &bar.label));
        let left = (label + 8.0).min(frame.width * 0.36);
        let right = frame.width - widest(values.iter()) - 12.0;
        Scale::linear(largest, 4, self.unit).between(left, right)
    }

    /// In words, for those who cannot see it.
    fn description(&self, title: &str) -> String {
        let shown = |bar: &Bar| Some(format!("{} {}", bar.label, self.unit.show(bar.value?)));
        let bars: Vec<String> = self.bars.iter().filter_map(shown).collect();
        format!("{title}: {}.", bars.join(", "))
    }

    fn draw_bar(&self, svg: &mut Svg, values: &Scale, bar: &Bar, y: f64) {
        let (left, middle) = (values.at(0.0), y + ROW / 2.0);
        let reason = bar.reason();
        let value = bar.value.map(|value| self.unit.around(value, bar.around));
        let about = [Some(bar.label.clone()), value, reason.map(str::to_owned)];
        svg.open(if reason.is_some() { "bar unranked" } else { "bar" }, &[]);
        svg.title(&about.into_iter().flatten().collect::<Vec<_>>().join(" · "));
        let words = Words::new(if reason.is_some() { "muted" } else { "text" });
        let name = if bar.standing == Standing::House { words.bold() } else { words };
        svg.words((left - 8.0, middle + 4.0), &fit(&bar.label, left - 8.0), name.end());
        if let Some(value) = bar.value {
            let corner = (left, middle - THICK / 2.0);
            let size = (values.at(value) - left, THICK);
            match &bar.standing {
                Standing::House => svg.rect(corner, size, "accent", "value"),
                Standing::Rival => svg.rect(corner, size, "rival", "value"),
                Standing::Unranked(_) => hatch(svg, corner, size),
            }
            let end = whisker(svg, values, value, bar.around, middle);
            svg.words((end + 6.0, middle + 4.0), &self.unit.show(value), name.halo());
        }
        svg.close();
        svg.line((left, y), (left, y + bar.height()), Stroke::solid("axis", 1.0));
    }

    fn draw_floor(
        &self,
        svg: &mut Svg,
        values: &Scale,
        (top, bottom): (f64, f64),
        width_of_all: f64,
    ) {
        let Some(floor) = &self.floor else { return };
        let x = values.at(floor.value);
        svg.open("floor", &[("v", &floor.label)]);
        svg.line((x, top - 2.0), (x, bottom), Stroke::level("floor"));
        let half = width(&floor.label) / 2.0;
        let middle = x.clamp(half.min(width_of_all / 2.0), (width_of_all - half).max(half));
        svg.words((middle, top - 7.0), &floor.label, Words::new("floor").middle());
        svg.close();
    }
}

/// Why a bar is not ranked: below it, or in its place where there is none.
fn draw_reason(svg: &mut Svg, left: f64, bar: &Bar, y: f64, width: f64) {
    let Some(reason) = bar.reason() else { return };
    let middle = y + ROW / 2.0;
    let line = if bar.value.is_some() { middle + THICK / 2.0 + 12.5 } else { middle + 4.0 };
    let words = Words::new("bad").halo();
    svg.words((left + 5.0, line), &fit(reason, width - left - 8.0), words);
}

/// Draws the whisker of a bar, and returns where both end.
fn whisker(svg: &mut Svg, values: &Scale, value: f64, around: f64, middle: f64) -> f64 {
    if around <= 0.0 {
        return values.at(value);
    }
    let (from, to) = (values.at(value - around), values.at(value + around));
    let stroke = Stroke::solid("text", 1.2);
    svg.line((from, middle), (to, middle), stroke);
    for x in [from, to] {
        svg.line((x, middle - 4.0), (x, middle + 4.0), stroke);
    }
    to
}

/// A bar of slanted lines, clipped by hand: a pattern would need an id that is unique in its page.
fn hatch(svg: &mut Svg, corner: (f64, f64), size: (f64, f64)) {
    let ((x, y), (width, height)) = (corner, size);
    svg.rect(corner, size, "grid", "value");
    let mut start = -height;
    while start < width {
        // The line climbs from (start, bottom) to (start + height, top).
        let (from, to) = (start.max(0.0), (start + height).min(width));
        let at = |along: f64| (x + along, y + height - (along - start));
        svg.line(at(from), at(to), Stroke::solid("axis", 1.0));
        start += 6.0;
    }
}
