//! The scenarios, in the order in which they are listed and run.
//!
//! | module | holds |
//! |---|---|
//! | `biased/` | document 1: three pools that sleep and wake |
//! | `idle` | what waiting costs while one works |

mod biased;
mod idle;

use crate::queues::row::Scenario;

/// Every scenario there is.
pub(crate) const ALL: &[&dyn Scenario] = &[&biased::Biased, &idle::Idle];
