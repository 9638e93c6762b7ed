//! `benchsuite queues`: the scenarios of the published documents and more, on every queue and
//! policy.
//!
//! | module | holds |
//! |---|---|
//! | `scenarios.toml` | the scenarios: their texts and their cases |
//! | `catalogue` | reads it |
//! | `case` | what is to be measured |
//! | `scenario/` | how it is measured, one file or directory each |
//! | `options` | the command line, and which cases it selects |
//! | `run` | a session, from the cases to the record and its tables |

pub(crate) mod case;
mod catalogue;
mod options;
mod run;
pub(crate) mod scenario;

pub(crate) use options::QueuesOptions;
pub(crate) use run::run;
