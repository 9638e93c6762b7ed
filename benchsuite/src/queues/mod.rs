//! `benchsuite queues`: the scenarios of the documents and some more, on every queue and policy.
//!
//! | module | holds |
//! |---|---|
//! | `row` | what is to be measured, and what came out |
//! | `meter` | time, switches, migrations, memory |

mod meter;
mod row;
