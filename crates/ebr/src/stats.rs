//! The statistics of a collector, counted without slowing what they count.
//!
//! Handles count in cells of their own and add them to the shared counters when a bag is closed,
//! before anything is freed, and when they are dropped. All atomics here are relaxed and std's,
//! because no decision depends on them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many objects there are, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectCounts {
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
}

impl ObjectCounts {
    #[inline]
    pub(crate) fn add(&mut self, bytes: usize) {
        self.objects += 1;
        self.bytes = self.bytes.wrapping_add(bytes as u64);
    }

    /// What was added since `before`.
    pub(crate) fn since(self, before: ObjectCounts) -> ObjectCounts {
        ObjectCounts {
            objects: self.objects - before.objects,
            bytes: self.bytes.wrapping_sub(before.bytes),
        }
    }
}

/// What a collector has done so far.
///
/// Exact if no handle is in the middle of an operation: a handle adds up to 64 retirements at a
/// time, at the latest in [`Guard::flush`](crate::Guard::flush),
/// [`Handle::collect`](crate::Handle::collect) or when it is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Objects passed to `retire`.
    pub retired: u64,
    /// Their bytes, as given by the callers.
    pub retired_bytes: u64,
    /// Objects that have been deleted.
    pub reclaimed: u64,
    /// Their bytes.
    pub reclaimed_bytes: u64,
    /// The most objects that were retired and not reclaimed at one time. Exact for one handle; each
    /// of several handles may have up to 63 more in its open bag that are not counted yet.
    pub high_water: u64,
    /// The most bytes that were retired and not reclaimed at one time, which need not be when
    /// `high_water` was reached.
    pub high_water_bytes: u64,
    /// Attempts to advance the epoch.
    pub tries: u64,
    /// Attempts that advanced it. Those counted neither here nor in `blocked` found that another
    /// thread had just advanced it.
    pub advances: u64,
    /// Attempts blocked by a participant pinned in an earlier epoch.
    pub blocked: u64,
    /// Scans of the registry. Two in one attempt only with `membarrier`, which scans once before it
    /// interrupts all threads.
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

/// The counts of all participants together.
#[derive(Default)]
pub(crate) struct SharedTotals {
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

impl SharedTotals {
    /// Adds what a handle has retired since its last call.
    pub(crate) fn add_retired(&self, counts: ObjectCounts) {
        if counts.objects > 0 {
            let objects = self.waiting.fetch_add(counts.objects, Relaxed) + counts.objects;
            raise(&self.high_water, objects);
            let bytes = self.waiting_bytes.fetch_add(counts.bytes, Relaxed);
            raise(&self.high_water_bytes, bytes.wrapping_add(counts.bytes));
        }
    }

    /// Moves deleted objects from waiting to reclaimed.
    pub(crate) fn add_reclaimed(&self, counts: ObjectCounts) {
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

/// Raises `mark` to `value`. Reads first, so that a mark that is not passed costs no write to a
/// shared line.
fn raise(mark: &AtomicU64, value: u64) {
    if mark.load(Relaxed) < value {
        mark.fetch_max(value, Relaxed);
    }
}
