//! Checks the searcher against a slow, obvious one, and single cases worth reading.

mod cases;
#[cfg(unix)]
mod mmap;
mod random;
#[cfg(unix)]
mod rule_out;
mod sessions;
mod stream;
#[cfg(unix)]
mod survey;
