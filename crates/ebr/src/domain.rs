//! What all handles of one collector share, and the step that advances the epoch.

use crossbeam_utils::CachePadded;

use crate::barrier::Heavy;
use crate::config::{Barrier, Config};
use crate::garbage::Freed;
use crate::orphans::Orphans;
use crate::registry::{Registry, pinned_at};
use crate::stats::{SharedTotals, Stats, count};
use crate::sync::{AtomicU64, Ordering, fence};

/// The state shared by the handles and the clones of a collector. Its drop frees what is left.
pub(crate) struct Domain {
    pub(crate) config: Config,
    /// The barrier in use, which may not be the configured one.
    pub(crate) barrier: Barrier,
    pub(crate) epoch: CachePadded<AtomicU64>,
    pub(crate) registry: Registry,
    pub(crate) orphans: Orphans,
    pub(crate) totals: CachePadded<SharedTotals>,
    /// How many handles have been registered.
    registrations: AtomicU64,
}

/// One registration in this many attempts to reclaim.
const REGISTRATIONS_PER_ATTEMPT: u64 = 16;

/// The result of an attempt to advance the epoch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advance {
    /// The epoch is now at least this: this thread advanced it, or another did at the same time.
    To(u64),
    /// A participant is pinned in an earlier epoch.
    Blocked,
}

impl Domain {
    pub(crate) fn new(config: Config) -> Domain {
        Domain {
            config,
            barrier: config.barrier.available(),
            epoch: CachePadded::new(AtomicU64::new(0)),
            registry: Registry::new(config.reclaim),
            orphans: Orphans::default(),
            totals: CachePadded::new(SharedTotals::default()),
            registrations: AtomicU64::new(0),
        }
    }

    /// Whether the newly registered handle should attempt to reclaim what dropped handles left.
    pub(crate) fn should_reclaim_on_register(&self) -> bool {
        // Ordering: Relaxed, only a rhythm.
        self.registrations.fetch_add(1, Ordering::Relaxed) % REGISTRATIONS_PER_ATTEMPT
            == REGISTRATIONS_PER_ATTEMPT - 1
    }

    /// The epoch, to decide what may be freed or whether to advance.
    pub(crate) fn epoch(&self) -> u64 {
        // Ordering: Acquire pairs with the Release of the step in `try_advance`: everything that
        // participants did before they stopped blocking this epoch happened before this read.
        self.epoch.load(Ordering::Acquire)
    }

    /// Advances the epoch by one if every pinned participant has reached it.
    pub(crate) fn try_advance(&self) -> Advance {
        count(&self.totals.tries);
        let epoch = self.epoch();
        let current = pinned_at(epoch);
        // Interrupting every thread is expensive, and a scan often shows that it would be in vain.
        if self.barrier == Barrier::Membarrier && !self.scan(current) {
            return self.blocked();
        }
        if self.barrier.heavy() == Heavy::Refused || !self.scan(current) {
            return self.blocked();
        }
        // Ordering: Acquire pairs with the Release of the unpin, or of a later pin, that `scan`
        // read in each node: the reads of the participant before that are over.
        fence(Ordering::Acquire);
        // Ordering: Release passes that on to a thread that reads this epoch or a later one with
        // Acquire.
        let moved = self.epoch.compare_exchange(
            epoch,
            epoch + 1,
            Ordering::Release,
            // Ordering: Relaxed; the epoch is read again below.
            Ordering::Relaxed,
        );
        if moved.is_ok() {
            count(&self.totals.advances);
        }
        Advance::To(self.epoch())
    }

    fn scan(&self, current: u64) -> bool {
        count(&self.totals.scans);
        self.registry.all_allow(current)
    }

    fn blocked(&self) -> Advance {
        count(&self.totals.blocked);
        Advance::Blocked
    }

    /// Returns the tag of a bag that is closed now, after a full fence: every reader that can still
    /// reach what the bag holds is pinned at this epoch or an earlier one.
    pub(crate) fn fenced_tag(&self) -> u64 {
        // Ordering: pairs with the fence of a pin. A pin that has its fence later finds the objects
        // unlinked; a pin that has it earlier has read an epoch no later than the one read next.
        fence(Ordering::SeqCst);
        // Ordering: Relaxed, behind the fence.
        self.epoch.load(Ordering::Relaxed)
    }

    /// Returns the tag of an object that is retired now, without a fence, for a caller that is
    /// pinned. Meanwhile the epoch can be at most one ahead of what the caller reads, and so can
    /// the pins of readers of the object.
    pub(crate) fn pinned_tag(&self) -> u64 {
        // Ordering: Relaxed, behind the barrier of the caller's pin.
        self.epoch.load(Ordering::Relaxed) + 1
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.totals.snapshot();
        if let Some(locked) = self.registry.lock() {
            stats.retired = locked.total.objects;
            stats.retired_bytes = locked.total.bytes;
            stats.high_water = locked.most.objects;
            stats.high_water_bytes = locked.most.bytes;
        }
        stats
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        let mut freed = Freed::default();
        // SAFETY: every handle holds the domain, so no participant is left.
        unsafe { self.orphans.free_all(&mut freed) };
        let rest = self.registry.lock().and_then(|mut locked| locked.take_ripe(u64::MAX));
        // SAFETY: as above.
        rest.into_iter().for_each(|mut batch| unsafe { freed.run(&mut batch) });
        freed.rethrow();
    }
}
