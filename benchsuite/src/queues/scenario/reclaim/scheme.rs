//! What a way of reclaiming memory has to offer: the seam between it and the work.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::queues::scenario::reclaim::node::Object;

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
    unsafe fn visit(&self, node: *mut Object) {
        let mut local = self.register();
        // SAFETY: the caller's promise is the same.
        unsafe { Self::Local::retire(local.guard(), node) };
    }

    /// The scheme's own counters, as columns.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// A thread's part in a [`Scheme`].
pub(super) trait Local {
    /// Keeps the thread pinned.
    type Guard<'g>
    where
        Self: 'g;

    /// Pins. With hazard pointers: protects one pointer.
    fn pin(&mut self) -> Self::Guard<'_>;

    /// Pins to use or retire nodes. With hazard pointers nothing is protected before it is loaded.
    fn guard(&mut self) -> Self::Guard<'_> {
        self.pin()
    }

    /// Loads the node in `shared`, which lives until [`release`](Local::release).
    fn load(_: &mut Self::Guard<'_>, shared: &AtomicPtr<Object>) -> *mut Object {
        // Ordering: Acquire pairs with the swap that put the node there.
        shared.load(Ordering::Acquire)
    }

    /// Ends the use of what was loaded, and its protection by a hazard pointer, but no pin.
    fn release(_: &mut Self::Guard<'_>) {}

    /// Retires `node` under a guard, and unpins.
    ///
    /// # Safety
    ///
    /// `node` is from [`Supply::make`](super::node::Supply::make), is retired once, and no thread
    /// can find it.
    unsafe fn retire(guard: Self::Guard<'_>, node: *mut Object);
}
