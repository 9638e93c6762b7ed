//! The scenarios, in the order in which they are listed and run.
//!
//! | module | holds |
//! |---|---|

use crate::queues::row::Scenario;

/// Every scenario there is.
pub(crate) const ALL: &[&dyn Scenario] = &[];
