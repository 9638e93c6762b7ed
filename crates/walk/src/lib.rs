//! Visits every wanted entry in a set of trees exactly once, with any number of workers on any work
//! queue.
//!
//! ```text
//! roots --> item: a directory --open, list--> filter --+--> sub-directories: new items, queued
//!                                                      +--> files: passed to the visitor
//! ```
//!
//! The unit of work is a directory, not a file: a file is visited by the worker that lists its
//! directory, while that is open, so that opening the file takes one name look-up. Only while
//! another worker is idle are large listings split into slices that it can steal.
//!
//! This program prints every file below the current directory that git would not ignore, in order:
//!
//! ```
//! use std::{env, ops::ControlFlow};
//! use heist_walk::{Entry, Error, Filter, FilterConfig, Helpers, SortOrder, Visitor, WalkConfig};
//!
//! struct Print;
//!
//! impl Visitor for Print {
//!     fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
//!         println!("{}", entry.path().display());
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn error(&mut self, error: Error) {
//!         eprintln!("{error}");
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let filter = Filter::new(FilterConfig::like_git(env::current_dir()?))?;
//! let config = WalkConfig { order: Some(SortOrder::Names), ..WalkConfig::default() };
//! heist_walk::walk(&config, &filter, |_| Print)?;
//! # Ok(()) }
//! ```
//!
//! With several workers ([`WalkConfig::new`]), each has its own visitor; see [`Visitor`]. A visitor
//! that sorts what several workers find implements [`OrderedVisitor`], one that shares large files
//! [`Assist`], one that takes directories as a whole [`DirVisitor`], and all call
//! [`walk_with_hooks`].
//!
//! This crate parses no glob (`heist-filter`), chooses no queue and wakes no worker
//! (`heist-queue`), reads no file except rule files, and prints nothing.

#![forbid(unsafe_code)]

mod batch;
mod bounds;
mod checkouts;
mod config;
mod context;
mod descriptors;
mod dir_visitor;
mod entry;
mod entry_checks;
mod entry_list;
mod error;
mod expand;
mod file_limits;
mod item;
mod job;
mod known_dirs;
mod listing;
mod metadata;
mod opened;
mod own_path;
mod rule_files;
mod rules_in_force;
mod shard;
mod skipped;
mod slow_dirs;
mod sort_order;
mod sorted_entries;
mod sys;
#[cfg(test)]
mod tests;
mod visitor;
mod why;
mod worker;

pub use config::{Root, RootSource, WalkConfig};
pub use descriptors::reserve_descriptors;
pub use dir_visitor::{DirVisitor, HookedVisitor, Whole};
pub use entry::{Entry, OwnedEntry, time_of};
pub use entry_list::EntryList;
pub use error::Error;
pub use heist_filter::{Filter, FilterConfig, Problem};
pub use heist_queue::{
    IdleKind, IdleStats, MAX_WORKERS, Panicked, QueueKind, QueueStats, Sharing, Stop,
};
pub use job::{Report, walk, walk_with_hooks};
pub use known_dirs::{KnownDir, KnownDirs, Listed, Look};
pub use listing::{FileType, KnownEntry, Shortcut};
pub use metadata::{FileId, FileMetadata, FileTime};
pub use shard::{Shard, ShardBy};
pub use skipped::{SkipObserver, SkipReason};
pub use sort_order::{SortOrder, root_key};
pub use sorted_entries::{FoundEntries, SortedEntries};
pub use sys::{OpenedFile, Reader};
pub use visitor::{Assist, Helpers, OrderedVisitor, Visitor, Wants};
pub use why::{Fate, why};

#[cfg(doctest)]
skipped_tests_summary::report!();
