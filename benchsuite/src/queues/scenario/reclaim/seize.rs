//! `seize`, with a collector of its own. Threads register by themselves, with their first guard.

use std::sync::atomic::{AtomicPtr, Ordering};

use seize::{Collector, Guard};

use crate::queues::scenario::reclaim::node::{Node, Supply, Tally};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};

/// A collector.
pub(super) struct Seize(Collector);

impl Seize {
    /// A collector as it comes: batches of 32, or of as many as there are cores.
    pub(super) fn new() -> Seize {
        Seize(Collector::new())
    }
}

impl Scheme for Seize {
    type Local<'a> = Participant<'a>;

    fn register(&self) -> Participant<'_> {
        Participant(&self.0)
    }

    /// With an owned guard, which takes a slot and gives it back: what a thread's life amounts to.
    ///
    /// # Safety
    ///
    /// As for the trait.
    unsafe fn visit<S: Supply>(&self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { give::<S>(&self.0.enter_owned(), node) };
    }
}

/// A thread's part: its slot is found by a thread-local.
pub(super) struct Participant<'a>(&'a Collector);

/// Retires `node`.
///
/// # Safety
///
/// As [`Local::retire`].
unsafe fn give<S: Supply>(guard: &impl Guard, node: *mut Node) {
    /// # Safety
    ///
    /// As [`Supply::free`].
    unsafe fn free<S: Supply>(node: *mut Node, _: &Collector) {
        // SAFETY: what was given to `defer_retire` below was a node of an `S`, and the collector
        // calls this when no thread uses it any more.
        unsafe { S::free(node) };
    }
    // SAFETY: by the caller's promise the node is retired once, cannot be found, and lives as long
    // as the collector; nodes are Send.
    unsafe { guard.defer_retire(node, free::<S>) };
}

impl Local for Participant<'_> {
    fn pin(&mut self) {
        drop(self.0.enter());
    }

    unsafe fn retire<S: Supply>(&mut self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { give::<S>(&self.0.enter(), node) };
    }

    unsafe fn swap<S: Supply>(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally) {
        let guard = self.0.enter();
        // Ordering: Acquire pairs with the swap that put the node there; the guard raises it
        // as far as seize needs.
        let seen = guard.protect(shared, Ordering::Acquire);
        // SAFETY: it was in `shared` after the guard was made, so it is freed after the guard's end
        // at the earliest.
        tally.look(unsafe { &*seen });
        // Ordering: AcqRel. Release publishes `node`; Acquire pairs with the swap that published
        // the old one, which is about to be retired.
        let old = guard.swap(shared, node, Ordering::AcqRel);
        // SAFETY: the swap took it out, for this thread alone.
        unsafe { give::<S>(&guard, old) };
    }

    fn stall(&mut self, during: impl FnOnce()) {
        let _guard = self.0.enter();
        during();
    }
}
