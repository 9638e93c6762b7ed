//! `benchsuite queues`: the scenarios of the published documents and more, on every queue and
//! policy.
//!
//! | module | holds |
//! |---|---|
//! | `options` | the command line, and which cases it selects |
//! | `case` | what is to be measured |
//! | `run` | a session, from the cases to the record and its tables |
//! | `scenario/` | what is measured, one file or directory each |

pub(crate) mod case;
mod options;
mod run;
pub(crate) mod scenario;

pub(crate) use options::Options;
pub(crate) use run::run;
