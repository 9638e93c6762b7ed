//! Line and bar charts as SVG, in our own words rather than a library's.
//!
//! `plotters`, the usual choice, was considered first. Its SVG backend knows no groups, classes or
//! titles, so a series could neither be toggled nor name its values under a pointer; it has no
//! hatching, writes a dashed line as a heap of short ones, rounds every coordinate to a whole unit,
//! and colours are bytes, so that light and dark would have to be patched into its text. What is
//! left of it, scales and ticks, is less than the patching.
//!
//! | module | what |
//! |---|---|
//! | `ink` | colours, by light and in the dark |
//! | `svg` | lines, shapes and words as text |
//! | `scale` | where a figure lies on an axis, and what the axis says |
//! | `lines` | a figure against the number of threads, a line per series |
//! | `bars` | a figure per command |

mod bars;
mod ink;
mod lines;
mod scale;
mod svg;

pub(super) use bars::{Bar, BarChart, Standing};
pub(super) use ink::{Ink, Inks, SERIES, declarations};
pub(super) use lines::{LineChart, Point, Series, sample};

/// A line that every other figure is to be compared with, such as the floor.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// What it is, with its value: `floor 26.4 ms`.
    pub(super) label: String,
    /// Where it lies, in the unit of the chart.
    pub(super) value: f64,
}

/// Where a chart is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// In units of the drawing, which are pixels at its natural size.
    pub(super) width: f64,
    /// Of line charts; bars are as high as they are many.
    pub(super) height: f64,
    /// Whether the title is part of the drawing; in a page it is text beside it.
    pub(super) is_titled: bool,
    /// The names of its colours.
    pub(super) inks: Inks,
}

impl Frame {
    /// One figure of the page.
    pub(super) const PAGE: Frame =
        Frame { width: 440.0, height: 300.0, is_titled: false, inks: Inks::Variables };

    /// A picture that stands alone.
    #[cfg(any(test, feature = "png"))]
    pub(super) const PICTURE: Frame =
        Frame { width: 720.0, height: 400.0, is_titled: true, inks: Inks::Light };

    /// Where the drawing begins below a title.
    fn top(&self) -> f64 {
        if self.is_titled { 34.0 } else { 4.0 }
    }
}
