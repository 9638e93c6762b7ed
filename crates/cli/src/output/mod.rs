//! Standard output: one worker's buffers, how they share it, and how results are put in order.
//!
//! | file | holds |
//! |---|---|
//! | `destination` | standard output, through a pager if there is one, and messages |
//! | `blocking_stdout` | standard output that waits for a slow reader, whatever its flags are |
//! | `pager`, `screen` | the pager, and how much of a screen results take |
//! | `status_line` | the line on a terminal that shows how far the run is |
//! | `shared` | the writer, under one lock |
//! | `local` | one worker's buffer where results are printed as they are found |
//! | `budget` | the limits of results, and what was shown of what there is |
//! | `shown` | how that is reported |
//! | `limited` | one worker's buffer where results are limited |
//! | `ledger` | which work is unfinished, and which output waits for it |
//! | `sorted` | one worker's buffer where results are printed in order |
//! | `stdout` | all of it, and either of the buffers |

mod blocking_stdout;
mod budget;
mod destination;
mod ledger;
mod limited;
mod local;
mod pager;
mod screen;
mod shared;
mod shown;
mod sorted;
pub(crate) mod status_line;
mod stdout;

pub(crate) use budget::{Budget, MIN_PASSING};
pub(crate) use destination::{
    Destination, print, unwritable, write_message, write_message_at_once,
};
pub(crate) use ledger::{FILES_PER_BATCH, Files, Key, Ledger, Waiting};
pub(crate) use local::LocalOutput;
pub(crate) use pager::{PagerConfig, end_paging, finish_paging, leave_to_pager, page};
pub(crate) use shared::FlushMode;
pub(crate) use shown::{Shown, Totals};
pub(crate) use sorted::Repeat;
pub(crate) use stdout::{Stdout, StdoutWorker};
