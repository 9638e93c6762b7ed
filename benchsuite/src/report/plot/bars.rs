//! A figure per command as horizontal bars from zero, the shortest on top.
//!
//! What cannot be ranked comes last, hatched in grey, with the reason below it.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::room::{Frame, widest, width};
use super::scale::{Level, Scale};
use crate::format::Unit;

/// How high a bar is with the gap to the next.
const ROW_HEIGHT: f64 = 27.0;
/// How high a bar is, in the middle of its row.
const BAR_HEIGHT: f64 = 18.0;
/// How high a line of words below a bar is.
const NOTE_HEIGHT: f64 = 15.0;

#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct Bar {
    pub(in crate::report) label: String,
    /// `None`: there is none, see the reason.
    pub(in crate::report) value: Option<f64>,
    /// The MAD of the value.
    pub(in crate::report) around: f64,
    /// Whether it is of `hs`, and ranked.
    pub(in crate::report) is_house: bool,
    /// Why it is not ranked, if it is not.
    pub(in crate::report) reason: Option<String>,
}

impl Bar {
    /// How much room it takes.
    fn height(&self) -> f64 {
        if self.reason.is_some() && self.value.is_some() {
            ROW_HEIGHT + NOTE_HEIGHT
        } else {
            ROW_HEIGHT
        }
    }
}

#[derive(Clone, Debug)]
pub(in crate::report) struct Bars {
    pub(in crate::report) unit: Unit,
    /// In the order they are drawn.
    pub(in crate::report) bars: Vec<Bar>,
    /// The least value possible.
    pub(in crate::report) floor: Option<Level>,
}

impl Bars {
    /// Whether there is anything to draw.
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.bars.iter().all(|bar| bar.value.is_none())
    }

    /// What is drawn, and where.
    pub(in crate::report) fn marks(&self, frame: &Frame<'_>) -> Value {
        let unit = self.unit;
        let top = frame.top() + if self.floor.is_some() { 20.0 } else { 4.0 };
        let mut below = top;
        let bars = self.bars.iter().map(|bar| {
            let (top, height) = (below, bar.height());
            below += height;
            // The base line of the reason: below the bar, or in its place.
            let note = top + if bar.value.is_some() { ROW_HEIGHT + 8.0 } else { ROW_HEIGHT / 2.0 + 4.0 };
            context! { top, height, middle => top + ROW_HEIGHT / 2.0, thick => BAR_HEIGHT, note, ..Serde(bar) }
        });
        let bars: Value = bars.collect();
        let bottom = below + 2.0;
        let axis = self.axis(frame);
        let shown = |bar: &Bar| Some(format!("{} {}", bar.label, unit.show(bar.value?)));
        let shown: Vec<String> = self.bars.iter().filter_map(shown).collect();
        let floor = self.floor.as_ref().map(|floor| {
            let (at, half) = (axis.at(floor.value), width(&floor.label) / 2.0);
            let middle = at.clamp(half.min(frame.width / 2.0), (frame.width - half).max(half));
            context! { at, middle, label => &floor.label }
        });
        context! {
            kind => "bars",
            about => format!(": {}.", shown.join(", ")),
            height => bottom + 38.0,
            show => Value::from_function(move |value: f64| unit.show(value)),
            around => Value::from_function(move |value: f64, by: f64| unit.around(value, by)),
            axis => axis.marks(),
            top, bottom, bars, floor,
        }
    }

    fn axis(&self, frame: &Frame<'_>) -> Scale {
        let ends = self.bars.iter().filter_map(|bar| Some(bar.value? + bar.around));
        let largest = ends.chain(self.floor.iter().map(|floor| floor.value)).fold(0.0, f64::max);
        let values = self.bars.iter().filter_map(|bar| bar.value);
        let values: Vec<String> = values.map(|value| self.unit.show(value)).collect();
        let label = widest(self.bars.iter().map(|bar| &bar.label));
        let left = (label + 8.0).min(frame.width * 0.36);
        let right = frame.width - widest(values.iter()) - 12.0;
        Scale::linear(largest, 4, self.unit).between(left, right)
    }
}
