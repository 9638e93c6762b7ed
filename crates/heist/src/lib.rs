//! Search and walk trees of files from Rust, as the program `hs` does from a terminal.
//!
//! ```
//! use heist::Search;
//!
//! let summary = Search::new(r"fn \w+")?.root("src").run(|hit| {
//!     println!("{}:{}: {}", hit.path().display(), hit.line_number(), hit.text());
//! })?;
//! println!("{} lines in {} files", summary.matched_lines, summary.files_searched);
//! # Ok::<(), heist::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | search for lines | [`Search`]; its closure receives a [`Hit`] for each |
//! | keep hits, or take them one by one | [`Search`] as an iterator, which yields [`OwnedHit`]s |
//! | take hits many at a time, with the lines around them | [`Batches`] |
//! | search bytes in memory | [`Search::run_on_bytes`], [`Pattern`] |
//! | learn whether git ignores a path, and why | [`Ignore`] |
//! | print results as `hs` does, as JSON too | [`Search::print`] |
//! | list files and directories | [`Walk`], with a closure or as an iterator |
//! | give each thread a state of its own | [`Walk::run_with_state`] |
//! | select files | [`Walk`]'s methods: globs, types, depth, times, ignore rules |
//! | learn what was left out, and why | [`Walk::name_skipped`], and the summary's [`Skipped`] |
//! | leave files unread by an index of `hs` | the feature `index`, `Search::indexes_in` |
//! | replace what was found, in files, and put it back | the feature `replace`, `Search::edits` |
//! | search while a query is typed | [`CancelToken`], as in the example `live_search` |
//! | stop early | [`CancelToken`], a limit, or a closure that returns [`ControlFlow::Break`] |
//!
//! Rule files are honoured as git honours them, and several threads share the work. Everything
//! below is available too: [`filter`], [`walker`], [`matcher`], [`searcher`] and [`printer`] are
//! the crates that this one joins.
//!
//! On Unix, a search may read a file of 8 MiB or more through a memory map. The first one installs
//! a handler for SIGBUS, the signal that a file has become shorter meanwhile. It passes every
//! signal that is not about such a map to the handler that was installed before; one that is
//! installed later has to do the same. [`memory_maps`](searcher::SearchConfig::memory_maps) turns
//! this off in searches with [`searcher`]; [`MappedFile`](searcher::MappedFile) has the handler
//! too.
//!
//! [`ControlFlow::Break`]: std::ops::ControlFlow::Break

#![forbid(unsafe_code)]

mod batches;
mod cancel;
mod delivery;
mod each_entry;
#[cfg(any(test, feature = "replace"))]
mod edits;
mod engine;
mod entries;
mod error;
mod flow;
mod hit;
mod hit_lane;
mod hits;
mod ignore;
#[cfg(any(test, feature = "index"))]
mod indexes;
mod lines_around;
mod mailbox;
mod owned_hit;
mod pattern;
mod print;
mod search;
mod skipped;
mod stream;
mod threads;
mod walk;

pub use batches::{BatchOptions, Batches, Cut, Shown};
pub use cancel::CancelToken;
#[cfg(any(test, feature = "replace"))]
pub use edits::Edits;
pub use engine::Summary;
pub use entries::Entries;
pub use error::Error;
pub use flow::IntoFlow;
pub use hit::{Hit, HitKind};
pub use hits::Hits;
pub use ignore::{Ignore, IgnoredBy};
pub use lines_around::HitInContext;
pub use owned_hit::OwnedHit;
pub use pattern::{FoundLine, LineCursor, Lines, Pattern};
pub use print::Format;
pub use search::Search;
pub use skipped::{SkipKind, Skipped, SkippedEntry};
pub use walk::{Walk, WalkSummary};

pub use heist_filter as filter;
pub use heist_matcher as matcher;
pub use heist_matcher::{Boundary, Case, Engine, Matcher, MatcherConfig};
pub use heist_printer as printer;
#[cfg(any(test, feature = "replace"))]
pub use heist_replace as replace;
pub use heist_searcher as searcher;
pub use heist_walk as walker;
pub use heist_walk::{Entry, FileTime, FileType, OwnedEntry, Shard, ShardBy};

#[cfg(doctest)]
skipped_tests_summary::report!();
