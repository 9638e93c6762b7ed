//! Work queues, the policies that decide which worker sleeps and which is woken, and the crew of
//! workers that runs on both.
//!
//! A [`Job`] runs items and spawns new ones; [`run`] returns when all are done.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use heist_queue::{Job, QueueKind, RunConfig, Spawner, Stop, run_on};
//!
//! /// Finds all ways to climb a staircase in steps of one or two.
//! #[derive(Default)]
//! struct Climb {
//!     ways: Vec<String>,
//! }
//!
//! impl Job<(u32, String)> for Climb {
//!     type Output = Vec<String>;
//!
//!     fn run<S: Spawner<(u32, String)>>(
//!         &mut self,
//!         (left, steps): (u32, String),
//!         spawner: &mut S,
//!     ) -> ControlFlow<()> {
//!         if left == 0 {
//!             self.ways.push(steps);
//!         } else {
//!             for step in 1..=left.min(2) {
//!                 spawner.spawn((left - step, format!("{steps}{step}")));
//!             }
//!         }
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn finish(self) -> Vec<String> {
//!         self.ways
//!     }
//! }
//!
//! // Two workers, because there are two jobs.
//! let jobs = vec![Climb::default(), Climb::default()];
//! let report = run_on(QueueKind::Deque, &RunConfig::default(), vec![(4, String::new())], jobs)?;
//! let mut ways: Vec<String> = report.outputs.into_iter().flatten().collect();
//! ways.sort();
//! assert_eq!(ways, ["1111", "112", "121", "211", "22"]);
//! assert_eq!(report.stop, Stop::Done);
//! # Ok::<(), heist_queue::Panicked>(())
//! ```
//!
//! ```text
//! run ──> crew: one worker per job, worker 0 is the calling thread
//!           worker ──pops──> Job::run(item, spawner) ──spawns──> shares ──> Backend
//!             └─ nothing left ──> sweep the others ──> nothing anywhere ──> IdlePolicy::park
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `backend` | the traits a queue implements |
//! | `backends/` | the default queue, a heap, and the queue the others are compared with |
//! | `idle/` | the trait of idle policies, and the default policy with its proof |
//! | `job` | what a user of this crate implements, and what it receives |
//! | `crew/` | starting, sharing, searching, ending: everything above a queue |
//! | `lab/` | the other backends, policies and ways of sharing, producers |
//! | `counted` | counts the operations of any queue |
//! | `erased` | jobs behind pointers: fewer copies of the crew in a program |
//! | `names`, `dispatch` | a queue and a policy chosen by value |
//! | `any_queue` | the same with one crew for all queues |
//! | `config`, `report` | what goes into a run and comes out |
//! | `sync` | real or modelled atomics |
//!
//! # Guarantees
//!
//! - Every item is run exactly once, or counted as dropped after an early end.
//! - A worker parks only after it has announced it and then seen every queue empty.
//! - A run is done when the exact count of unfinished work is zero.
//! - A panic ends the run and is returned; no thread hangs.
//! - A crew of one uses no thread, no atomic and no queue but a `Vec`.
//!
//! # The feature `lab`
//!
//! Without it, this crate has one queue, one idle policy and one way of sharing, the defaults, and
//! the heap. The
//! feature adds the module `lab`, the queue `stack`, `AnyQueue` and `run_with_producers_on`. `hs`,
//! the benchsuite and all tests enable it; the library `heist` does not.
//!
//! This crate knows no paths, no files and no output.

#[cfg(feature = "lab")]
mod any_queue;
mod backend;
pub mod backends;
mod config;
mod counted;
mod crew;
mod dispatch;
mod erased;
mod idle;
mod job;
#[cfg(feature = "lab")]
pub mod lab;
#[cfg(all(test, loom))]
mod model;
mod names;
mod report;
mod sync;

#[cfg(feature = "lab")]
pub use any_queue::{AnyEnd, AnyQueue};
pub use backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
pub use config::{IdleConfig, QueueConfig, RunConfig, StealAmount};
pub use counted::Counted;
pub use crew::run;
#[cfg(feature = "lab")]
pub use dispatch::run_with_producers_on;
pub use dispatch::{AnyPolicy, BackendVisitor, run_on, run_on_any, with_backend};
pub use erased::{Erased, run_erased};
pub use idle::{
    BiasedEvent, Event, IdlePolicy, LowestIndex, MAX_WORKERS, ParkEnd, Recheck, SearchBudget,
    Sleeper, Wake, WakeChoice,
};
pub use job::{Job, Spawner};
pub use names::{IdleKind, QueueKind, Sharing, UnknownName};
pub use report::{IdleStats, Panicked, QueueStats, RunReport, Stop};
