//! Standard output: one worker's buffers, how they share it, and how results are put in order.
//!
//! | file | holds |
//! |---|---|
//! | `blocking_stdout` | standard output that waits for a slow reader, whatever its flags are |
//! | `shared` | the writer, under one lock |
//! | `local` | one worker's buffer where results are printed as they are found |
//! | `budget` | the limits of results, and what was shown of what there is |
//! | `limited` | one worker's buffer where results are limited |
//! | `ledger` | which work is unfinished, and which output waits for it |
//! | `sorted` | one worker's buffer where results are printed in order |
//! | `stdout` | all of it, and either of the buffers |

mod blocking_stdout;
mod budget;
mod ledger;
mod limited;
mod local;
mod shared;
mod sorted;
mod stdout;

pub(crate) use blocking_stdout::{print, unwritable, write_message};
pub(crate) use budget::{Budget, Totals};
pub(crate) use ledger::{BATCH, Files, Key, Ledger, Waiting};
pub(crate) use shared::FlushMode;
pub(crate) use sorted::Repeat;
pub(crate) use stdout::{Stdout, StdoutWorker};
