//! What a way of reclaiming memory has to offer: the seam between it and the work.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::queues::scenario::reclaim::node::{Node, Tally};

/// A way of reclaiming memory. Dropping it frees everything retired to it.
pub(super) trait Scheme: Sync {
    /// A thread's part in it.
    type Local<'a>: Local
    where
        Self: 'a;

    /// Registers the calling thread.
    fn register(&self) -> Self::Local<'_>;

    /// Registers, pins, retires `node`, unpins and leaves again: a thread's whole life.
    ///
    /// # Safety
    ///
    /// As [`Local::retire`].
    unsafe fn visit(&self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { self.register().retire(node) };
    }

    /// Its own counters, as columns.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// A thread's part in a [`Scheme`].
pub(super) trait Local {
    /// Pins and unpins. With hazard pointers: protects one pointer and releases it.
    fn pin(&mut self);

    /// Pins, retires `node`, unpins. With hazard pointers: retires `node`, which needs no
    /// protection.
    ///
    /// # Safety
    ///
    /// `node` is from [`Supply::make`](super::node::Supply::make), is retired once, and no thread
    /// can find it. Its supply outlives the scheme.
    unsafe fn retire(&mut self, node: *mut Node);

    /// Pins, uses the node in `shared`, replaces it by `node`, retires the old one, and unpins.
    ///
    /// # Safety
    ///
    /// `shared` holds a live node, and is only ever changed by this method, with the same scheme.
    /// `node` is as in [`retire`](Local::retire).
    unsafe fn swap(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally);

    /// Stays pinned while `during` runs. With hazard pointers: keeps one pointer protected.
    fn stall(&mut self, during: impl FnOnce());
}

/// A [`Local`] whose pin is a guard.
pub(super) trait Pinning {
    type Guard<'g>
    where
        Self: 'g;

    fn guard(&mut self) -> Self::Guard<'_>;

    /// Retires `node` under a guard.
    ///
    /// # Safety
    ///
    /// As [`Local::retire`].
    unsafe fn give(guard: &Self::Guard<'_>, node: *mut Node);

    /// Loads the node in `shared`, which lives as long as the guard.
    fn load(_: &Self::Guard<'_>, shared: &AtomicPtr<Node>) -> *mut Node {
        // Ordering: Acquire pairs with the swap that put the node there.
        shared.load(Ordering::Acquire)
    }
}

impl<P: Pinning> Local for P {
    fn pin(&mut self) {
        drop(self.guard());
    }

    // SAFETY: callers keep the promise of `Local::retire`.
    unsafe fn retire(&mut self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { P::give(&self.guard(), node) };
    }

    unsafe fn swap(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally) {
        let guard = self.guard();
        // SAFETY: it was in `shared` after the pin, so it is freed after the unpin at the earliest.
        tally.look(unsafe { &*P::load(&guard, shared) });
        // Ordering: AcqRel. Release publishes `node`; Acquire pairs with the swap that published
        // the old one, which is about to be retired.
        let old = shared.swap(node, Ordering::AcqRel);
        // SAFETY: the swap took it out, for this thread alone.
        unsafe { P::give(&guard, old) };
    }

    fn stall(&mut self, during: impl FnOnce()) {
        let _guard = self.guard();
        during();
    }
}
