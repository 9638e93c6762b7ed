//! Every task in one picture: a line per task, a dot per program at its time as a multiple of the
//! floor, on a logarithmic axis.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::room::{Frame, widest, width};
use super::scale::Scale;
use super::style::Style;

/// The height of a line.
const ROW_HEIGHT: f64 = 22.0;

/// How high a line in the legend is.
const KEY_HEIGHT: f64 = 18.0;

/// The row of a task.
#[derive(Clone, Debug)]
pub(in crate::report) struct DotRow {
    pub(in crate::report) label: String,
    /// A program's index in [`Dots::programs`], and its time as a multiple of the floor.
    pub(in crate::report) dots: Vec<(usize, f64)>,
}

#[derive(Clone, Debug)]
pub(in crate::report) struct Dots {
    /// `hs` first, then its rivals.
    pub(in crate::report) programs: Vec<String>,
    pub(in crate::report) tasks: Vec<DotRow>,
}

impl Dots {
    /// What is drawn, and where.
    pub(in crate::report) fn marks(&self, frame: &Frame<'_>) -> Value {
        let keys = self.keys(frame);
        let top = keys.last().map_or(frame.top(), |key| key.1) + 18.0;
        let bottom = top + ROW_HEIGHT * self.tasks.len() as f64;
        let programs = self.programs.iter().zip(keys).enumerate();
        let programs = programs.map(|(index, (name, (x, y)))| {
            // `hs` has a marker of its own.
            let style = Serde(Style::of((index > 0).then_some(index)));
            context! { name, x, y, style }
        });
        let tasks = self.tasks.iter().enumerate().map(|(number, task)| {
            let y = top + ROW_HEIGHT * (number as f64 + 0.5);
            context! { y, label => &task.label, dots => Serde(&task.dots) }
        });
        context! {
            kind => "dots",
            about => format!(". Programs: {}.", self.programs.join(", ")),
            height => bottom + 38.0,
            axis => self.axis(frame).marks(),
            programs => programs.collect::<Value>(),
            tasks => tasks.collect::<Value>(),
            top, bottom,
        }
    }

    /// The position of each program in the legend.
    fn keys(&self, frame: &Frame<'_>) -> Vec<(f64, f64)> {
        let (mut x, mut y) = (4.0, frame.top() + 8.0);
        let mut keys = Vec::new();
        for name in &self.programs {
            let room = width(name) + 24.0;
            if x + room > frame.width && x > 4.0 {
                (x, y) = (4.0, y + KEY_HEIGHT);
            }
            keys.push((x, y));
            x += room;
        }
        keys
    }

    fn axis(&self, frame: &Frame<'_>) -> Scale {
        let ratios = || self.tasks.iter().flat_map(|task| task.dots.iter().map(|dot| dot.1));
        let (least, most) = (ratios().fold(0.9, f64::min), ratios().fold(2.0, f64::max));
        let label = widest(self.tasks.iter().map(|task| &task.label));
        let left = (label + 8.0).min(frame.width * 0.36);
        Scale::ratios(least * 0.95, most * 1.1).between(left, frame.width - 14.0)
    }
}
