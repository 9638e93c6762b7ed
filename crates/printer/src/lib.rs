//! Results become bytes: lines for people, counts, paths, messages for programs. Nothing here knows a terminal, a
//! flag or a file descriptor.
//!
//! [`Standard`] prints lines, [`Summary`] one answer per haystack, [`Json`] messages, [`Printer`] is any of them, chosen
//! at run time, and [`Paths`] prints paths alone. The first four hand out a [`Sink`](heist_searcher::Sink) per haystack
//! and write to an [`Output`]. Everything that does not change from line to line (escape sequences, separators) is
//! turned into bytes when a printer is made; printing is copying.
//!
//! - `config`, `color`, `hyperlink`, `hyperlink`: how results look, what `--colors` and `--hyperlink-format` may
//!   say, and how a link is made.
//! - `output`: where bytes go; `stats`: what is counted on the way.
//! - `standard`, `summary`, `json`, `paths`: the printers; `printer` picks one.
//! - `matches`: the matches in a reported line, found once; `replace`: what is printed in their place.
//! - `layout`: a reported line becomes lines of output, out of `fields` (the fields before it) and `text` (what is shown
//!   of it); `blocks`: the same for lines that matches span.
//! - `visible`: control characters as text, for terminals.
//! - `printed`: the buffer they append to; `json_text`: bytes as JSON has them; `decimal`: numbers.

#![forbid(unsafe_code)]

mod block_layout;
mod color;
mod config;
mod counted;
mod decimal;
mod escape;
mod fields;
mod hyperlink;
mod json;
mod json_text;
mod line_layout;
mod linker;
mod matches;
mod out_buffer;
mod output;
mod paths;
mod printer;
mod replace;
mod standard;
mod stats;
mod summary;
mod text;

pub use color::{ColorError, ColorRule, ColorSpecs};
pub use config::{PrinterConfig, Terminator};
pub use escape::{visible, visible_line};
pub use hyperlink::{
    HYPERLINK_ALIASES, Hyperlink, HyperlinkAlias, HyperlinkError, HyperlinkFormat,
};
pub use json::{Json, JsonSink};
pub use output::Output;
pub use paths::Paths;
pub use printer::{Printer, PrinterSink};
pub use standard::{Standard, StandardSink};
pub use stats::Stats;
pub use summary::{Mode, Summary, SummarySink};
