//! `crossbeam-epoch`, with a collector of its own.

use crossbeam_epoch::{Collector, Guard, LocalHandle};

use crate::queues::scenario::reclaim::node::{Node, Supply};
use crate::queues::scenario::reclaim::scheme::{Pinning, Scheme};

pub(super) struct Epoch(Collector);

impl Epoch {
    /// A collector without participants.
    pub(super) fn new() -> Epoch {
        Epoch(Collector::new())
    }
}

impl Scheme for Epoch {
    type Local<'a> = Participant;

    fn register(&self) -> Participant {
        Participant(self.0.register())
    }
}

/// A thread's handle.
pub(super) struct Participant(LocalHandle);

impl Pinning for Participant {
    type Guard<'g> = Guard;

    fn guard(&mut self) -> Guard {
        self.0.pin()
    }

    // SAFETY: callers keep the promise of `Pinning::give`.
    unsafe fn give<S: Supply>(guard: &Guard, node: *mut Node) {
        // SAFETY: by the caller's promise the node cannot be found any more and lives as long as
        // the collector. The closure runs once, when no guard from before is left, on any thread:
        // nodes are Send.
        unsafe { guard.defer_unchecked(move || S::free(node)) };
    }
}
