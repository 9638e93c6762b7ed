//! The scenarios, in the order in which they are listed and run.
//!
//! | module | holds |
//! |---|---|
//! | `idle` | what waiting costs while one works |

mod idle;

use crate::queues::row::Scenario;

/// Every scenario there is.
pub(crate) const ALL: &[&dyn Scenario] = &[&idle::Idle];
