//! The crew: everything above a queue, from the first thread to the report.
//!
//! | file | holds |
//! |---|---|
//! | `launch` | [`run`]: builds a crew, starts it, waits for it |
//! | `worker` | the loop of one worker: run, share, search, park |
//! | `state` | what the workers of a run share; how it ends, early or not |
//! | `credits` | the exact count of unfinished work |
//! | `threads` | worker threads, and what a worker owns before and after |
//! | `shutdown` | outputs, counts and leftover items after the last thread |
//! | `solo` | a crew of one |
//!
//! # Starting
//!
//! The calling thread is worker 0. A further thread is started when work is published while no
//! worker searches or is parked. It is counted as a searcher before it exists, so that threads
//! start one at a time, as parked workers are woken one at a time. If the system refuses a thread,
//! the run goes on with the workers it has.
//!
//! [Extra workers](crate::RunConfig::extra_workers) are not started until a job allows it; from
//! then on they are like others that have not been started yet. They have a queue end and a job
//! from the beginning, so that only the number of workers that may be started changes.
//!
//! # Ending
//!
//! The stop state only rises: done, then quit, then poisoned. The worker that raises it wakes all
//! others. A job's panic is caught at the bottom of its thread. So poisoning is an ordinary end of
//! the run, and the queue ends survive it, so that leftover items are dropped after all threads
//! have ended.

mod credits;
pub(crate) mod launch;
#[cfg(all(test, loom))]
mod model;
mod shutdown;
mod solo;
pub(crate) mod state;
mod threads;
mod worker;

pub use launch::run;
