//! The seam between the crew and an idle policy.

use crate::config::IdleConfig;
use crate::sync::{AtomicU64, Ordering, fence};

/// Decides which workers of a crew sleep and which are woken.
///
/// A worker is *busy*, *searching* (counted, so that publishers need not wake anyone while it
/// looks) or *parked*. `me` is always the index of the calling worker.
///
/// A policy counts searching and parked workers in one word. The crew calls the first half of the
/// methods. The second half is what distinguishes one policy from another: what the word holds of a
/// parked worker, how it sleeps, and which one is woken. The steps P1 to P3 and S1 to S3 are those
/// of the proof in `idle/event.rs`.
pub trait IdlePolicy: Send + Sync + Sized {
    /// The name of this policy.
    const NAME: &'static str;

    /// A policy for workers `0..workers`, all of them busy.
    fn new(workers: usize, cfg: &IdleConfig) -> Self;

    /// Binds worker `me` to the calling thread. Called once per worker, before any other call with
    /// its index.
    fn enter(&self, me: usize) {
        let _ = me;
    }

    /// How long a worker searches before it parks, in a crew of `workers` on `cores` cores.
    fn budget(&self, workers: usize, cores: usize) -> SearchBudget {
        SearchBudget::new(workers, cores)
    }

    /// Called after items became visible to thieves: at least `surplus` of them, published by
    /// worker `me` or, if `None`, by a producer. `owner_busy` is set if the publisher will not take
    /// one of them itself at once. Wakes at most one worker.
    fn published(&self, me: Option<usize>, surplus: usize, owner_busy: bool) -> Wake {
        let worth_it = if owner_busy { 1 } else { 2 };
        if surplus < worth_it {
            return Wake::NotNeeded;
        }
        // Ordering: P2, pairs with S2 in `park` and with the fence in `search_end`.
        fence(Ordering::SeqCst);
        self.wake_one(me)
    }

    /// Called after a producer made items visible; roughly `backlog` of them wait now. Wakes at
    /// most one worker, or none if [`IdleConfig::backlog`] lets them wait for one that is awake.
    fn producer_published(&self, backlog: usize) -> Wake {
        self.published(None, backlog.max(1), true)
    }

    /// Counts a searcher on behalf of a thread about to be started, unless some worker searches or
    /// is parked. The thread begins as if it had been woken; if it cannot be started, the caller
    /// ends the search.
    #[must_use]
    fn reserve_search(&self) -> bool {
        let one = self.searcher();
        // Ordering: Relaxed, only the counts matter. Spawning the thread orders everything else.
        self.word().compare_exchange(0, one, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Counts worker `me` as searching. `false` if enough workers search: go and park.
    #[must_use]
    fn search_begin(&self, me: usize) -> bool {
        let _ = me;
        // Ordering: Relaxed, a publisher that sees the count relies on `search_end` or `park`.
        self.word().fetch_add(self.searcher(), Ordering::Relaxed);
        true
    }

    /// Ends the search of worker `me`, with or without an item. The last searcher wakes another
    /// worker if `work_left` returns `true`, because publishers have relied on its search.
    fn search_end(&self, me: usize, work_left: &mut dyn FnMut() -> bool) -> Wake {
        // Ordering: Relaxed, the fence below orders this before `work_left`.
        let before = self.word().fetch_sub(self.searcher(), Ordering::Relaxed);
        if before / self.searcher() > 1 && !self.each_searcher_looks() {
            return Wake::NotNeeded;
        }
        // Ordering: pairs with P2 in `published`. A publisher that saw this worker searching is
        // ordered before it.
        fence(Ordering::SeqCst);
        if work_left() { self.wake_one(Some(me)) } else { Wake::NotNeeded }
    }

    /// Announces that worker `me` parks, which also ends its search if it was `searching`; then
    /// calls [`Sleeper::recheck`]; then parks until woken.
    fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd {
        let leave = if searching { self.searcher() } else { 0 };
        // This worker is not parked and, if searching, the count is not zero, so the sum changes
        // these two parts of the word and no other.
        let change = self.announcement(me).wrapping_sub(leave);
        // Ordering: S1; Relaxed, the fence orders it.
        self.word().fetch_add(change, Ordering::Relaxed);
        // Ordering: S2, pairs with P2 in `published` and with the Release in `wake_all`.
        fence(Ordering::SeqCst);
        let seen = sleeper.recheck();
        if seen == Recheck::Nothing {
            self.sleep(me, sleeper);
            return ParkEnd::Woken;
        }
        let searching = self.retract(me);
        if seen == Recheck::Found {
            return ParkEnd::Found { searching };
        }
        if searching {
            // Ordering: Relaxed, the run is over and no publisher relies on the count.
            self.word().fetch_sub(self.searcher(), Ordering::Relaxed);
        }
        ParkEnd::Stopped
    }

    /// Wakes all workers because the run is over. The caller has stored the reason before.
    fn wake_all(&self);

    /// Whether some worker is parked or searching. Called for every item, so it must be cheap.
    fn has_idle_workers(&self) -> bool {
        // Ordering: Relaxed, a hint.
        self.word().load(Ordering::Relaxed) != 0
    }

    /// The word, which is zero while all workers are busy. All changes of it are
    /// read-modify-writes.
    fn word(&self) -> &AtomicU64;

    /// What one searcher adds to the word. The highest bits of the word count the searchers.
    fn searcher(&self) -> u64;

    /// Whether every worker that ends a search looks for work that is left, or only the last one.
    fn each_searcher_looks(&self) -> bool {
        false
    }

    /// Wakes one parked worker if that is needed: P3. The caller has made a fence. `waker` is
    /// `None` for a producer.
    fn wake_one(&self, waker: Option<usize>) -> Wake;

    /// What worker `me` adds to the word now, to announce that it parks.
    fn announcement(&self, me: usize) -> u64;

    /// Sleeps until a waker has picked worker `me` and counted it as a searcher.
    fn sleep(&self, me: usize, sleeper: &dyn Sleeper);

    /// Withdraws the announcement of worker `me`. `true` if that was too late: a waker has picked
    /// it, and it is counted as a searcher.
    fn retract(&self, me: usize) -> bool;
}

/// What a policy needs from a worker that is about to park.
pub trait Sleeper {
    /// The re-check after the announcement: looks for the end of the run, then sweeps until every
    /// queue was seen empty.
    fn recheck(&mut self) -> Recheck;

    /// Whether there is something to steal. Used only to detect lost wake-ups.
    fn work_visible(&self) -> bool;
}

/// The result of the re-check before parking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// Every queue is empty. The worker may park.
    Nothing,
    /// The worker took an item.
    Found,
    /// The run is over.
    Stopped,
}

/// How a park ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParkEnd {
    /// The worker slept and is awake again. It is counted as searching.
    Woken,
    /// The re-check found an item.
    Found {
        /// Whether a waker picked this worker meanwhile. If so, the worker is counted as searching
        /// and has to end that search.
        searching: bool,
    },
    /// The re-check found that the run is over.
    Stopped,
}

/// What a policy did about work that needs a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Nothing: some worker is searching, or the work is not worth a wake-up.
    NotNeeded,
    /// One worker was woken.
    Sent,
    /// Nothing, because no worker searches and none is parked: a new thread may be worth it.
    NoneParked,
}

/// How long a worker searches before it parks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchBudget {
    /// Sweeps with CPU pauses in between.
    pub sweeps: u32,
    /// Sweeps after those, each preceded by a yield to other threads.
    pub yields: u32,
}

impl SearchBudget {
    /// With a core per worker a short spin is cheaper than a sleep. Otherwise a spinning worker
    /// takes the core from the one it waits for.
    fn new(workers: usize, cores: usize) -> SearchBudget {
        if workers <= cores {
            SearchBudget { sweeps: 4, yields: 2 }
        } else {
            SearchBudget { sweeps: 1, yields: 1 }
        }
    }
}
