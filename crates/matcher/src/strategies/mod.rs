//! The ways to find the lines of a block that match or may match.

pub(crate) mod anchored_literal;
pub(crate) mod backoff;
pub(crate) mod bit_parallel;
pub(crate) mod dfa_streams;
pub(crate) mod many;
pub(crate) mod plan;
pub(crate) mod scan;
pub(crate) mod words;
