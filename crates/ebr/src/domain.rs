//! What all handles of one collector share, and the step that moves the epoch.

use crossbeam_utils::CachePadded;

use crate::barrier::Heavy;
use crate::config::{Barrier, Config};
use crate::garbage::Freed;
use crate::orphans::Orphans;
use crate::registry::{Registry, lock, pinned_at};
use crate::stats::{Stats, Totals, count};
use crate::sync::{AtomicU64, Ordering, fence};

/// Shared by the handles and the collector's clones; what is left when the last of them goes is
/// freed.
pub(crate) struct Domain {
    pub(crate) config: Config,
    /// What is in force, which may be less than `config` asks for.
    pub(crate) barrier: Barrier,
    pub(crate) epoch: CachePadded<AtomicU64>,
    pub(crate) registry: Registry,
    pub(crate) orphans: Orphans,
    pub(crate) totals: CachePadded<Totals>,
    /// How many handles there have been.
    arrivals: AtomicU64,
}

/// Of so many newcomers one tries to reclaim.
const NEWCOMERS_PER_TRY: u64 = 16;

/// What became of a try to move the epoch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advance {
    /// It is this now, at least; we moved it, or another did at the same time.
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
            orphans: Orphans::new(),
            totals: CachePadded::new(Totals::default()),
            arrivals: AtomicU64::new(0),
        }
    }

    /// Whether the handle that has just been made should try to reclaim what the gone have left.
    pub(crate) fn should_reclaim_on_register(&self) -> bool {
        // Ordering: Relaxed, a rhythm and no more.
        self.arrivals.fetch_add(1, Ordering::Relaxed) % NEWCOMERS_PER_TRY == NEWCOMERS_PER_TRY - 1
    }

    /// The epoch, for deciding what may be freed or whether to move it.
    pub(crate) fn epoch(&self) -> u64 {
        // Ordering: Acquire pairs with the Release of the exchange in `try_advance`: everything
        // that participants did before they stopped to be in the way of this epoch happened before
        // us.
        self.epoch.load(Ordering::Acquire)
    }

    /// Moves the epoch on by one, if every pinned participant has reached it.
    pub(crate) fn try_advance(&self) -> Advance {
        count(&self.totals.tries);
        let epoch = self.epoch();
        let current = pinned_at(epoch);
        // An interrupt for every thread is dear, and often a look shows that it would be in vain.
        if self.barrier == Barrier::Membarrier && !self.scan(current) {
            return self.blocked();
        }
        if self.barrier.heavy() == Heavy::Refused || !self.scan(current) {
            return self.blocked();
        }
        // Ordering: Acquire pairs with the Release of the unpin, or of a later pin, that `scan`
        // read in each node: what the participant read before that is done.
        fence(Ordering::Acquire);
        // Ordering: Release hands that on to whoever reads this epoch, or a later one, with
        // Acquire.
        let moved = self.epoch.compare_exchange(
            epoch,
            epoch + 1,
            Ordering::Release,
            // Ordering: Relaxed; the caller reads the epoch anew.
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

    /// The tag of what is closed now, by a full fence: every reader that can still reach it is
    /// pinned at this epoch or an earlier one.
    pub(crate) fn fenced_tag(&self) -> u64 {
        // Ordering: pairs with the fence of a pin. A pin whose fence comes later reads what we
        // unlinked as unlinked; one whose fence comes earlier has read an epoch no later than the
        // one we read next.
        fence(Ordering::SeqCst);
        // Ordering: Relaxed, behind the fence.
        self.epoch.load(Ordering::Relaxed)
    }

    /// The same without a fence, for a caller that is pinned: while it is, the epoch can be one
    /// ahead of what it reads, no more, so its readers may be as well.
    pub(crate) fn pinned_tag(&self) -> u64 {
        // Ordering: Relaxed, behind the barrier of the caller's pin.
        self.epoch.load(Ordering::Relaxed) + 1
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.totals.snapshot();
        if let Registry::Locked(ledger) = &self.registry {
            let ledger = lock(ledger);
            stats.retired = ledger.total.objects;
            stats.retired_bytes = ledger.total.bytes;
            stats.high_water = ledger.most.objects;
            stats.high_water_bytes = ledger.most.bytes;
        }
        stats
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        let mut freed = Freed::default();
        // SAFETY: every handle holds the domain, so there are none.
        unsafe { self.orphans.free_all(&mut freed) };
        if let Registry::Locked(ledger) = &self.registry {
            let rest = lock(ledger).take_ripe(u64::MAX);
            // SAFETY: as above.
            rest.into_iter().for_each(|mut batch| unsafe { freed.run(&mut batch) });
        }
        freed.rethrow();
    }
}
