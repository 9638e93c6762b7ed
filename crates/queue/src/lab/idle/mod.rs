//! The idle policies that are not the default.

mod poll;
mod wake_choices;
mod yield_condvar;

pub use poll::Poll1ms;
pub use wake_choices::{LongestParked, NextAbove};
pub use yield_condvar::YieldCondvar;

use crate::idle::Event;

/// Parks on a futex and wakes the longest sleeper: `biased-event` without the bias.
pub type FifoEvent = Event<LongestParked>;

/// Parks on a futex and wakes the next worker above the waker: rocallahan's chain, without
/// stranding workers.
pub type BiasedChain = Event<NextAbove>;
