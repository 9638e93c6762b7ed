//! The crew: starting workers, counting what is unfinished, ending the run.
//!
//! # When a run is over
//!
//! `pending` counts *credits*. Every item in a queue carries one; every worker with something to do
//! holds at least one; every producer holds one. A worker that takes an item from a queue takes
//! over its credit. A worker that shares items gives each a credit from its own, keeping one while
//! it has work, and creates the ones it lacks with a single `fetch_add` *before* the items become
//! visible. A worker with nothing left gives back all it holds with a single `fetch_sub`. Whoever
//! brings the count to zero ends the run.
//!
//! So zero is exact: no item is in a queue, in flight or in hand, and nobody is left who could make
//! one. The count never falls short, for the decrement on behalf of an item happens after its
//! taking, which happens after its publication, which comes after the increment on its behalf; and
//! all of them are read-modify-writes of one atomic. And a thief cannot be overtaken by the end, as
//! in ripgrep's walker, since what it carries away keeps its credit.
//!
//! In a saturated run credits circulate inside the workers and `pending` is hardly touched at all.
//!
//! # Starting
//!
//! The calling thread is worker 0. A further thread is started when work is published while nobody
//! searches or is parked. It is counted as a searcher before it exists, so that starting is subject
//! to the same "one at a time" as waking. When the system refuses a thread, the run goes on with
//! those there are.
//!
//! Workers in reserve are not started, and nobody counts on them, until a job calls them: then they
//! are like others that have not been started yet. They have a queue end and a job from the
//! beginning, so that nothing but the number of workers that may be started changes.
//!
//! # Ending
//!
//! `stop` only ever rises: done, then quit, then poisoned. Whoever raises it wakes everybody. A
//! job's panic is caught at the bottom of its thread: poisoning is an ordinary end of the run, and
//! the queue ends survive it, so that leftovers can be dropped after all threads have ended.

mod launch;
#[cfg(all(test, loom))]
mod model;
mod producer;
mod shutdown;
mod solo;
mod threads;
mod worker;

use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use crossbeam_utils::CachePadded;

pub use launch::{run, run_with_producers};
pub use producer::ProducerToken;

use crate::backend::{Backend, StealAmount};
use crate::idle::{IdlePolicy, SearchBudget};
use crate::report::{Panicked, RunConfig, Sharing};
use crate::sync::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// The run goes on.
const RUNNING: u8 = 0;
/// The count of credits has reached zero.
pub(crate) const DONE: u8 = 1;
/// A job has broken off the run.
pub(crate) const QUIT: u8 = 2;
/// Somebody has panicked.
pub(crate) const POISONED: u8 = 3;

/// What all workers of a run share.
pub(crate) struct Crew<T, B, P> {
    pub(crate) backend: B,
    pub(crate) idle: P,
    /// Credits, see the module's head.
    pending: CachePadded<AtomicUsize>,
    state: CachePadded<RunState>,
    pub(crate) settings: Settings,
    first_panic: Mutex<Option<Panicked>>,
    /// Items from producers.
    injected: AtomicU64,
    item: PhantomData<fn(T)>,
}

/// What every worker reads for every item and hardly anybody writes.
struct RunState {
    stop: AtomicU8,
    /// Workers that have been started or given up, worker 0 included.
    begun: AtomicUsize,
    /// Workers that may be started: all but those in reserve.
    startable: AtomicUsize,
}

/// What never changes during a run.
pub(crate) struct Settings {
    pub(crate) workers: usize,
    pub(crate) amount: StealAmount,
    pub(crate) sharing: Sharing,
    pub(crate) search: SearchBudget,
    pub(crate) backlog: usize,
    pub(crate) stack_size: Option<usize>,
}

impl<T: Send, B: Backend<T>, P: IdlePolicy> Crew<T, B, P> {
    /// A crew of `workers` around `backend`, with one credit for worker 0 and one per producer.
    pub(crate) fn new(
        cfg: &RunConfig,
        workers: usize,
        producers: usize,
        backend: B,
    ) -> Crew<T, B, P> {
        let cores = cfg.idle.cores.or_else(|| std::thread::available_parallelism().ok());
        let idle = P::new(workers, &cfg.idle);
        let startable = workers.saturating_sub(cfg.extra_workers).max(1);
        let search = idle.budget(startable, cores.map_or(1, usize::from));
        Crew {
            backend,
            idle,
            pending: CachePadded::new(AtomicUsize::new(1 + producers)),
            state: CachePadded::new(RunState {
                stop: AtomicU8::new(RUNNING),
                begun: AtomicUsize::new(1),
                startable: AtomicUsize::new(startable),
            }),
            settings: Settings {
                workers,
                amount: cfg.queue.amount,
                sharing: cfg.sharing,
                search,
                backlog: cfg.idle.backlog,
                stack_size: cfg.stack_size,
            },
            first_panic: Mutex::new(None),
            injected: AtomicU64::new(0),
            item: PhantomData,
        }
    }

    /// Creates credits. The items they are for must not be visible yet.
    pub(crate) fn add_credits(&self, credits: usize) {
        // Ordering: Relaxed. The publication that follows is a release the taker synchronises with,
        // so that the taker's `settle` comes later in the modification order. See the module's
        // head.
        self.pending.fetch_add(credits, Ordering::Relaxed);
    }

    /// Gives back credits. Whoever gives back the last ones ends the run.
    pub(crate) fn settle(&self, credits: usize) {
        // Ordering: AcqRel chains all settlements: who sees zero has everything behind it that led
        // there. The crew itself, which joins its threads before it looks at anything, would do
        // with Relaxed, say the models.
        if credits > 0 && self.pending.fetch_sub(credits, Ordering::AcqRel) == credits {
            self.halt(DONE);
        }
    }

    /// Ends the run for the reason `why`, unless there is a graver one, and wakes everybody.
    pub(crate) fn halt(&self, why: u8) {
        // Ordering: Release pairs with the Acquire in `is_over`. The race with a worker going to
        // sleep is decided by the swap in `wake_all`.
        self.state.stop.fetch_max(why, Ordering::Release);
        self.idle.wake_all();
    }

    /// Ends the run because of a panic, of which the first is kept.
    pub(crate) fn poison(&self, panic: Panicked) {
        let mut first = self.first_panic.lock().unwrap_or_else(PoisonError::into_inner);
        let later = if first.is_none() { first.replace(panic) } else { Some(panic) };
        drop(first);
        self.halt(POISONED);
        // Dropped last: a payload is user code.
        drop(later);
    }

    /// Whether the workers should go home. Asked before each item.
    pub(crate) fn is_over(&self) -> bool {
        // Ordering: Acquire pairs with `halt`: no item is begun by one who could know of the end.
        // On x86 it costs what Relaxed does.
        self.state.stop.load(Ordering::Acquire) != RUNNING
    }

    /// Why the run ended, or `RUNNING`.
    pub(crate) fn stop(&self) -> u8 {
        // Ordering: as in `is_over`.
        self.state.stop.load(Ordering::Acquire)
    }

    /// Whether there is an early end.
    pub(crate) fn is_stopped(&self) -> bool {
        // Ordering: Acquire pairs with `halt`. Items that somebody shares after having seen the
        // stop are published after it, so that whoever takes one sees it too and does not run it.
        self.state.stop.load(Ordering::Acquire) >= QUIT
    }

    /// Whether there are workers whose thread could be started and has not been yet.
    pub(crate) fn can_start_worker(&self) -> bool {
        // Ordering: Relaxed in both, `claim` decides.
        self.state.begun.load(Ordering::Relaxed) < self.state.startable.load(Ordering::Relaxed)
    }

    /// From now on the workers in reserve may be started.
    pub(crate) fn allow_extra_workers(&self) {
        // Ordering: Relaxed, nothing but the number is passed. Whoever reads an older one starts
        // nobody; the caller looks itself whether there is work for one more.
        self.state.startable.store(self.settings.workers, Ordering::Relaxed);
    }

    /// Whether somebody could do with work: an idle worker or one not even started.
    pub(crate) fn has_idle_workers(&self) -> bool {
        self.idle.has_idle_workers() || self.can_start_worker()
    }

    /// Whether there is work for one more than are looking for it. In a run that lets a backlog wait,
    /// that is one too long to wait.
    pub(crate) fn needs_worker(&self) -> bool {
        match self.settings.backlog {
            0 | 1 => !self.backend.is_empty(),
            most => self.backend.backlog() >= most,
        }
    }

    /// How many items wait, now that a producer has added `count`. The queue is only asked where the
    /// answer matters: its length can cost more than the push.
    pub(crate) fn backlog_with(&self, count: usize) -> usize {
        if self.settings.backlog > 1 { self.backend.backlog() } else { count }
    }

    /// The index of the next worker to start, for the caller to start it.
    pub(crate) fn claim(&self) -> Option<usize> {
        // Ordering: Relaxed, as in `can_start_worker`.
        let startable = self.state.startable.load(Ordering::Relaxed);
        let next = |begun| (begun < startable).then_some(begun + 1);
        // Ordering: Relaxed, the index is all that is passed; the worker's queue end is behind a
        // lock.
        self.state.begun.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()
    }

    /// No further worker is to be started: the system has refused one.
    pub(crate) fn give_up_starting(&self) {
        // Ordering: Relaxed, as in `claim`.
        self.state.begun.store(self.settings.workers, Ordering::Relaxed);
    }

    /// Takes the crew apart after its last thread has ended.
    fn into_end(self) -> End {
        End {
            stop: self.stop(),
            // Ordering: Relaxed, all threads have been joined.
            injected: self.injected.load(Ordering::Relaxed),
            first_panic: self.first_panic.into_inner().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// What remains of a crew.
struct End {
    stop: u8,
    injected: u64,
    first_panic: Option<Panicked>,
}
