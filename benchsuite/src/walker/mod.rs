//! heist's walker alone, inside this program: nothing is printed, matched or started but the walk.
//!
//! | module | holds |
//! |---|---|
//! | `walk` | one walk of one tree in this process, timed |
//! | `tally` | what a walk visited, and a digest to compare it with another walk |

mod tally;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use walk::{Mode, Walk};
