//! The bytes of one haystack become lines, matches and context, told to a [`Sink`] one event at a time.

#![forbid(unsafe_code)]

mod config;
mod sink;

pub use config::{BinaryPolicy, Config};
pub use sink::{Finish, Flow, Line, LineKind, Sink};
