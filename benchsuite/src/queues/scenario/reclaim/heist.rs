//! `heist-ebr` in its four stages, which are the document's columns, and with `membarrier`.

use std::sync::atomic::{AtomicPtr, Ordering};

use heist_ebr::{Barrier, Collector, Config, Guard, Handle};

use crate::queues::scenario::reclaim::node::{Node, Supply, Tally};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};

/// A collector.
pub(super) struct Heist(Collector);

impl Heist {
    /// A collector of this kind; an error if the kernel lacks a wanted `membarrier`.
    pub(super) fn new(config: Config) -> Result<Heist, String> {
        let collector = Collector::new(config);
        if collector.barrier() != config.barrier {
            return Err("the kernel refuses membarrier".to_owned());
        }
        Ok(Heist(collector))
    }
}

impl Scheme for Heist {
    type Local<'a> = Participant;

    fn register(&self) -> Participant {
        Participant(self.0.register())
    }

    fn told(&self) -> Vec<(&'static str, u64)> {
        let stats = self.0.stats();
        vec![
            ("scans", stats.scans),
            ("tries", stats.tries),
            ("advances", stats.advances),
            ("blocked", stats.blocked),
            ("own_high_water", stats.high_water),
            ("membarrier", u64::from(self.0.barrier() == Barrier::Membarrier)),
        ]
    }
}

/// A thread's handle.
pub(super) struct Participant(Handle);

/// Retires `node`.
///
/// # Safety
///
/// As [`Local::retire`].
unsafe fn give<S: Supply>(guard: &Guard<'_>, node: *mut Node) {
    /// # Safety
    ///
    /// As [`Supply::free`], of a `Node`.
    unsafe fn free<S: Supply>(node: *mut ()) {
        // SAFETY: what was given to `retire_with` below was a `Node` of an `S`, and the collector
        // calls this when no thread uses it any more.
        unsafe { S::free(node.cast()) };
    }
    // SAFETY: by the caller's promise the node is retired once, cannot be found, and lives as long
    // as the collector; nodes are Send, and `free` may be called anywhere.
    unsafe { guard.retire_with(node.cast(), size_of::<Node>(), free::<S>) };
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
