//! Garbage whose handle was dropped: a stack of closed bags that every attempt to reclaim examines.
//!
//! A taker takes the whole stack with one exchange, so that no node can vanish under it, and pushes
//! back what is not ripe.

use std::ptr;

use crate::garbage::{Freed, Sealed, is_ripe};
use crate::sync::{AtomicPtr, Ordering};

struct Orphan {
    bag: Sealed,
    next: *mut Orphan,
}

/// The stack of orphaned bags.
pub(crate) struct Orphans {
    head: AtomicPtr<Orphan>,
}

impl Orphans {
    pub(crate) fn new() -> Orphans {
        Orphans { head: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Whether the stack is empty. Another thread may have taken it just now.
    pub(crate) fn is_empty(&self) -> bool {
        // Ordering: Relaxed, a hint; `take` has the ordering.
        self.head.load(Ordering::Relaxed).is_null()
    }

    pub(crate) fn push(&self, bag: Sealed) {
        self.push_box(Box::new(Orphan { bag, next: ptr::null_mut() }));
    }

    fn push_box(&self, orphan: Box<Orphan>) {
        let new = Box::into_raw(orphan);
        // Ordering: Relaxed, the exchange below confirms it, and the pointer is not followed here.
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            // SAFETY: this thread owns the node until the exchange succeeds.
            unsafe { (*new).next = head };
            // Ordering: Release pairs with the Acquire in `take` and hands over the objects. Older
            // pushes stay published, because this is a read-modify-write.
            match self.head.compare_exchange_weak(head, new, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    fn take(&self) -> Chain {
        // Ordering: Acquire pairs with the Release in `push_box`, for the bags on the stack.
        Chain(self.head.swap(ptr::null_mut(), Ordering::Acquire))
    }

    /// Frees what is ripe at `epoch`.
    ///
    /// # Safety
    ///
    /// `epoch` was read from the collector's epoch with Acquire.
    pub(crate) unsafe fn free_ripe(&self, epoch: u64, freed: &mut Freed) {
        if self.is_empty() {
            return;
        }
        // Separated first: deleters may take long, and other threads should find the rest
        // meanwhile.
        let mut ripe = Vec::new();
        for orphan in self.take() {
            if is_ripe(orphan.bag.tag, epoch) {
                ripe.push(orphan);
            } else {
                self.push_box(orphan);
            }
        }
        for mut orphan in ripe {
            // SAFETY: ripe at an epoch read with Acquire.
            unsafe { freed.run(&mut orphan.bag.objects) };
        }
    }

    /// Frees everything.
    ///
    /// # Safety
    ///
    /// No participant is left.
    pub(crate) unsafe fn free_all(&self, freed: &mut Freed) {
        for mut orphan in self.take() {
            // SAFETY: without participants no thread can reach an object.
            unsafe { freed.run(&mut orphan.bag.objects) };
        }
    }
}

/// A stack taken whole. Nodes that are not iterated over are leaked, so callers exhaust it.
struct Chain(*mut Orphan);

impl Iterator for Chain {
    type Item = Box<Orphan>;

    fn next(&mut self) -> Option<Box<Orphan>> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: leaked from a box in `push_box`, and owned since the exchange that took the
        // stack.
        let orphan = unsafe { Box::from_raw(self.0) };
        self.0 = orphan.next;
        Some(orphan)
    }
}
