//! The collectors that pin with a guard: `heist-ebr` in its four stages, which are the document's
//! columns, and with `membarrier`; `crossbeam-epoch`; `seize`. Each row has its own collector.
//!
//! Who calls `retire` promises that the node is retired once and cannot be found; nodes are `Send`.
//! So a collector may call [`free`] with it, on any thread, when no thread uses it any more.

use std::sync::atomic::{AtomicPtr, Ordering};

use heist_ebr::{Barrier, Config};
use seize::Guard as _;

use crate::queues::scenario::reclaim::node::{Object, free};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};

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

impl Local for heist_ebr::Handle {
    type Guard<'g> = heist_ebr::Guard<'g>;

    fn pin(&mut self) -> heist_ebr::Guard<'_> {
        heist_ebr::Handle::pin(self)
    }

    // SAFETY: callers keep the promise of `Local::retire`.
    unsafe fn retire(guard: heist_ebr::Guard<'_>, node: *mut Object) {
        /// # Safety
        ///
        /// As [`free`], of an `Object`.
        unsafe fn free_untyped(node: *mut ()) {
            // SAFETY: what was given to `retire_with` below was a `Object`; see the module.
            unsafe { free(node.cast()) };
        }
        // SAFETY: see the module.
        unsafe { guard.retire_with(node.cast(), size_of::<Object>(), free_untyped) };
    }
}

impl Scheme for crossbeam_epoch::Collector {
    type Local<'a> = crossbeam_epoch::LocalHandle;

    fn register(&self) -> crossbeam_epoch::LocalHandle {
        self.register()
    }
}

impl Local for crossbeam_epoch::LocalHandle {
    type Guard<'g> = crossbeam_epoch::Guard;

    fn pin(&mut self) -> crossbeam_epoch::Guard {
        crossbeam_epoch::LocalHandle::pin(self)
    }

    // SAFETY: callers keep the promise of `Local::retire`.
    unsafe fn retire(guard: crossbeam_epoch::Guard, node: *mut Object) {
        // SAFETY: see the module. The closure runs once, when no guard from before is left.
        unsafe { guard.defer_unchecked(move || free(node)) };
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
    unsafe fn visit(&self, node: *mut Object) {
        // SAFETY: the caller promises what `Local::retire` requires; see the module.
        unsafe { self.enter_owned().defer_retire(node, free_seized) };
    }
}

/// [`free`] as `seize` calls it.
///
/// # Safety
///
/// As [`free`].
unsafe fn free_seized(node: *mut Object, _: &seize::Collector) {
    // SAFETY: the caller's promise is the same.
    unsafe { free(node) };
}

impl<'a> Local for &'a seize::Collector {
    type Guard<'g>
        = seize::LocalGuard<'a>
    where
        Self: 'g;

    fn pin(&mut self) -> seize::LocalGuard<'a> {
        seize::Collector::enter(self)
    }

    // SAFETY: callers keep the promise of `Local::retire`.
    unsafe fn retire(guard: seize::LocalGuard<'a>, node: *mut Object) {
        // SAFETY: see the module.
        unsafe { guard.defer_retire(node, free_seized) };
    }

    fn load(guard: &mut seize::LocalGuard<'a>, shared: &AtomicPtr<Object>) -> *mut Object {
        // Ordering: Acquire pairs with the swap that put the node there; the guard raises it as far
        // as seize needs.
        guard.protect(shared, Ordering::Acquire)
    }
}
