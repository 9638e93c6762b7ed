//! The searcher against a slow, obvious one, and cases worth reading.

mod cases;
mod chunks;
mod multiline;
mod random;
mod record;
mod reference;
mod stream;
