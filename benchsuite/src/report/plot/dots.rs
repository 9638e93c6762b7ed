//! Every task in one picture: a line per task, a dot per program at its time as a multiple of the
//! floor, on a logarithmic axis.

use super::frame::Frame;
use super::ink::Ink;
use super::style::{Style, marker};
use super::svg::{Anchor, Stroke, Svg, Words, fit, width};
use crate::report::format::digits;

/// The height of a line.
const ROW: f64 = 22.0;

/// The height of a line of the legend.
const KEY: f64 = 18.0;

/// Ratios that the axis may label.
const TICKS: [f64; 13] =
    [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

#[derive(Clone, Debug)]
pub(in crate::report) struct Task {
    pub(in crate::report) label: String,
    /// The index of a program in [`DotChart::programs`], and its time as a multiple of the floor.
    pub(in crate::report) dots: Vec<(usize, f64)>,
}

#[derive(Clone, Debug)]
pub(in crate::report) struct DotChart {
    pub(in crate::report) title: String,
    /// `hs` first, then its rivals.
    pub(in crate::report) programs: Vec<String>,
    pub(in crate::report) tasks: Vec<Task>,
}

/// The axis of the drawing.
struct Plane {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    least: f64,
    most: f64,
}

impl Plane {
    fn x(&self, ratio: f64) -> f64 {
        let part = (ratio / self.least).ln() / (self.most / self.least).ln();
        self.left + part * (self.right - self.left)
    }
}

/// Draws the marker of a program; `hs`, which comes first, has one of its own.
fn draw_marker(svg: &mut Svg, program: usize, (x, y): (f64, f64)) {
    let style = Style::of((program > 0).then_some(program));
    svg.shape(&marker(style.marker, x, y, 4.2), style.ink);
}

impl DotChart {
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.tasks.iter().all(|task| task.dots.is_empty())
    }

    /// The drawing as SVG.
    pub(in crate::report) fn draw(&self, frame: &Frame) -> String {
        let keys = self.keys(frame);
        let plane = self.plane(frame, &keys);
        let size = (frame.width, plane.bottom + 38.0);
        let mut svg = Svg::new("dots", size, &self.description(), frame.inks);
        if frame.is_titled {
            svg.words((14.0, 22.0), &self.title, Words::new(Ink::Text).bold());
        }
        for (program, x, y) in keys {
            draw_marker(&mut svg, program, (x + 5.0, y));
            svg.words((x + 13.0, y + 4.0), &self.programs[program], Words::new(Ink::Text));
        }
        self.draw_axis(&mut svg, &plane);
        for (number, task) in self.tasks.iter().enumerate() {
            let y = plane.top + ROW * (number as f64 + 0.5);
            let label = fit(&task.label, plane.left - 8.0);
            let words = Words::new(Ink::Text).at(Anchor::End);
            svg.words((plane.left - 8.0, y + 4.0), &label, words);
            svg.line((plane.left, y), (plane.right, y), Stroke::solid(Ink::Grid, 0.7));
            // `hs` is drawn last, above the others.
            for &(program, ratio) in task.dots.iter().rev() {
                svg.open("dot", &[]);
                let name = &self.programs[program];
                svg.title(&format!("{}: {name}, {} times the floor", task.label, digits(ratio)));
                draw_marker(&mut svg, program, (plane.x(ratio), y));
                svg.close();
            }
        }
        svg.finish()
    }

    /// The position of each program in the legend.
    fn keys(&self, frame: &Frame) -> Vec<(usize, f64, f64)> {
        let (mut x, mut y) = (4.0, frame.top() + 8.0);
        let mut keys = Vec::new();
        for (program, name) in self.programs.iter().enumerate() {
            let room = width(name) + 24.0;
            if x + room > frame.width && x > 4.0 {
                (x, y) = (4.0, y + KEY);
            }
            keys.push((program, x, y));
            x += room;
        }
        keys
    }

    fn plane(&self, frame: &Frame, keys: &[(usize, f64, f64)]) -> Plane {
        let ratios = || self.tasks.iter().flat_map(|task| task.dots.iter().map(|dot| dot.1));
        let label = self.tasks.iter().map(|task| width(&task.label)).fold(0.0, f64::max);
        let top = keys.last().map_or(frame.top(), |key| key.2) + 18.0;
        Plane {
            left: (label + 8.0).min(frame.width * 0.36),
            right: frame.width - 14.0,
            top,
            bottom: top + ROW * self.tasks.len() as f64,
            least: ratios().fold(0.9, f64::min) * 0.95,
            most: ratios().fold(2.0, f64::max) * 1.1,
        }
    }

    /// The chart in words, for readers who cannot see it.
    fn description(&self) -> String {
        format!("{}. Programs: {}.", self.title, self.programs.join(", "))
    }

    fn draw_axis(&self, svg: &mut Svg, plane: &Plane) {
        let words = Words::new(Ink::Muted).at(Anchor::Middle);
        let is_seen = |tick: &&f64| (plane.least..=plane.most).contains(*tick);
        for tick in TICKS.iter().filter(is_seen) {
            let x = plane.x(*tick);
            let stroke = if *tick == 1.0 {
                Stroke { ink: Ink::Floor, width: 1.4, dash: "6 4" }
            } else {
                Stroke::solid(Ink::Grid, 1.0)
            };
            svg.line((x, plane.top), (x, plane.bottom), stroke);
            svg.words((x, plane.bottom + 15.0), &format!("{tick}"), words);
        }
        let middle = (plane.left + plane.right) / 2.0;
        svg.words((middle, plane.bottom + 31.0), "times the floor, logarithmic", words);
    }
}
