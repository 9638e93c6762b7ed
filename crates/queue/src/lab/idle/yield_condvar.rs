//! `YieldCondvar`: search for long, yielding in between, then sleep on one condition variable.
//!
//! After part 3 of Phanes; the differences are in
//! `docs/decisions/0012-departures-from-published-queues.md`. The predicate of the sleep is a count
//! of *grants*, wake-ups given and not yet taken, which is read and changed only under the mutex.
//!
//! # State
//!
//! The mutex guards the grants. Beside it one atomic word counts the parked workers (low half) and
//! the searchers (high half), so that busy workers never touch the mutex while none is idle. An
//! announcement adds to the parked count without the mutex; a thread that subtracts from it, a
//! waker or a worker that withdraws its announcement, holds the mutex. So under the mutex
//!
//! > parked + grants = workers that have announced a sleep and not yet returned from it,
//!
//! except that workers that just announce may add themselves at any time. A waker moves one from
//! parked to grants and counts it as a searcher. It does not choose a worker: any announced worker
//! may take the grant, even one that was about to sleep and now does not.
//!
//! # No wake-up is lost
//!
//! Publisher and sleeper do the same as in `Event`: push, fence, read the word; announce (RMW),
//! fence, look into every queue. So either the publisher sees a parked worker, or the sleeper sees
//! the item. The document relies on the mutex as the barrier, but a publisher that sees no idle
//! worker never takes the mutex.
//!
//! A publisher that sees a parked worker takes the mutex. Either some worker is still parked: it
//! gets a grant, and each sleeper checks the grants under the mutex before it waits. Or none is
//! parked any more: then this second read of the word is as good as the first, and a worker that
//! parks after it sees the item.
//!
//! Publishers wake even if there are searchers, as in the document, so no searcher inherits a
//! publisher's duty. But a publisher of many items wakes only one worker. So a worker that ends a
//! search, with or without an item, wakes another if work is left; and a publisher that finds all
//! other workers searching leaves it to the last of them to have a thread started. That one leaves
//! (RMW), fences and looks; the publisher saw it searching, so its push is ordered before the look.
//!
//! The end of the run is a read-modify-write of the word (Release) after its reason was stored. It
//! sees every announcement before it, and gives a grant. An announcement after it reads from it,
//! and with the fence that follows sees the reason, the first thing it checks in the re-check.

use std::sync::PoisonError;

use crossbeam_utils::CachePadded;

use crate::config::IdleConfig;
use crate::idle::watchdog::{MAX_SLEEP, Watchdog};
use crate::idle::{IdlePolicy, SearchBudget, Sleeper, Wake};
use crate::sync::{AtomicU64, Condvar, Mutex, MutexGuard, Ordering, wait};

/// Sweeps before a sleep, as in the document.
const SWEEPS: u32 = 64;

/// One parked worker.
const PARKED: u64 = 1;
/// One searcher.
const ONE_SEARCHER: u64 = 1 << 32;

/// Searches for long, then sleeps on a condition variable. The head of the file has the protocol.
pub struct YieldCondvar {
    counts: CachePadded<AtomicU64>,
    grants: Mutex<u64>,
    granted: Condvar,
}

fn parked(counts: u64) -> u64 {
    counts % ONE_SEARCHER
}

fn searchers(counts: u64) -> u64 {
    counts / ONE_SEARCHER
}

impl YieldCondvar {
    fn lock(&self) -> MutexGuard<'_, u64> {
        // No code that can panic runs under this mutex.
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdlePolicy for YieldCondvar {
    const NAME: &'static str = "yield-condvar";

    fn new(_: usize, _: &IdleConfig) -> YieldCondvar {
        YieldCondvar {
            counts: CachePadded::new(AtomicU64::new(0)),
            grants: Mutex::new(0),
            granted: Condvar::new(),
        }
    }

    fn budget(&self, _: usize, _: usize) -> SearchBudget {
        SearchBudget { sweeps: 0, yields: SWEEPS }
    }

    fn wake_all(&self) {
        let mut grants = self.lock();
        let woken = |counts| counts + parked(counts) * (ONE_SEARCHER - PARKED);
        // Ordering: Release pairs with the fence in `park`: an announcement after this swap sees
        // why the run ended. So the swap is made even if no worker is parked. All changes of the
        // word are read-modify-writes, so that later ones continue the release sequence. Relaxed in
        // the load, the swap decides.
        let swap = self
            .counts
            .fetch_update(Ordering::Release, Ordering::Relaxed, |counts| Some(woken(counts)));
        let (Ok(before) | Err(before)) = swap;
        *grants += parked(before);
        drop(grants);
        self.granted.notify_all();
    }

    fn word(&self) -> &AtomicU64 {
        &self.counts
    }

    fn searcher(&self) -> u64 {
        ONE_SEARCHER
    }

    /// No searcher inherits a publisher's duty, but one publisher may have left many items.
    fn each_searcher_looks(&self) -> bool {
        true
    }

    /// Grants a wake-up to a parked worker, if any.
    fn wake_one(&self, _: Option<usize>) -> Wake {
        // Ordering: Relaxed, the caller's fence comes before this load.
        let mut counts = self.counts.load(Ordering::Relaxed);
        if parked(counts) > 0 {
            let mut grants = self.lock();
            // Ordering: Relaxed, while the mutex is held the parked count can only grow.
            counts = self.counts.load(Ordering::Relaxed);
            if parked(counts) > 0 {
                // Ordering: Relaxed, the woken worker sees what the waker has seen through the
                // mutex.
                self.counts.fetch_add(ONE_SEARCHER - PARKED, Ordering::Relaxed);
                *grants += 1;
                drop(grants);
                self.granted.notify_one();
                return Wake::Sent;
            }
        }
        if searchers(counts) > 0 { Wake::NotNeeded } else { Wake::NoneParked }
    }

    fn announcement(&self, _: usize) -> u64 {
        PARKED
    }

    /// Sleeps until there is a grant, and takes it.
    fn sleep(&self, me: usize, sleeper: &dyn Sleeper) {
        let mut watchdog = Watchdog::new();
        let mut grants = self.lock();
        while *grants == 0 {
            grants = wait(&self.granted, grants, MAX_SLEEP);
            if MAX_SLEEP.is_some() && *grants == 0 {
                drop(grants);
                // Ordering: Relaxed, the watchdog reads the same word for seconds.
                let counts = self.counts.load(Ordering::Relaxed);
                watchdog.look(me, counts, searchers(counts) == 0, sleeper);
                grants = self.lock();
            }
        }
        *grants -= 1;
    }

    /// If a wake-up was granted meanwhile, this worker takes it.
    fn retract(&self, _: usize) -> bool {
        let mut grants = self.lock();
        // Ordering: Relaxed, only the holder of the mutex subtracts from the parked count.
        if parked(self.counts.load(Ordering::Relaxed)) > 0 {
            // Ordering: Relaxed, as above.
            self.counts.fetch_sub(PARKED, Ordering::Relaxed);
            return false;
        }
        // This worker has announced a sleep and is not counted as parked, so there is a grant.
        *grants -= 1;
        true
    }
}
