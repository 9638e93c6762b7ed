//! Searches the bytes of one haystack: lines, matches, context, binary detection.
//!
//! A [`Searcher`] reads a haystack (a file, a stream, or bytes in memory), finds the lines that
//! match with a [`Finder`](heist_matcher::Finder), and emits them to a [`Sink`]. For the common
//! case [`sinks`] turns a closure into a sink. The crate never decides how a result looks; for that
//! see `heist-printer`.
//!
//! # Examples
//!
//! ```
//! use heist_matcher::Matcher;
//! use heist_searcher::{Flow, Searcher, sinks::Lines};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("vault.txt");
//! std::fs::write(&path, "gold\nsilver\ngold and gems\n")?;
//!
//! let matcher = Matcher::new(&["go.d".to_owned()], &Default::default())?;
//! let mut found = String::new();
//! Searcher::default().search_path(
//!     &mut matcher.finder(),
//!     &path,
//!     &mut Lines::new(|number, line| {
//!         found += &format!("{number}: {line}");
//!         Flow::Continue(())
//!     }),
//! )?;
//! assert_eq!(found, "1: gold\n3: gold and gems\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! - `searcher`: reads the beginning of a haystack. `route`: which way it is searched, from what is
//!   known of it. `journey`: names that way. `run`: takes one route after the other until one does
//!   not give up. `search`: what all of them need. `replay`: how nothing is emitted twice.
//! - `sink`, `sinks`: the events of a search, and closures that receive them.
//! - `config`: settings. `source`: where bytes come from. `decode`: byte order marks and encodings.
//! - `in_memory`, `slice_search`: a haystack in memory. `block_search`: a haystack that passes
//!   through the `line_buffer`. `large`, `parallel`: a large file or stream, cut into chunks for
//!   several workers. `multiline`: matches that may span lines.
//! - `look_through`: whether a file of medium size can have a match at all.
//! - `rule_out`: whether a large file can have one, if it has to be read whole or by one worker.
//! - `line_search`: which lines are emitted, in which order; the only place that knows context.
//!   `matching`: which lines match. `line_numbers`, `lines`: numbers and bounds of lines.
//! - `around`, `surroundings`: context that the text determines, such as the function around a
//!   match.
//! - [`functions`]: the function that a line is in.
//! - `mmap`: reads files through a memory map that survives truncation of the file.
//! - `survey`: finds the lines of a large file that need not be read.
//! - `unread_line`: a matching line that is too long to be worth its memory.
//! - `aligned`: buffers that the kernel copies into fast.
//! - `trial`: searches for tests and fuzz targets, and the slow, obvious searcher that judges them.

mod aligned;
mod around;
mod block_search;
mod config;
mod decode;
pub mod functions;
mod in_memory;
mod journey;
mod large;
mod line_buffer;
mod line_numbers;
mod line_search;
mod lines;
mod look_through;
mod matching;
mod mmap;
mod multiline;
mod parallel;
mod replay;
mod route;
mod rule_out;
mod run;
mod search;
mod searcher;
mod sink;
pub mod sinks;
mod slice_search;
mod source;
mod stop;
mod surroundings;
mod survey;
#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "trials"))]
#[doc(hidden)]
pub mod trial;
mod unread_line;
mod whole;

pub use around::{FunctionLines, FunctionRules, Functions, LineRules, Surroundings};
pub use config::{BinaryPolicy, Encoding, SearchConfig};
pub use decode::{Endian, unmarked_encoding};
pub use journey::Journey;
pub use mmap::MappedFile;
pub use parallel::{ChunkHelpers, Chunks, FileRead, LARGE, NoHelpers, ReadAt, Stream};
pub use searcher::Searcher;
pub use sink::{Finish, Flow, Line, LineKind, MatchBlock, Sink, Wants};
pub use source::{End, Source};
pub use stop::Stop;
pub use surroundings::FunctionHeads;
pub use unread_line::{UnreadLine, UnreadMatches};
