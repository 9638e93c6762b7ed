//! Turns search results into bytes: lines for people, counts, paths, and messages for programs.
//!
//! [`Printer`] prints lines, one line per haystack, or JSON messages; [`Paths`] prints only paths,
//! and [`FileMessages`] a message for each. A printer returns a [`Sink`](heist_searcher::Sink) per
//! haystack and appends to an [`Output`], such as a `Vec<u8>`.
//!
//! What does not change from line to line (escape sequences, separators) is computed when a printer
//! is made; printing then copies bytes. The crate knows no terminal, flag or file descriptor.
//!
//! # Examples
//!
//! ```
//! use heist_matcher::Matcher;
//! use heist_printer::{Printer, PrinterConfig};
//! use heist_searcher::{BinaryPolicy, Searcher};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let matcher = Matcher::new(&["go.d".to_owned()], &Default::default())?;
//! let config = PrinterConfig { with_path: true, line_numbers: true, ..PrinterConfig::default() };
//! let mut printer = Printer::lines(&config, Vec::new());
//! let haystacks = [("vault.txt", "gold\nsilver\n"), ("inn.txt", "beer\ngood food\n")];
//! for (path, text) in haystacks {
//!     let mut sink = printer.sink(Some(path.as_bytes()), BinaryPolicy::Quit);
//!     Searcher::default().search_slice(&mut matcher.finder(), text.as_bytes(), &mut sink)?;
//! }
//! assert_eq!(printer.into_output(), b"vault.txt:1:gold\ninn.txt:2:good food\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! - `printer`, `printer_sink`: the printer, and its sink for one haystack, which `haystack`
//!   describes. `limited`: the sink that prints only the results that an output admits.
//! - `formats`: lines, a line per haystack, JSON messages, templates and parts of a patch.
//! - `matches`: the matches in an emitted line, their replacements, and the labels of their
//!   patterns.
//! - `line`: turns an emitted line into lines of output. `path`: the same for paths, with links.
//! - `value`: colors, numbers, and text that is escaped or has variables.
//! - `config`: settings. `output`: where bytes go. `stats`: statistics.

#![forbid(unsafe_code)]

mod config;
mod formats;
mod haystack;
mod limited;
mod line;
mod matches;
mod output;
mod path;
mod printer;
mod printer_sink;
mod stats;
mod value;

pub use config::{Excerpt, PatternLabel, PatternLabels, PrinterConfig, Terminator};
pub use formats::{
    file_messages::FileMessages,
    patch::PatchLook,
    summary::Mode,
    template::{Template, TemplateError},
};
pub use haystack::NameMatch;
pub use limited::{Admission, Admits, Limit, Limited};
pub use line::columns::ColumnUnit;
pub use matches::{
    line_matches::LineMatches,
    replace::{has_references, missing_groups},
    replacement_form::ReplacementForm,
};
pub use output::{LongText, Output};
pub use path::{
    hyperlink::{HYPERLINK_ALIASES, Hyperlink, HyperlinkAlias, HyperlinkError, HyperlinkFormat},
    paths::{PathPrefix, Paths},
};
pub use printer::Printer;
pub use printer_sink::PrinterSink;
pub use stats::Stats;
pub use value::{
    color::{ColorError, ColorRule, ColorSpecs},
    escape::{escape_json, visible, visible_line},
    json_text::append_data as append_json_data,
};

#[cfg(doctest)]
skipped_tests_summary::report!();
