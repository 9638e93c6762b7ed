//! `YieldCondvar`: search for long, letting others have the core in between, then sleep on one
//! condition variable for all.
//!
//! This is how part 3 of Phanes waits: 64 rounds of stealing with a yield after each, then a mutex
//! and a condition variable, and `notify_one` when a queue holds more than one task and somebody is
//! idle. There the predicate of the sleep counts running tasks too, so that nobody ever sleeps
//! while anything runs; and the end of the pool is stored and notified without the mutex, so that a
//! worker on its way to sleep may miss it for good. Here both are mended:
//!
//! * the predicate is a count of *grants*, wake-ups given and not yet taken, and nobody reads or
//!   changes it without the mutex;
//! * the end grants one to everybody who has announced that it will sleep.
//!
//! # State
//!
//! The mutex guards the grants. Beside it one atomic word counts who is parked (low half) and who
//! searches (high half), so that those who have work never touch the mutex while nobody is idle.
//! Announcing adds to the parked without the mutex; whoever takes from the parked, a waker or a
//! worker that changes its mind, holds it. So under the mutex
//!
//! > parked + grants = workers that have announced a sleep and not yet come back from it,
//!
//! where those just announcing may add themselves at any time. A waker moves one from parked to
//! grants and counts it as a searcher. It does not say who: any announced worker may take the
//! grant, even one that was about to sleep and now does not.
//!
//! # No wake-up is lost
//!
//! A publisher and a sleeper do what they do in [`event`](super::event): push, fence, read the
//! word; announce (a read-modify-write), fence, look into every queue. So either the publisher sees
//! somebody parked, or the sleeper sees the item. The document takes the mutex for the barrier; but
//! a publisher that sees nobody idle never comes to the mutex.
//!
//! If it sees somebody parked it takes the mutex. Either somebody still is: that one gets a grant,
//! and each sleeper looks at the grants under the mutex before it waits. Or nobody is any more:
//! then this second look at the word is as good as the first, and who parks after it sees the item.
//!
//! Searchers excuse nobody from waking, as in the document, so none inherits a publisher's duty.
//! But a publisher of many items wakes only one worker. So whoever ends a search, with or without
//! an item, wakes another if there is something left, and a publisher that finds all others
//! searching leaves it to the last of them to have a thread started. That one leaves (RMW), fences
//! and looks; the publisher saw it searching, so its push is ordered before the look.
//!
//! The end of the run is a read-modify-write of the word (Release) after its reason was stored. An
//! announcement before it is seen by it, and gets a grant. One after it reads from it, and with the
//! fence that follows sees the reason, the first thing in its second look.

use std::sync::PoisonError;

use crossbeam_utils::CachePadded;

use crate::idle::watchdog::{NAP, Watchdog};
use crate::idle::{IdleConfig, IdlePolicy, ParkEnd, Recheck, SearchBudget, Sleeper, Wake};
use crate::sync::{AtomicU64, Condvar, Mutex, MutexGuard, Ordering, fence, wait};

/// Sweeps before a sleep, as in the document.
const SWEEPS: u32 = 64;

/// One parked worker.
const PARKED: u64 = 1;
/// One searcher.
const SEARCHER: u64 = 1 << 32;

/// Searches for long, then sleeps on a condition variable. The module's head has the protocol.
pub struct YieldCondvar {
    counts: CachePadded<AtomicU64>,
    grants: Mutex<u64>,
    granted: Condvar,
}

fn parked(counts: u64) -> u64 {
    counts % SEARCHER
}

fn searchers(counts: u64) -> u64 {
    counts / SEARCHER
}

impl YieldCondvar {
    fn lock(&self) -> MutexGuard<'_, u64> {
        // No code that can panic runs under this mutex.
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Grants a wake-up to somebody parked. The caller has made a fence.
    fn wake_one(&self) -> Wake {
        // Ordering: Relaxed, the fence of the caller comes before this load.
        let mut counts = self.counts.load(Ordering::Relaxed);
        if parked(counts) > 0 {
            let mut grants = self.lock();
            // Ordering: Relaxed, under the mutex the parked can only have become more.
            counts = self.counts.load(Ordering::Relaxed);
            if parked(counts) > 0 {
                // Ordering: Relaxed, the woken worker sees what the waker has seen through the
                // mutex.
                self.counts.fetch_add(SEARCHER - PARKED, Ordering::Relaxed);
                *grants += 1;
                drop(grants);
                self.granted.notify_one();
                return Wake::Sent;
            }
        }
        if searchers(counts) > 0 { Wake::NotNeeded } else { Wake::NoneParked }
    }

    /// Sleeps until there is a grant, and takes it.
    fn sleep(&self, me: usize, sleeper: &dyn Sleeper) {
        let mut watchdog = Watchdog::new();
        let mut grants = self.lock();
        while *grants == 0 {
            grants = wait(&self.granted, grants, NAP);
            if NAP.is_some() && *grants == 0 {
                drop(grants);
                // Ordering: Relaxed, the same word is looked at for seconds.
                let counts = self.counts.load(Ordering::Relaxed);
                watchdog.look(me, counts, searchers(counts) == 0, sleeper);
                grants = self.lock();
            }
        }
        *grants -= 1;
    }

    /// Takes an announcement back. `true`: too late, somebody granted a wake-up meanwhile; this
    /// worker has taken it and is counted as searching.
    fn retract(&self) -> bool {
        let mut grants = self.lock();
        // Ordering: Relaxed, only who holds the mutex takes from the parked.
        if parked(self.counts.load(Ordering::Relaxed)) > 0 {
            // Ordering: Relaxed, as above.
            self.counts.fetch_sub(PARKED, Ordering::Relaxed);
            return false;
        }
        // This worker has announced a sleep and is not among the parked, so there is a grant.
        *grants -= 1;
        true
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

    fn enter(&self, _: usize) {}

    fn budget(&self, _: usize, _: usize) -> SearchBudget {
        SearchBudget { sweeps: 0, yields: SWEEPS }
    }

    fn published(&self, _: Option<usize>, surplus: usize, owner_busy: bool) -> Wake {
        if surplus < if owner_busy { 1 } else { 2 } {
            return Wake::NotNeeded;
        }
        // Ordering: against the fences in `park` and `search_end`.
        fence(Ordering::SeqCst);
        self.wake_one()
    }

    fn reserve_search(&self) -> bool {
        // Ordering: Relaxed, only the counts matter. The new thread sees everything through its
        // being spawned.
        self.counts.compare_exchange(0, SEARCHER, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn search_begin(&self, _: usize) -> bool {
        // Ordering: Relaxed, who relies on the count relies on `search_end` or `park`.
        self.counts.fetch_add(SEARCHER, Ordering::Relaxed);
        true
    }

    fn search_end(&self, _: usize, work_left: &mut dyn FnMut() -> bool) -> Wake {
        // Ordering: Relaxed, the fence below orders the leaving before the look.
        self.counts.fetch_sub(SEARCHER, Ordering::Relaxed);
        // Ordering: against the fence in `published`. A publisher that saw this worker searching is
        // ordered before it.
        fence(Ordering::SeqCst);
        if work_left() { self.wake_one() } else { Wake::NotNeeded }
    }

    fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd {
        let leave = if searching { SEARCHER } else { 0 };
        // If searching, the count is not zero: the sum changes these two halves as it should.
        // Ordering: Relaxed, the fence orders it.
        self.counts.fetch_add(PARKED.wrapping_sub(leave), Ordering::Relaxed);
        // Ordering: against the fence in `published`, and the Release in `wake_all`.
        fence(Ordering::SeqCst);
        let seen = sleeper.recheck();
        if seen == Recheck::Nothing {
            self.sleep(me, sleeper);
            return ParkEnd::Woken;
        }
        let searching = self.retract();
        if seen == Recheck::Found {
            return ParkEnd::Found { searching };
        }
        if searching {
            // Ordering: Relaxed, the run is over and the count is kept for the sake of order.
            self.counts.fetch_sub(SEARCHER, Ordering::Relaxed);
        }
        ParkEnd::Stopped
    }

    fn wake_all(&self) {
        let mut grants = self.lock();
        // Ordering: Relaxed, the swap decides.
        let mut counts = self.counts.load(Ordering::Relaxed);
        loop {
            let next = counts + parked(counts) * (SEARCHER - PARKED);
            // Ordering: Release pairs with the fence in `park`: an announcement after this swap
            // sees why the run ended. So it is made even if nobody is parked. All changes of the
            // word are read-modify-writes, so that later ones pass it on.
            match self.counts.compare_exchange_weak(
                counts,
                next,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(now) => counts = now,
            }
        }
        *grants += parked(counts);
        drop(grants);
        self.granted.notify_all();
    }

    fn has_idle_workers(&self) -> bool {
        // Ordering: Relaxed, a hint.
        self.counts.load(Ordering::Relaxed) != 0
    }
}
