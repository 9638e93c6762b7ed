//! The exact count of unfinished work, and with it the moment at which a run is done.
//!
//! The count is of *credits*. Every item in a queue carries one; every worker with something to do
//! holds at least one; every producer holds one. A worker that takes an item from a queue takes
//! over its credit. A worker that publishes items gives each a credit of its own, keeping one while
//! it has work, and creates the ones it lacks with a single `fetch_add` *before* the items become
//! visible. A worker with nothing left returns all it holds with a single `fetch_sub`. The worker
//! that brings the count to zero ends the run.
//!
//! So zero is exact: no item is in a queue, in flight or being run, and no worker or producer is
//! left that could make one. The count never falls short, because the decrement for an item happens
//! after it was taken, which happens after its publication, which happens after the increment for
//! it; and all of these are read-modify-writes of one atomic. Nor can the end overtake a thief, as
//! it can in ripgrep's walker: what a thief carries keeps its credit.
//!
//! In a saturated run credits circulate inside the workers, and the shared count hardly changes.

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicUsize, Ordering};

/// The credits of one run.
pub(crate) struct Credits(CachePadded<AtomicUsize>);

impl Credits {
    pub(crate) fn new(credits: usize) -> Credits {
        Credits(CachePadded::new(AtomicUsize::new(credits)))
    }

    /// Creates credits for items that are not visible yet.
    pub(crate) fn add(&self, credits: usize) {
        // Ordering: Relaxed. The publication that follows is a release with which the taker
        // synchronises, so the taker's `release` comes later in the modification order.
        self.0.fetch_add(credits, Ordering::Relaxed);
    }

    /// Returns credits. `true` if they were the last ones.
    #[must_use]
    pub(crate) fn release(&self, credits: usize) -> bool {
        // Ordering: AcqRel chains all releases, so the thread that sees zero sees everything that
        // led to it. The crew joins its threads before it reads their results; by the models it
        // could do with Relaxed.
        credits > 0 && self.0.fetch_sub(credits, Ordering::AcqRel) == credits
    }

    #[cfg(all(test, loom))]
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
