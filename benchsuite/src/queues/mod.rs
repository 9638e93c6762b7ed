//! `benchsuite queues`: the scenarios of the documents and some more, on every queue and policy.
//!
//! | module | holds |
//! |---|---|
//! | `row` | what is to be measured, and what came out |
//! | `meter` | time, switches, migrations, memory |
//! | `scenario/` | what is measured, one file or directory each |

pub(crate) mod meter;
pub(crate) mod row;
mod scenario;
