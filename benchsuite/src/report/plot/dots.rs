//! Every task in one picture: a line per task, a dot per program at its time as a multiple of the
//! floor, on a logarithmic axis.

use super::scale::Scale;
use super::style::{Style, marker};
use super::svg::{Frame, Stroke, Svg, Words, fit, widest, width};
use crate::format::digits;

/// The height of a line.
const ROW: f64 = 22.0;

/// The height of a line of the legend.
const KEY: f64 = 18.0;

#[derive(Clone, Debug)]
pub(in crate::report) struct Task {
    pub(in crate::report) label: String,
    /// The index of a program in [`Dots::programs`], and its time as a multiple of the floor.
    pub(in crate::report) dots: Vec<(usize, f64)>,
}

#[derive(Clone, Debug)]
pub(in crate::report) struct Dots {
    /// `hs` first, then its rivals.
    pub(in crate::report) programs: Vec<String>,
    pub(in crate::report) tasks: Vec<Task>,
}

/// Draws the marker of a program; `hs`, which comes first, has one of its own.
fn draw_marker(svg: &mut Svg, program: usize, (x, y): (f64, f64)) {
    let style = Style::of((program > 0).then_some(program));
    svg.shape(&marker(style.marker, x, y, 4.2), style.ink);
}

impl Dots {
    /// The drawing as SVG.
    pub(super) fn draw(&self, title: &str, frame: &Frame) -> String {
        let keys = self.keys(frame);
        let top = keys.last().map_or(frame.top(), |key| key.1) + 18.0;
        let bottom = top + ROW * self.tasks.len() as f64;
        let ratios = self.ratios(frame);
        let about = format!("{title}. Programs: {}.", self.programs.join(", "));
        let mut svg = frame.draw("dots", bottom + 38.0, title, &about);
        for (program, ((x, y), name)) in keys.into_iter().zip(&self.programs).enumerate() {
            draw_marker(&mut svg, program, (x + 5.0, y));
            svg.words((x + 13.0, y + 4.0), name, Words::new("text"));
        }
        let name = "times the floor, logarithmic";
        ratios.draw_below(&mut svg, bottom, name, |svg, x, ratio| {
            let is_floor = ratio == 1.0;
            let stroke = if is_floor { Stroke::level("floor") } else { Stroke::solid("grid", 1.0) };
            svg.line((x, top), (x, bottom), stroke);
        });
        for (number, task) in self.tasks.iter().enumerate() {
            self.draw_task(&mut svg, &ratios, task, top + ROW * (number as f64 + 0.5));
        }
        svg.finish()
    }

    fn draw_task(&self, svg: &mut Svg, ratios: &Scale, task: &Task, y: f64) {
        let (left, right) = ratios.ends();
        let label = fit(&task.label, left - 8.0);
        svg.words((left - 8.0, y + 4.0), &label, Words::new("text").end());
        svg.line((left, y), (right, y), Stroke::solid("grid", 0.7));
        // `hs` is drawn last, above the others.
        for &(program, ratio) in task.dots.iter().rev() {
            svg.open("dot", &[]);
            let name = &self.programs[program];
            svg.title(&format!("{}: {name}, {} times the floor", task.label, digits(ratio)));
            draw_marker(svg, program, (ratios.at(ratio), y));
            svg.close();
        }
    }

    /// The position of each program in the legend.
    fn keys(&self, frame: &Frame) -> Vec<(f64, f64)> {
        let (mut x, mut y) = (4.0, frame.top() + 8.0);
        let mut keys = Vec::new();
        for name in &self.programs {
            let room = width(name) + 24.0;
            if x + room > frame.width && x > 4.0 {
                (x, y) = (4.0, y + KEY);
            }
            keys.push((x, y));
            x += room;
        }
        keys
    }

    fn ratios(&self, frame: &Frame) -> Scale {
        let ratios = || self.tasks.iter().flat_map(|task| task.dots.iter().map(|dot| dot.1));
        let (least, most) = (ratios().fold(0.9, f64::min), ratios().fold(2.0, f64::max));
        let label = widest(self.tasks.iter().map(|task| &task.label));
        let left = (label + 8.0).min(frame.width * 0.36);
        Scale::ratios(least * 0.95, most * 1.1).between(left, frame.width - 14.0)
    }
}
