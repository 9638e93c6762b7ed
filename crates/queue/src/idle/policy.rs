//! The seam between the crew and an idle policy.

use crate::config::IdleConfig;

/// Decides which workers of a crew sleep and which are woken.
///
/// A worker is *busy*, *searching* (counted, so that publishers need not wake anyone while it
/// looks) or *parked*. `me` is always the index of the calling worker.
pub trait IdlePolicy: Send + Sync + Sized {
    /// The name of this policy.
    const NAME: &'static str;

    /// A policy for workers `0..workers`, all of them busy.
    fn new(workers: usize, cfg: &IdleConfig) -> Self;

    /// Binds worker `me` to the calling thread. Called once per worker, before any other call with
    /// its index.
    fn enter(&self, me: usize);

    /// How long a worker searches before it parks, in a crew of `workers` on `cores` cores.
    fn budget(&self, workers: usize, cores: usize) -> SearchBudget {
        SearchBudget::new(workers, cores)
    }

    /// Called after items became visible to thieves: at least `surplus` of them, published by
    /// worker `me` or, if `None`, by a producer. `owner_busy` is set if the publisher will not take
    /// one of them itself at once. Wakes at most one worker.
    fn published(&self, me: Option<usize>, surplus: usize, owner_busy: bool) -> Wake;

    /// Called after a producer made items visible; roughly `backlog` of them wait now. Wakes at
    /// most one worker, or none if [`IdleConfig::backlog`] lets them wait for one that is awake.
    fn producer_published(&self, backlog: usize) -> Wake {
        self.published(None, backlog.max(1), true)
    }

    /// Counts a searcher on behalf of a thread about to be started, unless some worker searches or
    /// is parked. The thread begins as if it had been woken; if it cannot be started, the caller
    /// ends the search.
    #[must_use]
    fn reserve_search(&self) -> bool;

    /// Counts worker `me` as searching. `false` if enough workers search: go and park.
    #[must_use]
    fn search_begin(&self, me: usize) -> bool;

    /// Ends the search of worker `me`, with or without an item. The last searcher wakes another
    /// worker if `work_left` returns `true`, because publishers have relied on its search.
    fn search_end(&self, me: usize, work_left: &mut dyn FnMut() -> bool) -> Wake;

    /// Announces that worker `me` parks, which also ends its search if it was `searching`; then
    /// calls [`Sleeper::recheck`]; then parks until woken.
    fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd;

    /// Wakes all workers because the run is over. The caller has stored the reason before.
    fn wake_all(&self);

    /// Whether some worker is parked or searching. Called for every item, so it must be cheap.
    fn has_idle_workers(&self) -> bool;
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
