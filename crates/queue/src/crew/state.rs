//! What all workers of a run share.

use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use crossbeam_utils::CachePadded;

use crate::backend::Backend;
use crate::config::RunConfig;
use crate::crew::credits::Credits;
use crate::idle::{IdlePolicy, SearchBudget};
use crate::report::Panicked;
#[cfg(feature = "lab")]
use crate::sync::AtomicBool;
use crate::sync::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// The run goes on.
const RUNNING: u8 = 0;
/// All credits have been returned.
pub(crate) const DONE: u8 = 1;
/// A job has broken off the run.
pub(crate) const QUIT: u8 = 2;
/// A job or a producer has panicked.
pub(crate) const POISONED: u8 = 3;

/// What all workers of a run share.
pub(crate) struct Crew<T, B, P> {
    pub(crate) backend: B,
    pub(crate) idle: P,
    pub(crate) credits: Credits,
    run_state: CachePadded<RunState>,
    pub(crate) settings: Settings,
    pub(crate) first_panic: Mutex<Option<Panicked>>,
    /// Items from producers.
    pub(crate) injected: AtomicU64,
    item: PhantomData<fn(T)>,
}

/// What every worker reads for every item and few ever write.
struct RunState {
    stop: AtomicU8,
    /// Workers that have been started or given up, worker 0 included.
    started: AtomicUsize,
    /// Workers that may be started: all without the extra ones, or all.
    startable: AtomicUsize,
    /// Whether a job has called for the extra workers.
    #[cfg(feature = "lab")]
    items_block: AtomicBool,
}

/// What does not change during a run.
pub(crate) struct Settings {
    pub(crate) cfg: RunConfig,
    pub(crate) workers: usize,
    pub(crate) search: SearchBudget,
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
            credits: Credits::new(1 + producers),
            run_state: CachePadded::new(RunState {
                stop: AtomicU8::new(RUNNING),
                started: AtomicUsize::new(1),
                startable: AtomicUsize::new(startable),
                #[cfg(feature = "lab")]
                items_block: AtomicBool::new(false),
            }),
            settings: Settings { cfg: cfg.clone(), workers, search },
            first_panic: Mutex::new(None),
            injected: AtomicU64::new(0),
            item: PhantomData,
        }
    }

    /// Returns credits, and ends the run if they were the last ones.
    pub(crate) fn release_credits(&self, credits: usize) {
        if self.credits.release(credits) {
            self.halt(DONE);
        }
    }

    /// Ends the run for the reason `why`, unless it ended for a graver one, and wakes all workers.
    pub(crate) fn halt(&self, why: u8) {
        // Ordering: Release pairs with the Acquire in `is_over`. The swap in `wake_all` decides the
        // race with a worker that parks.
        self.run_state.stop.fetch_max(why, Ordering::Release);
        self.idle.wake_all();
    }

    /// Ends the run because of a panic. The first one is kept.
    pub(crate) fn poison(&self, panic: Panicked) {
        let mut first = self.first_panic.lock().unwrap_or_else(PoisonError::into_inner);
        let later = if first.is_none() { first.replace(panic) } else { Some(panic) };
        drop(first);
        self.halt(POISONED);
        // Dropped last: a payload is user code.
        drop(later);
    }

    /// Whether the workers should return. Checked before each item.
    pub(crate) fn is_over(&self) -> bool {
        self.stop() != RUNNING
    }

    /// Why the run ended, or `RUNNING`.
    pub(crate) fn stop(&self) -> u8 {
        // Ordering: Acquire pairs with `halt`: no worker that could know of the end begins an item.
        // On x86 it costs what Relaxed does.
        self.run_state.stop.load(Ordering::Acquire)
    }

    /// Whether the run was ended early.
    pub(crate) fn is_stopped(&self) -> bool {
        // Ordering: as in `stop`. Items that a worker shares after it has seen the stop are
        // published after it, so a worker that takes one sees the stop too and does not run it.
        self.stop() >= QUIT
    }

    /// Whether there are workers that may get a thread and have none yet.
    pub(crate) fn can_start_worker(&self) -> bool {
        let RunState { started, startable, .. } = &*self.run_state;
        // Ordering: Relaxed in both, `claim_start` decides.
        started.load(Ordering::Relaxed) < startable.load(Ordering::Relaxed)
    }

    /// Makes the extra workers startable.
    pub(crate) fn allow_extra_workers(&self) {
        // Ordering: Relaxed, only the number is passed. A worker that reads an older one starts no
        // thread; the caller itself checks whether there is work for one more.
        self.run_state.startable.store(self.settings.workers, Ordering::Relaxed);
        #[cfg(feature = "lab")]
        self.run_state.items_block.store(true, Ordering::Relaxed);
    }

    /// Whether items wait for something other than a core: a job has called for extra workers.
    #[cfg(feature = "lab")]
    pub(crate) fn items_block(&self) -> bool {
        // Ordering: Relaxed, a hint; an older value shares less for one more item.
        self.run_state.items_block.load(Ordering::Relaxed)
    }

    /// Whether some worker is idle or not even started.
    pub(crate) fn has_idle_workers(&self) -> bool {
        self.idle.has_idle_workers() || self.can_start_worker()
    }

    /// Whether there is work for one more worker than the ones searching. In a run that lets a
    /// backlog wait, only a backlog at its limit counts.
    pub(crate) fn needs_worker(&self) -> bool {
        match self.settings.cfg.idle.backlog {
            0 | 1 => !self.backend.is_empty(),
            most => self.backend.backlog() >= most,
        }
    }

    /// The index of the next worker to start, which the caller now has to start.
    pub(crate) fn claim_start(&self) -> Option<usize> {
        // Ordering: Relaxed, as in `can_start_worker`.
        let startable = self.run_state.startable.load(Ordering::Relaxed);
        let next = |started| (started < startable).then_some(started + 1);
        // Ordering: Relaxed, only the index is passed; the worker's queue end is behind a lock.
        self.run_state.started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()
    }

    /// Makes no further worker startable, because the system has refused one.
    pub(crate) fn give_up_starting(&self) {
        // Ordering: Relaxed, as in `claim_start`.
        self.run_state.started.store(self.settings.workers, Ordering::Relaxed);
    }
}
