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
//! - `printer`: the printer and its sink. `haystack`: what both know during one haystack.
//!   `standard`, `summary`, `json`: the formats. `paths`, `file_messages`: print lists.
//! - `config`, `color`, `hyperlink`: settings, and the values of `--colors` and
//!   `--hyperlink-format`. `linker`: makes links.
//! - `matches`: the matches in an emitted line. `replace`: their replacements. `labels`: their
//!   patterns, which `pattern_labels` has. `name_match`: the matches in the name of a file.
//! - `line_layout`: turns an emitted line into lines of output, from `fields` (the part before it)
//!   and `text` (the line itself). `block_layout`: the same for lines that matches span.
//! - `output`: where bytes go. `limited`: prints only the results that an output admits.
//!   `out_buffer`: buffers one line. `counted`, `stats`: statistics.
//! - `template`, `templated`: a template with variables, and its printer. `braces`: the syntax of
//!   variables in templates and hyperlink formats.
//! - `columns`: in which columns matches are. `places`: on which lines they are in a block.
//! - `excerpt`: the parts of a long line around its matches.
//! - `escape`: control characters as text, for terminals. `json_text`: bytes in JSON. `decimal`:
//!   numbers.

#![forbid(unsafe_code)]

mod block_layout;
mod braces;
mod color;
mod columns;
mod config;
mod counted;
mod decimal;
mod escape;
mod excerpt;
mod fields;
mod file_messages;
mod haystack;
mod hyperlink;
mod json;
mod json_text;
mod labels;
mod limited;
mod line_layout;
mod line_matches;
mod linker;
mod matches;
mod name_match;
mod out_buffer;
mod output;
mod part;
mod paths;
mod pattern_labels;
mod places;
mod printer;
mod printer_sink;
mod replace;
mod standard;
mod stats;
mod summary;
mod template;
mod templated;
mod text;
mod unread_layout;

pub use color::{ColorError, ColorRule, ColorSpecs};
pub use columns::ColumnUnit;
pub use config::{Excerpt, PrinterConfig, Terminator};
pub use escape::{escape_json, visible, visible_line};
pub use file_messages::FileMessages;
pub use hyperlink::{
    HYPERLINK_ALIASES, Hyperlink, HyperlinkAlias, HyperlinkError, HyperlinkFormat,
};
pub use json_text::append_data as append_json_data;
pub use limited::{Admission, Admits, Limit, Limited};
pub use line_matches::LineMatches;
pub use name_match::NameMatch;
pub use output::{LongText, Output};
pub use paths::{PathPrefix, Paths};
pub use pattern_labels::{PatternLabel, PatternLabels};
pub use printer::Printer;
pub use printer_sink::PrinterSink;
pub use replace::missing_groups;
pub use stats::Stats;
pub use summary::Mode;
pub use template::{Template, TemplateError};

#[cfg(doctest)]
skipped_tests_summary::report!();
