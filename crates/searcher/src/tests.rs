//! Checks the searcher against a slow, obvious one, and single cases worth reading.

mod cases;
#[cfg(unix)]
mod mmap;
mod multiline;
mod parallel;
mod random;
mod record;
mod reference;
mod stream;
