//! Garbage left behind by dropped handles: closed bags that every attempt to reclaim examines.

use std::mem;

use crate::garbage::{Freed, Sealed, is_ripe};
use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering};

/// The orphaned bags. The lock is held only to hand bags over, never while deleters run.
#[derive(Default)]
pub(crate) struct Orphans {
    bags: Mutex<Vec<Sealed>>,
    /// Whether there are bags, written under the lock and read without it, so that an attempt
    /// without orphans takes no lock.
    any: AtomicBool,
}

impl Orphans {
    /// Whether there are none. Another thread may have taken them just now.
    pub(crate) fn is_empty(&self) -> bool {
        // Ordering: Relaxed, a hint; the lock orders the bags.
        !self.any.load(Ordering::Relaxed)
    }

    pub(crate) fn push(&self, more: impl IntoIterator<Item = Sealed>) {
        let mut bags = self.lock();
        bags.extend(more);
        // Ordering: Relaxed, see `is_empty`.
        self.any.store(!bags.is_empty(), Ordering::Relaxed);
    }

    /// Takes all bags out. The caller pushes back what it does not free.
    fn take(&self) -> Vec<Sealed> {
        let mut bags = self.lock();
        // Ordering: Relaxed, see `is_empty`.
        self.any.store(false, Ordering::Relaxed);
        mem::take(&mut *bags)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Sealed>> {
        // No deleter runs under the lock, so a poisoned one still guards sound data.
        self.bags.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
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
        let (ripe, rest): (Vec<Sealed>, Vec<Sealed>) =
            self.take().into_iter().partition(|bag| is_ripe(bag.tag, epoch));
        // First: deleters may take long, and other threads should find the rest meanwhile.
        self.push(rest);
        for mut bag in ripe {
            // SAFETY: ripe at an epoch read with Acquire.
            unsafe { freed.run(&mut bag.objects) };
        }
    }

    /// Frees everything.
    ///
    /// # Safety
    ///
    /// No participant is left.
    pub(crate) unsafe fn free_all(&self, freed: &mut Freed) {
        for mut bag in self.take() {
            // SAFETY: without participants no thread can reach an object.
            unsafe { freed.run(&mut bag.objects) };
        }
    }
}
