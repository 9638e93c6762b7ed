//! `crossbeam-epoch`, with a collector of its own.

use std::sync::atomic::{AtomicPtr, Ordering};

use crossbeam_epoch::{Collector, Guard, LocalHandle};

use crate::queues::scenario::reclaim::node::{Node, Supply, Tally};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};

/// A collector.
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

/// Retires `node`.
///
/// # Safety
///
/// As [`Local::retire`].
unsafe fn give<S: Supply>(guard: &Guard, node: *mut Node) {
    // SAFETY: by the caller's promise the node cannot be found any more and lives as long as the
    // collector. The closure is run once, when no guard from before is left, on any thread: nodes
    // are Send.
    unsafe { guard.defer_unchecked(move || S::free(node)) };
}

impl Local for Participant {
    fn pin(&mut self) {
        drop(self.0.pin());
    }

    unsafe fn retire<S: Supply>(&mut self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { give::<S>(&self.0.pin(), node) };
    }

    unsafe fn swap<S: Supply>(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally) {
        let guard = self.0.pin();
        // Ordering: Acquire pairs with the swap that put the node there.
        let seen = shared.load(Ordering::Acquire);
        // SAFETY: it was in `shared` after the pin, so it is freed after the unpin at the earliest.
        tally.look(unsafe { &*seen });
        // Ordering: AcqRel. Release publishes `node`; Acquire pairs with the swap that published
        // the old one, which is about to be retired.
        let old = shared.swap(node, Ordering::AcqRel);
        // SAFETY: the swap took it out, for this thread alone.
        unsafe { give::<S>(&guard, old) };
    }

    fn stall(&mut self, during: impl FnOnce()) {
        let _guard = self.0.pin();
        during();
    }
}
