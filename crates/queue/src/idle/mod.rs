//! Which worker sleeps and which one is woken: the [`IdlePolicy`] trait and the default policy.
//!
//! | file | holds |
//! |---|---|
//! | `policy` | the trait, and the types through which crew and policy talk |
//! | `event` | the event protocol with its proof, shared by three policies |
//! | `wake_choice` | which of several parked workers is woken |
//! | `watchdog` | detects lost wake-ups in debug builds |
//!
//! A policy handles no items. The crew reports when items became visible and when a worker has
//! nothing to do; the policy decides which worker searches, which one parks and which one is woken.
//! It is independent of the queue, so every queue can be measured with every policy. `biased-event`
//! is the default; the other four policies are in the module `lab`, which needs the feature `lab`.

mod event;
#[cfg(all(test, loom))]
mod model;
mod policy;
mod wake_choice;
pub(crate) mod watchdog;

pub use event::{Event, MAX_WORKERS};
pub use policy::{IdlePolicy, ParkEnd, Recheck, SearchBudget, Sleeper, Wake};
pub use wake_choice::{LowestIndex, WakeChoice};

/// Parks on a futex and wakes the worker with the lowest index: `biased-event`, the default.
pub type BiasedEvent = Event<LowestIndex>;
