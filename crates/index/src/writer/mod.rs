//! Building an index, and bringing one up to date.
//!
//! Collectors read files, each in a thread of its own, and share writers, which write runs. These
//! are merged into a segment, which the next manifest mentions. A crash at any moment leaves the
//! last manifest and its segments as they were.

mod block_writer;
mod builder;
mod collector;
mod decoded;
mod merge;
mod run;
mod verify;
mod workspace;
mod write;

pub use builder::{Builder, Built};
pub use collector::{Added, Collector};
pub use verify::{Verified, Verifier, VerifyingCollector};

#[cfg(all(test, unix))]
mod tests;
