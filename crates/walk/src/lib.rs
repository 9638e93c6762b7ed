//! Placeholder head, replaced by the crate.
