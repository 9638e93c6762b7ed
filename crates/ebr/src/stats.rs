//! What a collector counts, and how without slowing what it counts.
//!
//! Handles count in plain cells of their own and add them to the shared counters when a bag is
//! closed, before anything is freed, and when they are dropped. All atomics here are relaxed and
//! std's: they decide nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Objects and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
}

impl Counts {
    #[inline]
    pub(crate) fn add(&mut self, bytes: usize) {
        self.objects += 1;
        self.bytes = self.bytes.wrapping_add(bytes as u64);
    }

    /// What was added since it was `before`.
    pub(crate) fn since(self, before: Counts) -> Counts {
        Counts {
            objects: self.objects - before.objects,
            bytes: self.bytes.wrapping_sub(before.bytes),
        }
    }
}

/// What a collector has done so far.
///
/// Exact when no handle is in the middle of something: retirements of a handle are added up to 64
/// at a time, and at the latest by [`Guard::flush`](crate::Guard::flush),
/// [`Handle::collect`](crate::Handle::collect) or the handle's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Objects given to `retire`.
    pub retired: u64,
    /// Their bytes, as far as the callers told.
    pub retired_bytes: u64,
    /// Objects whose deleter has run.
    pub reclaimed: u64,
    /// Their bytes.
    pub reclaimed_bytes: u64,
    /// The most objects that were retired and not reclaimed at one time. Exact for one handle; of
    /// several, each may have up to 63 more in its open bag that did not count yet.
    pub high_water: u64,
    /// The same for bytes; the two need not be of the same moment.
    pub high_water_bytes: u64,
    /// Tries to advance the epoch.
    pub tries: u64,
    /// Tries that moved it. What is neither here nor in `blocked` found that another thread had
    /// just moved it.
    pub advances: u64,
    /// Tries that met a participant pinned in an earlier epoch.
    pub blocked: u64,
    /// Walks over the registry. Two in one try only where `membarrier` is in force: it looks before
    /// it interrupts everybody.
    pub scans: u64,
}

impl Stats {
    /// Objects retired and not reclaimed yet.
    pub fn unreclaimed(&self) -> u64 {
        self.retired.saturating_sub(self.reclaimed)
    }

    /// Their bytes.
    pub fn unreclaimed_bytes(&self) -> u64 {
        self.retired_bytes.saturating_sub(self.reclaimed_bytes)
    }
}

/// The shared counters.
#[derive(Default)]
pub(crate) struct Totals {
    waiting: AtomicU64,
    waiting_bytes: AtomicU64,
    reclaimed: AtomicU64,
    reclaimed_bytes: AtomicU64,
    high_water: AtomicU64,
    high_water_bytes: AtomicU64,
    pub(crate) tries: AtomicU64,
    pub(crate) advances: AtomicU64,
    pub(crate) blocked: AtomicU64,
    pub(crate) scans: AtomicU64,
}

impl Totals {
    /// Adds what a handle has retired since it last did this.
    pub(crate) fn add_retired(&self, counts: Counts) {
        if counts.objects > 0 {
            let objects = self.waiting.fetch_add(counts.objects, Relaxed) + counts.objects;
            raise(&self.high_water, objects);
            let bytes = self.waiting_bytes.fetch_add(counts.bytes, Relaxed);
            raise(&self.high_water_bytes, bytes.wrapping_add(counts.bytes));
        }
    }

    /// Moves what deleters have run on. It was added before.
    pub(crate) fn add_reclaimed(&self, counts: Counts) {
        if counts.objects > 0 {
            self.reclaimed.fetch_add(counts.objects, Relaxed);
            self.reclaimed_bytes.fetch_add(counts.bytes, Relaxed);
            self.waiting.fetch_sub(counts.objects, Relaxed);
            self.waiting_bytes.fetch_sub(counts.bytes, Relaxed);
        }
    }

    pub(crate) fn snapshot(&self) -> Stats {
        let reclaimed = self.reclaimed.load(Relaxed);
        let reclaimed_bytes = self.reclaimed_bytes.load(Relaxed);
        Stats {
            retired: reclaimed.wrapping_add(self.waiting.load(Relaxed)),
            retired_bytes: reclaimed_bytes.wrapping_add(self.waiting_bytes.load(Relaxed)),
            reclaimed,
            reclaimed_bytes,
            high_water: self.high_water.load(Relaxed),
            high_water_bytes: self.high_water_bytes.load(Relaxed),
            tries: self.tries.load(Relaxed),
            advances: self.advances.load(Relaxed),
            blocked: self.blocked.load(Relaxed),
            scans: self.scans.load(Relaxed),
        }
    }
}

/// Adds one to a counter.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

/// Looks first: a mark that is not passed costs no write to a shared line.
fn raise(mark: &AtomicU64, value: u64) {
    if mark.load(Relaxed) < value {
        mark.fetch_max(value, Relaxed);
    }
}
