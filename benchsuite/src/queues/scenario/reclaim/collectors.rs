//! The collectors whose pin is a guard: `heist-ebr` in its four stages, which are the document's
//! columns, and with `membarrier`; `crossbeam-epoch`; `seize`. Each row has one of its own.

use std::sync::atomic::{AtomicPtr, Ordering};

use heist_ebr::{Barrier, Config};
use seize::Guard as _;

use crate::queues::scenario::reclaim::node::{Node, Supply};
use crate::queues::scenario::reclaim::scheme::{Pinning, Scheme};

/// A collector of this kind; an error if the kernel lacks a wanted `membarrier`.
pub(super) fn heist(config: Config) -> Result<heist_ebr::Collector, String> {
    let collector = heist_ebr::Collector::new(config);
    if collector.barrier() != config.barrier {
        return Err("the kernel refuses membarrier".to_owned());
    }
    Ok(collector)
}

impl Scheme for heist_ebr::Collector {
    type Local<'a> = heist_ebr::Handle;

    fn register(&self) -> heist_ebr::Handle {
        self.register()
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let stats = self.stats();
        vec![
            ("scans", stats.scans),
            ("tries", stats.tries),
            ("advances", stats.advances),
            ("blocked", stats.blocked),
            ("own_high_water", stats.high_water),
            ("membarrier", u64::from(self.barrier() == Barrier::Membarrier)),
        ]
    }
}

impl Pinning for heist_ebr::Handle {
    type Guard<'g> = heist_ebr::Guard<'g>;

    fn guard(&mut self) -> heist_ebr::Guard<'_> {
        heist_ebr::Handle::pin(self)
    }

    // SAFETY: callers keep the promise of `Pinning::give`.
    unsafe fn give<S: Supply>(guard: &heist_ebr::Guard<'_>, node: *mut Node) {
        /// # Safety
        ///
        /// As [`Supply::free`], of a `Node`.
        unsafe fn free<S: Supply>(node: *mut ()) {
            // SAFETY: what was given to `retire_with` below was a `Node` of an `S`, and the
            // collector calls this when no thread uses it any more.
            unsafe { S::free(node.cast()) };
        }
        // SAFETY: by the caller's promise the node is retired once, cannot be found, and lives as
        // long as the collector; nodes are Send, and `free` may be called anywhere.
        unsafe { guard.retire_with(node.cast(), size_of::<Node>(), free::<S>) };
    }
}

impl Scheme for crossbeam_epoch::Collector {
    type Local<'a> = crossbeam_epoch::LocalHandle;

    fn register(&self) -> crossbeam_epoch::LocalHandle {
        self.register()
    }
}

impl Pinning for crossbeam_epoch::LocalHandle {
    type Guard<'g> = crossbeam_epoch::Guard;

    fn guard(&mut self) -> crossbeam_epoch::Guard {
        crossbeam_epoch::LocalHandle::pin(self)
    }

    // SAFETY: callers keep the promise of `Pinning::give`.
    unsafe fn give<S: Supply>(guard: &crossbeam_epoch::Guard, node: *mut Node) {
        // SAFETY: by the caller's promise the node cannot be found any more and lives as long as
        // the collector. The closure runs once, when no guard from before is left, on any thread:
        // nodes are Send.
        unsafe { guard.defer_unchecked(move || S::free(node)) };
    }
}

/// Threads register by themselves, with their first guard: a thread-local finds their slots.
impl Scheme for seize::Collector {
    type Local<'a> = &'a seize::Collector;

    fn register(&self) -> &seize::Collector {
        self
    }

    /// Uses an owned guard, which takes a slot and releases it: a thread's whole life.
    ///
    /// # Safety
    ///
    /// As for the trait.
    unsafe fn visit<S: Supply>(&self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { give_to_seize::<S>(&self.enter_owned(), node) };
    }
}

/// Retires `node`.
///
/// # Safety
///
/// As [`Local::retire`](super::scheme::Local::retire).
unsafe fn give_to_seize<S: Supply>(guard: &impl seize::Guard, node: *mut Node) {
    /// # Safety
    ///
    /// As [`Supply::free`].
    unsafe fn free<S: Supply>(node: *mut Node, _: &seize::Collector) {
        // SAFETY: what was given to `defer_retire` below was a node of an `S`, and the collector
        // calls this when no thread uses it any more.
        unsafe { S::free(node) };
    }
    // SAFETY: by the caller's promise the node is retired once, cannot be found, and lives as long
    // as the collector; nodes are Send.
    unsafe { guard.defer_retire(node, free::<S>) };
}

impl<'a> Pinning for &'a seize::Collector {
    type Guard<'g>
        = seize::LocalGuard<'a>
    where
        Self: 'g;

    fn guard(&mut self) -> seize::LocalGuard<'a> {
        self.enter()
    }

    // SAFETY: callers keep the promise of `Pinning::give`.
    unsafe fn give<S: Supply>(guard: &seize::LocalGuard<'a>, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { give_to_seize::<S>(guard, node) };
    }

    fn load(guard: &seize::LocalGuard<'a>, shared: &AtomicPtr<Node>) -> *mut Node {
        // Ordering: Acquire pairs with the swap that put the node there; the guard raises it as far
        // as seize needs.
        guard.protect(shared, Ordering::Acquire)
    }
}
