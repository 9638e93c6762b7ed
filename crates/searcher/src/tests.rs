//! The searcher against a slow, obvious one, and cases worth reading.

mod cases;
mod multiline;
mod parallel;
mod random;
mod record;
mod reference;
mod stream;
