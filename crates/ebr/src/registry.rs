//! The participants: one node per handle, in a lock-free list. In P0 every use of the list takes
//! the mutex that also guards the retired objects.
//!
//! Nodes of the list are never unlinked while the collector lives, only reused. So iterating over
//! the list needs no protection, no pointer dangles, and no cycle can form.

use std::ptr::{self, NonNull};

use crate::config::Reclaim;
use crate::garbage::LockedGarbage;
use crate::sync::{AtomicBool, AtomicPtr, AtomicU64, Mutex, MutexGuard, Ordering};

/// The word of a participant that is not pinned.
pub(crate) const UNPINNED: u64 = 0;

/// The word of a participant pinned at `epoch`.
pub(crate) const fn pinned_at(epoch: u64) -> u64 {
    epoch << 1 | 1
}

/// The shared state of a participant, on a cache line of its own: two, because some processors
/// fetch pairs.
#[repr(align(128))]
pub(crate) struct Node {
    /// `UNPINNED`, or `pinned_at` an epoch.
    pub(crate) state: AtomicU64,
    /// Whether a handle owns the node. Only that handle may write `state`.
    in_use: AtomicBool,
    /// Written before the node is published, never after.
    next: *mut Node,
}

impl Node {
    fn new() -> Node {
        Node {
            state: AtomicU64::new(UNPINNED),
            in_use: AtomicBool::new(true),
            next: ptr::null_mut(),
        }
    }

    /// Whether this participant lets the epoch advance from the one that `current` stands for.
    fn allows(&self, current: u64) -> bool {
        // Ordering: Relaxed. The barrier before the scan ensures that every relevant pin is seen;
        // the acquire fence after it pairs with the Release of the store that was read.
        let word = self.state.load(Ordering::Relaxed);
        word == UNPINNED || word == current
    }
}

/// The participants of a collector, as a stack that only grows, and in P0 the mutex around it.
pub(crate) struct Registry {
    head: AtomicPtr<Node>,
    locked: Option<Mutex<LockedGarbage>>,
}

impl Registry {
    pub(crate) fn new(reclaim: Reclaim) -> Registry {
        let locked = (reclaim == Reclaim::Mutex).then(Mutex::default);
        Registry { head: AtomicPtr::new(ptr::null_mut()), locked }
    }

    /// Takes the mutex of P0, with what it guards. `None` in the other stages. No deleter runs
    /// under the lock, so a poisoned one still guards sound data.
    pub(crate) fn lock(&self) -> Option<MutexGuard<'_, LockedGarbage>> {
        let locked = self.locked.as_ref()?;
        Some(locked.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// A node for a new participant, unpinned: a free one, or a new one. It lives as long as the
    /// registry.
    pub(crate) fn join(&self) -> NonNull<Node> {
        let _locked = self.lock();
        for node in self.nodes() {
            // Ordering: Relaxed, a check that saves most of the exchanges. Acquire on success pairs
            // with the Release in `leave`.
            let free = !node.in_use.load(Ordering::Relaxed);
            if free
                && node
                    .in_use
                    .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
            {
                return NonNull::from(node);
            }
        }
        self.push(Box::new(Node::new()))
    }

    /// Returns a node.
    ///
    /// # Safety
    ///
    /// The node came from `join` of this registry, is returned once, and is unpinned.
    pub(crate) unsafe fn leave(&self, node: NonNull<Node>) {
        let _locked = self.lock();
        // SAFETY: nodes live as long as the registry.
        let node = unsafe { node.as_ref() };
        // Ordering: Release pairs with the Acquire in `join`: the next owner's words come later in
        // the modification order of `state`, and continue what these published.
        node.in_use.store(false, Ordering::Release);
    }

    /// Whether every participant is unpinned or has the word `current`. The caller has made a heavy
    /// barrier before, and makes an acquire fence after.
    pub(crate) fn all_allow(&self, current: u64) -> bool {
        let _locked = self.lock();
        self.nodes().all(|node| node.allows(current))
    }

    /// The current nodes.
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        // Ordering: Acquire pairs with the Release of `push`, for the contents of the node and all
        // nodes behind it.
        let mut at = self.head.load(Ordering::Acquire);
        std::iter::from_fn(move || {
            // SAFETY: published nodes are freed only in `drop`, which has the list to itself, and
            // are written only through atomics.
            let node = unsafe { at.as_ref() }?;
            at = node.next;
            Some(node)
        })
    }

    fn push(&self, node: Box<Node>) -> NonNull<Node> {
        let new = NonNull::from(Box::leak(node));
        // Ordering: Relaxed, the exchange below confirms it.
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            // SAFETY: not published yet, so no other thread reads it.
            unsafe { (*new.as_ptr()).next = head };
            // Ordering: Release pairs with the Acquire in `nodes`. As a read-modify-write it also
            // continues the release sequence of every push before it.
            match self.head.compare_exchange_weak(
                head,
                new.as_ptr(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return new,
                Err(now) => head = now,
            }
        }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // Ordering: Acquire, as in `nodes`. No handle is left, so nothing is pushed.
        let mut at = self.head.load(Ordering::Acquire);
        while !at.is_null() {
            // SAFETY: every node was leaked from a box, is in the list once, and no other thread
            // can reach it now.
            at = unsafe { Box::from_raw(at) }.next;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_returned_node_is_reused() {
        let registry = Registry::new(Reclaim::Adaptive);
        let (first, second) = (registry.join(), registry.join());
        assert_ne!(first, second);
        // SAFETY: from `join`, once, never pinned.
        unsafe { registry.leave(first) };
        assert_eq!(registry.join(), first);
        assert_eq!(registry.nodes().count(), 2);
    }

    #[test]
    fn a_node_has_cache_lines_of_its_own() {
        assert_eq!((align_of::<Node>(), size_of::<Node>()), (128, 128));
    }

    #[test]
    fn only_pins_of_the_current_epoch_allow_the_next() {
        for reclaim in [Reclaim::Mutex, Reclaim::Adaptive] {
            let registry = Registry::new(reclaim);
            let node = registry.join();
            assert!(registry.all_allow(pinned_at(7)));
            // SAFETY: alive until it is left.
            let state = unsafe { &node.as_ref().state };
            state.store(pinned_at(7), Ordering::Relaxed);
            assert!(registry.all_allow(pinned_at(7)) && !registry.all_allow(pinned_at(8)));
            state.store(UNPINNED, Ordering::Relaxed);
            assert!(registry.all_allow(pinned_at(8)));
            // SAFETY: from `join`, once, unpinned.
            unsafe { registry.leave(node) };
            assert!(registry.all_allow(pinned_at(9)));
        }
    }
}
