//! Visit every wanted entry of a set of trees exactly once, on any work queue.
//!
//! ```text
//! roots ──> item: a directory ──open, list──> filter ──> sub-directories: new items on the queue
//!                                                └────> files: handed to the worker's Visitor, in place
//! ```
//!
//! The unit of work is a directory, not a file: files are visited by the worker that lists their directory, while its
//! descriptor is open, so that opening one costs a look-up of one name. Only when another worker is hungry is the rest
//! of a large listing cut into slices that can be stolen.
//!
//! What this crate does not do: it parses no glob (`heist-filter`), it chooses no queue and wakes nobody
//! (`heist-queue`), and it neither reads a file's bytes nor prints.

#![forbid(unsafe_code)]

mod config;
mod descriptors;
mod entry;
mod error;
mod expand;
mod item;
mod job;
mod listing;
mod order;
mod owned_entry;
mod rule_files;
mod slow_dirs;
mod sys;
#[cfg(test)]
mod tests;
mod visitor;
mod worker;

pub use config::{FileId, Reader, Root, WalkConfig};
pub use descriptors::reserve_descriptors;
pub use entry::Entry;
pub use error::Error;
pub use job::{Report, walk};
pub use order::{SortOrder, root_key};
pub use owned_entry::OwnedEntry;
pub use sys::OpenedFile;
pub use visitor::{Helpers, Visitor};
