//! Flags' values that are more than a whole number: sizes, durations and points in time.
//!
//! | module | what it reads | examples |
//! |---|---|---|
//! | `size` | a number of bytes | `4096`, `10k`, `1.5M`, `1MB`, `2GiB` |
//! | `duration` | an amount of time | `5`, `500ms`, `1h30m`, `1.5d`, `2 weeks` |
//! | `when` | a point in time | `2h`, `3 days ago`, `yesterday`, `2026-11-24T10:00Z`, `@-1` |
//!
//! Each error lists what is accepted.

mod duration;
mod size;
mod when;

pub(crate) use duration::parse_duration;
pub(crate) use size::parse_size;
pub(crate) use when::When;
