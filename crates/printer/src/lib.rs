//! Results become bytes: lines for people, counts, paths. Nothing here knows a terminal, a flag or
//! a file descriptor.
//!
//! [`Standard`] prints lines, [`Summary`] one answer per haystack, [`Printer`] is either, chosen at
//! run time, and [`Paths`] prints paths alone. The first three hand out a
//! [`Sink`](heist_searcher::Sink) per haystack and write to an [`Output`]. Everything that does not
//! change from line to line (escape sequences, separators) is turned into bytes when a printer is
//! made; printing is copying.
//!
//! - `config`, `color`: how results look, and what `--colors` may say.
//! - `output`: where bytes go.
//! - `standard`, `summary`, `paths`: the printers; `printer` picks one.
//! - `layout`: a reported line becomes lines of output, out of `prelude` (the fields before it),
//!   `matches` (the matches in it) and `text` (what is shown of it).
//! - `decimal`: numbers.

#![forbid(unsafe_code)]

mod color;
mod config;
mod decimal;
mod layout;
mod matches;
mod output;
mod paths;
mod prelude;
mod printer;
mod standard;
mod summary;
mod text;

pub use color::{ColorError, ColorRule, ColorSpecs};
pub use config::{Config, Terminator};
pub use output::Output;
pub use paths::Paths;
pub use printer::{Printer, PrinterSink};
pub use standard::{Standard, StandardSink};
pub use summary::{Mode, Summary, SummarySink};
