//! Line, bar and dot charts as SVG. Why no library draws them: docs/decisions/0070-report-plots.md.
//!
//! Each kind of plot finds out where its marks lie; the template `plot.svg` draws them.
//!
//! | module | what |
//! |---|---|
//! | `room` | the size of a drawing, and the room that its texts take |
//! | `ink`, `style` | colours, by light and in the dark; markers and dashes |
//! | `scale` | the place of a figure on an axis, and the labels of the axis |
//! | `lines` | a figure against the number of threads, a line per series |
//! | `bars` | a figure per command |
//! | `dots` | every task in one picture |

mod bars;
mod dots;
mod ink;
mod lines;
mod room;
mod scale;
mod style;

use std::sync::LazyLock;

use minijinja::value::Serde;
use minijinja::{Environment, Value, context};
use serde::Serialize;

use crate::format::{Unit, digits};
use crate::template;

pub(super) use bars::{Bar, Bars};
pub(super) use dots::{DotRow, Dots};
#[cfg(feature = "png")]
pub(super) use ink::by_light;
pub(super) use lines::{Lines, Point, Series, key};
pub(super) use room::Frame;
pub(super) use scale::Level;
pub(super) use style::SERIES;

/// A plot with what is written beside it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Chart {
    title: &'static str,
    /// How to read it.
    caption: &'static str,
    /// What it shows, by which a place that shows few charts picks them.
    pub(super) unit: Unit,
    /// As SVG.
    pub(super) drawing: String,
}

impl Chart {
    /// Draws a plot.
    pub(super) fn of(
        title: &'static str,
        caption: &'static str,
        unit: Unit,
        marks: Value,
        frame: &Frame<'_>,
    ) -> Chart {
        let &Frame { width, font, of, .. } = frame;
        let drawing = draw(context! { title, width, font, of, ..marks });
        Chart { title, caption, unit, drawing }
    }
}

/// A line with a marker in its middle, as a legend shows it.
pub(super) fn sample(slot: Option<usize>) -> String {
    let style = Serde(style::Style::of(slot));
    draw(context! { kind => "sample", width => 34, height => 12, title => "", style })
}

/// Fills `plot.svg`.
fn draw(marks: Value) -> String {
    static PLOT: LazyLock<Environment<'static>> = LazyLock::new(|| {
        let mut plot = template::environment();
        plot.add_global("letter", room::LETTER);
        plot.add_filter("fit", room::fit);
        plot.add_filter("outline", style::outline);
        plot.add_filter("digits", digits);
        plot.add_filter("short", short);
        plot.add_filter("along", |points: Serde<Vec<(f64, f64)>>| along(&points));
        plot.add_template("plot.svg", include_str!("plot.svg")).expect("a template");
        plot
    });
    let plot = PLOT.get_template("plot.svg").and_then(|plot| plot.render(marks));
    plot.unwrap_or_else(|why| panic!("{why:#}"))
}

/// A coordinate with as many digits as can be seen.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A path along points.
fn along(points: &[(f64, f64)]) -> String {
    let points: Vec<String> =
        points.iter().map(|(x, y)| format!("{} {}", short(*x), short(*y))).collect();
    format!("M{}", points.join("L"))
}
