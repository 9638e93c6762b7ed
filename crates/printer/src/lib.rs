//! Results become bytes: lines for people, counts, paths. Nothing here knows a terminal, a flag or a file descriptor.

#![forbid(unsafe_code)]

mod output;

pub use output::Output;
