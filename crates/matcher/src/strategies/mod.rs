//! The ways to find the lines of a block that match or may match.

mod anchored_literal;
mod ascii_skip;
mod backoff;
pub(crate) mod bit_parallel;
pub(crate) mod budget;
pub(crate) mod constant;
pub(crate) mod cost;
pub(crate) mod engine;
pub(crate) mod expression;
pub(crate) mod levels;
pub(crate) mod line_by_line;
pub(crate) mod line_finder;
pub(crate) mod many;
pub(crate) mod packed;
mod parts;
pub(crate) mod plans;
pub(crate) mod strategy;
mod words;
