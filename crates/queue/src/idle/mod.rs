//! Who sleeps and who is woken: the seam between the crew and an idle policy.
//!
//! A policy knows no items. It is told when items have become visible and when a worker has nothing
//! to do; it decides who looks for work, who sleeps, and who is woken. It is independent of the
//! queue, so that each queue can be measured with each policy.
//!
//! | policy | a worker without an item | who is woken |
//! |---|---|---|
//! | `biased-event` | sleeps on a futex | the lowest index, if nobody searches |
//! | `fifo-event` | the same | the longest sleeper |
//! | `biased-chain` | the same | the next one above the waker |
//! | `yield-condvar` | looks 64 times, then sleeps on a condition variable | anybody |
//! | `poll-1ms` | looks again every millisecond | nobody |
//!
//! The first three are one protocol, [`event`], with three [`choice`]s.

mod choice;
mod event;
mod poll;
mod watchdog;
mod yield_condvar;

use std::num::NonZeroUsize;

use crate::kind::IdleKind;

pub use choice::{LongestParked, LowestIndex, NextAbove, WakeChoice};
pub use event::{Event, MAX_WORKERS};
pub use poll::Poll1ms;
pub use yield_condvar::YieldCondvar;

/// Sleeps on a futex and wakes the lowest index. The default.
pub type BiasedEvent = Event<LowestIndex>;

/// Sleeps on a futex and wakes the longest sleeper: [`BiasedEvent`] without the bias.
pub type FifoEvent = Event<LongestParked>;

/// Sleeps on a futex and wakes the next one above the waker: rocallahan's chain, without stranding
/// anybody.
pub type BiasedChain = Event<NextAbove>;

/// Decides who of a crew sleeps and who is woken.
///
/// A worker is either *busy*, *searching* (counted, so that publishers need not wake anyone while
/// somebody is looking) or *parked*. The crew calls every method with the index of the calling
/// worker where one is asked for.
pub trait IdlePolicy: Send + Sync + Sized {
    /// The name of this policy.
    const NAME: &'static str;

    /// A policy for workers `0..workers`, all of them busy.
    fn new(workers: usize, cfg: &IdleConfig) -> Self;

    /// The calling thread is worker `me`. Called once per worker, before anything else with its
    /// index.
    fn enter(&self, me: usize);

    /// How long a worker looks for work before it goes to sleep, in a crew of `workers` that may
    /// use `cores` cores.
    fn budget(&self, workers: usize, cores: usize) -> SearchBudget {
        SearchBudget::new(workers, cores)
    }

    /// Items have become visible to thieves, `surplus` of them at least, through worker `me` or, if
    /// that is `None`, a producer. `owner_busy` says that the publisher will not take one of them
    /// itself at once. Wakes at most one worker.
    fn published(&self, me: Option<usize>, surplus: usize, owner_busy: bool) -> Wake;

    /// A producer has made items visible, and `backlog` of them wait by now, roughly. Wakes at most
    /// one worker; none, if the configuration lets the backlog wait for one that is awake.
    fn producer_published(&self, backlog: usize) -> Wake {
        self.published(None, backlog.max(1), true)
    }

    /// Counts a searcher in the name of a thread about to be started, if nobody searches or is
    /// parked. The thread begins as if it had been woken; if it cannot be started, the caller ends
    /// the search.
    #[must_use]
    fn reserve_search(&self) -> bool;

    /// Counts worker `me` as searching. `false`: enough are, go and park.
    #[must_use]
    fn search_begin(&self, me: usize) -> bool;

    /// Worker `me` searches no more, with or without an item. If it was the last searcher it wakes
    /// another worker, provided `work_left` says there is something to find: publishers have relied
    /// on it being there.
    fn search_end(&self, me: usize, work_left: &mut dyn FnMut() -> bool) -> Wake;

    /// Announces that worker `me` will sleep, and with it ends its search if it was `searching`;
    /// then asks `sleeper` to look once more; then sleeps until woken.
    fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd;

    /// Wakes everybody, because the run is over. The reason must have been stored before.
    fn wake_all(&self);

    /// Whether somebody is parked or searching. Cheap: asked for every item.
    fn has_idle_workers(&self) -> bool;
}

/// What a policy asks of a worker that wants to sleep.
pub trait Sleeper {
    /// Looks once more, after the announcement: for the end of the run, then in every queue until
    /// each was seen empty.
    fn recheck(&mut self) -> Recheck;

    /// Whether there is something to steal. Only used to find out whether a wake-up was lost.
    fn work_visible(&self) -> bool;
}

/// What a worker about to sleep has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// Nothing. It may sleep.
    Nothing,
    /// An item, which it now has in hand.
    Found,
    /// The run is over.
    Stopped,
}

/// How a park ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParkEnd {
    /// Somebody woke this worker, and has counted it as searching; or it has woken by itself, and
    /// is counted.
    Woken,
    /// The second look found an item. `searching`: somebody woke this worker meanwhile and has
    /// counted it.
    Found {
        /// Whether this worker is counted as searching and has to end its search.
        searching: bool,
    },
    /// The second look found the run to be over.
    Stopped,
}

/// What a policy has done about work that wants a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Nothing: somebody is searching already, or the work is not worth it.
    NotNeeded,
    /// One worker was woken.
    Sent,
    /// Nothing, though it would have: nobody searches, but nobody is parked either.
    NoneParked,
}

/// How long a worker looks for work before it goes to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchBudget {
    /// Sweeps with CPU pauses in between.
    pub sweeps: u32,
    /// Sweeps after that, each preceded by letting another thread have the core.
    pub yields: u32,
}

impl SearchBudget {
    /// With a core for each worker a short wait is cheaper than a sleep. Without, a spinning worker
    /// holds up the very one it waits for.
    fn new(workers: usize, cores: usize) -> SearchBudget {
        if workers <= cores {
            SearchBudget { sweeps: 4, yields: 2 }
        } else {
            SearchBudget { sweeps: 1, yields: 1 }
        }
    }
}

/// How an idle policy is set up.
#[derive(Clone, Debug, Default)]
pub struct IdleConfig {
    /// The policy that [`AnyPolicy`](crate::AnyPolicy) stands for. A crew whose policy is fixed by
    /// its type ignores this.
    pub policy: IdleKind,
    /// How many items from producers may wait while a worker is awake before another is woken, as in
    /// rocallahan's biased work queues, where it is 20. It saves context switches, for a wake-up is
    /// one, and costs the time until the worker that is awake comes to look: an item may wait for
    /// as long as another takes. 0 and 1: nobody waits. Only the event policies heed it.
    pub backlog: usize,
    /// The cores this process may use; `None` asks the system. With more workers than cores nobody
    /// spins.
    pub cores: Option<NonZeroUsize>,
}
