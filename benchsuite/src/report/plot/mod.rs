//! Line, bar and dot charts as SVG. Why no library draws them: docs/decisions/0070-report-plots.md.
//!
//! | module | what |
//! |---|---|
//! | `svg` | lines, shapes and words as text, and the size of a drawing |
//! | `ink`, `style` | colours, by light and in the dark; markers and dashes |
//! | `scale` | the place of a figure on an axis, and the labels of the axis |
//! | `lines` | a figure against the number of threads, a line per series |
//! | `bars` | a figure per command |
//! | `dots` | every task in one picture |

mod bars;
mod dots;
mod ink;
mod lines;
mod scale;
mod style;
mod svg;

pub(super) use bars::{Bar, Bars, Standing};
pub(super) use dots::{Dots, Task};
#[cfg(feature = "png")]
pub(super) use ink::by_light;
pub(super) use lines::{Lines, Point, Series, sample};
pub(super) use scale::Level;
pub(super) use style::SERIES;
pub(super) use svg::Frame;

/// A plot with what is written beside it.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    /// How to read it.
    pub(super) caption: &'static str,
    pub(super) plot: Plot,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub(super) enum Plot {
    Bars(Bars),
    Lines(Lines),
    Dots(Dots),
}

impl Chart {
    /// The drawing as SVG.
    pub(super) fn draw(&self, frame: &Frame) -> String {
        match &self.plot {
            Plot::Bars(bars) => bars.draw(&self.title, frame),
            Plot::Lines(lines) => lines.draw(&self.title, frame),
            Plot::Dots(dots) => dots.draw(&self.title, frame),
        }
    }
}
