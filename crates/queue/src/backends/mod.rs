//! The backends, one file each, named like the flag value that picks it.
//!
//! A new one is a file here, a line in [`QueueKind`](crate::QueueKind) and its name in the contract
//! tests.

pub mod deque;
pub mod stack;
