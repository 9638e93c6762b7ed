//! `seize`, with a collector of its own. Threads register by themselves, with their first guard.

use std::sync::atomic::{AtomicPtr, Ordering};

use seize::{Collector, Guard, LocalGuard};

use crate::queues::scenario::reclaim::node::{Node, Supply};
use crate::queues::scenario::reclaim::scheme::{Pinning, Scheme};

pub(super) struct Seize(Collector);

impl Seize {
    /// A collector with its defaults: batches of 32, or of as many as there are cores.
    pub(super) fn new() -> Seize {
        Seize(Collector::new())
    }
}

impl Scheme for Seize {
    type Local<'a> = Participant<'a>;

    fn register(&self) -> Participant<'_> {
        Participant(&self.0)
    }

    /// Uses an owned guard, which takes a slot and releases it: a thread's whole life.
    ///
    /// # Safety
    ///
    /// As for the trait.
    unsafe fn visit<S: Supply>(&self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { give::<S>(&self.0.enter_owned(), node) };
    }
}

/// A thread's part: a thread-local finds its slot.
pub(super) struct Participant<'a>(&'a Collector);

/// Retires `node`.
///
/// # Safety
///
/// As [`Local::retire`](super::scheme::Local::retire).
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

impl<'a> Pinning for Participant<'a> {
    type Guard<'g>
        = LocalGuard<'a>
    where
        Self: 'g;

    fn guard(&mut self) -> LocalGuard<'a> {
        self.0.enter()
    }

    // SAFETY: callers keep the promise of `Pinning::give`.
    unsafe fn give<S: Supply>(guard: &LocalGuard<'a>, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { give::<S>(guard, node) };
    }

    fn load(guard: &LocalGuard<'a>, shared: &AtomicPtr<Node>) -> *mut Node {
        // Ordering: Acquire pairs with the swap that put the node there; the guard raises it as far
        // as seize needs.
        guard.protect(shared, Ordering::Acquire)
    }
}
