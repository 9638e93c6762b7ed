//! The searcher against a slow, obvious one, and cases worth reading.

mod cases;
mod random;
mod record;
mod reference;
