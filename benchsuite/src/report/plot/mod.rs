//! Line, bar and dot charts as SVG. Why no library draws them: docs/decisions/0070-report-plots.md.
//!
//! | module | what |
//! |---|---|
//! | `frame` | where a chart is drawn |
//! | `ink`, `style` | colours, by light and in the dark; markers and dashes |
//! | `svg` | lines, shapes and words as text |
//! | `scale` | the place of a figure on an axis, and the labels of the axis |
//! | `lines` | a figure against the number of threads, a line per series |
//! | `bars` | a figure per command |
//! | `dots` | every task in one picture |

mod bars;
mod dots;
mod frame;
mod ink;
mod lines;
mod scale;
mod style;
mod svg;

pub(super) use bars::{Bar, BarChart, Standing};
pub(super) use dots::{DotChart, Task};
pub(super) use frame::{Frame, Level};
pub(super) use ink::{SERIES, declarations};
pub(super) use lines::{LineChart, Point, Series, sample};
