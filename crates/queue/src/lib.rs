//! Work queues, the policies that decide who sleeps and who wakes, and the crew of workers that
//! runs on both.
//!
//! ```text
//! run ──> crew: one worker per job, worker 0 is the calling thread
//!           worker ──pops──> Job::run(item, sink) ──spawns──> shares ──> Backend
//!             └─ nothing left ──> sweep the others ──> nothing anywhere ──> IdlePolicy::park
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `backend` | the traits a queue implements |
//! | `backends/` | the queues, one file each |
//! | `idle/` | the seam for idle policies, and the policies with their proofs |
//! | `job` | what a user of this crate implements, and what it is given |
//! | `crew/` | starting, sharing, searching, ending: everything above a queue |
//! | `kind` | a queue and a policy chosen by value |
//! | `report` | what goes into a run and comes out |
//! | `sync` | real or modelled atomics |
//!
//! The laws: every item pushed is executed exactly once, or counted as dropped after an early stop;
//! a worker sleeps only after announcing it and then seeing every queue empty; a run is done when
//! the exact count of unfinished work is zero; a panic ends the run, with that panic, and hangs
//! nobody; a crew of one uses no thread, no atomic and no queue but a `Vec`.
//!
//! This crate knows no paths, no files and no output.

mod backend;
pub mod backends;
mod crew;
mod idle;
mod job;
mod kind;
mod report;
mod sync;

pub use backend::{
    Backend, PopOrder, QueueConfig, QueueStats, Steal, StealAmount, StealRequest, WorkerQueue,
};
pub use crew::{ProducerToken, run, run_with_producers};
pub use idle::{
    BiasedChain, BiasedEvent, Event, FifoEvent, IdleConfig, IdlePolicy, LongestParked, LowestIndex,
    MAX_WORKERS, NextAbove, ParkEnd, Poll1ms, Recheck, SearchBudget, Sleeper, Wake, WakeChoice,
    YieldCondvar,
};
pub use job::{Job, Spawner};
pub use kind::{
    AnyPolicy, BackendVisitor, IdleKind, QueueKind, UnknownName, run_on, run_with_producers_on,
    with_backend,
};
pub use report::{IdleStats, Panicked, RunConfig, RunReport, Sharing, Stop};
