//! What every way of reclaiming memory has to offer here: the seam between it and the work.

use std::sync::atomic::AtomicPtr;

use crate::queues::scenario::reclaim::node::{Node, Supply, Tally};

/// A way of reclaiming memory. When it is dropped, everything retired to it is freed.
pub(super) trait Scheme: Sync {
    /// A thread's part in it.
    type Local<'a>: Local
    where
        Self: 'a;

    /// The calling thread takes part.
    fn register(&self) -> Self::Local<'_>;

    /// Takes part, pins, retires `node`, unpins and leaves again: a thread's whole life.
    ///
    /// # Safety
    ///
    /// As [`Local::retire`].
    unsafe fn visit<S: Supply>(&self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { self.register().retire::<S>(node) };
    }

    /// What it counts itself, as columns.
    fn told(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// A thread's part in a [`Scheme`].
pub(super) trait Local {
    /// Pins and unpins. With hazard pointers: protects one pointer and lets go of it.
    fn pin(&mut self);

    /// Pins, retires `node`, unpins. With hazard pointers: retires `node`, which needs no
    /// protection.
    ///
    /// # Safety
    ///
    /// `node` is from [`Supply::make`] of an `S`, is retired once, and no thread can find it. What
    /// it comes from outlives the scheme.
    unsafe fn retire<S: Supply>(&mut self, node: *mut Node);

    /// Pins, looks at the node in `shared`, puts `node` in its place, retires the one that was
    /// there, and unpins.
    ///
    /// # Safety
    ///
    /// `shared` holds a live node, and is only ever changed by this method, with the same scheme
    /// and the same `S`. `node` is as in [`retire`](Local::retire).
    unsafe fn swap<S: Supply>(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally);

    /// Stays pinned while `during` runs. With hazard pointers: keeps one pointer protected.
    fn stall(&mut self, during: impl FnOnce());
}
