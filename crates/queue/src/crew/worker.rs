//! The loop of one worker: run an item, share what it spawned, search, park.

use std::ops::{AddAssign, ControlFlow};

use crate::backend::{Backend, Steal, StealRequest, WorkerQueue};
use crate::counted::Counted;
use crate::crew::state::{Crew, QUIT};
use crate::idle::{IdlePolicy, ParkEnd, Recheck, Sleeper, Wake};
use crate::job::{Job, Spawner};
use crate::report::IdleStats;
use crate::sync::{pause, yield_now};

/// Starts further workers.
pub(crate) trait Starter {
    /// Starts worker `index`, which begins as a searcher. `false` if the system refuses.
    fn start(&self, index: usize) -> bool;
}

/// All state of a worker except its job, which sees it as a [`Spawner`].
pub(crate) struct WorkerContext<'c, T: Send, B: Backend<T>, P, S> {
    me: usize,
    crew: &'c Crew<T, B, P>,
    starter: S,
    end: Counted<T, B::Worker>,
    /// Items that no other worker sees, the next one last.
    private: Vec<T>,
    /// From here on `private` holds items of the running job that are still in spawning order.
    mark: usize,
    /// Items on their way to the queue; empty in between.
    outgoing: Vec<T>,
    /// Credits held, at least one while there is something to do.
    credits: usize,
    pub(crate) counts: WorkerCounts,
}

/// The counts of a worker.
#[derive(Clone, Copy, Default)]
pub(crate) struct WorkerCounts {
    pub(crate) executed: u64,
    pub(crate) spawned: u64,
    pub(crate) started: usize,
    pub(crate) idle: IdleStats,
}

impl AddAssign for WorkerCounts {
    fn add_assign(&mut self, other: WorkerCounts) {
        self.executed += other.executed;
        self.spawned += other.spawned;
        self.started += other.started;
        self.idle += other.idle;
    }
}

impl<'c, T: Send, B: Backend<T>, P: IdlePolicy, S: Starter> WorkerContext<'c, T, B, P, S> {
    /// The context of worker `me`. `roots` come with one credit, which is already counted.
    pub(crate) fn new(
        me: usize,
        crew: &'c Crew<T, B, P>,
        starter: S,
        end: Counted<T, B::Worker>,
        roots: Option<Vec<T>>,
    ) -> Self {
        let credits = usize::from(roots.is_some());
        let mut private = roots.unwrap_or_default();
        private.reverse();
        let counts = WorkerCounts { spawned: private.len() as u64, ..WorkerCounts::default() };
        let mark = private.len();
        let outgoing = Vec::new();
        WorkerContext { me, crew, starter, end, private, mark, outgoing, credits, counts }
    }

    /// What is left when the worker returns.
    pub(crate) fn into_rest(self) -> (Counted<T, B::Worker>, Vec<T>, WorkerCounts) {
        (self.end, self.private, self.counts)
    }

    /// Runs items until the run is over. `searching`: this worker is already counted as a searcher.
    pub(crate) fn work<J: Job<T>>(&mut self, job: &mut J, mut searching: bool) {
        self.crew.idle.enter(self.me);
        if !self.private.is_empty() {
            self.share();
        }
        loop {
            let next = if searching { None } else { self.pop_own() };
            let Some(item) = next.or_else(|| self.search(job, searching)) else {
                break;
            };
            searching = false;
            if self.crew.is_over() {
                // Not begun, so it counts as dropped.
                self.private.push(item);
                break;
            }
            self.counts.executed += 1;
            self.mark = self.private.len();
            if job.run(item, self) == ControlFlow::Break(()) {
                self.crew.halt(QUIT);
                break;
            }
            self.reverse_spawned();
            if !self.private.is_empty() {
                self.share();
            }
        }
    }

    /// The next item of this worker's own.
    fn pop_own(&mut self) -> Option<T> {
        if let Some(item) = self.private.pop() {
            debug_assert!(self.credits > 0, "the run may be done before a private item is");
            return Some(item);
        }
        let item = self.end.pop()?;
        self.credits += 1;
        Some(item)
    }

    /// Reverses the newly spawned items, so that the first one is popped first.
    fn reverse_spawned(&mut self) {
        self.private[self.mark..].reverse();
        self.mark = self.private.len();
    }

    /// Shares as much as the configuration demands.
    fn share(&mut self) {
        let have = self.private.len();
        #[cfg(feature = "lab")]
        let keep = self.crew.settings.cfg.sharing.kept_private(
            have,
            || self.end.surplus(),
            || self.crew.has_idle_workers(),
            self.crew.items_block(),
        );
        #[cfg(not(feature = "lab"))]
        let keep = 0;
        self.publish(have - keep, false);
    }

    /// Makes the `count` oldest private items visible. `busy`: the running job goes on.
    fn publish(&mut self, count: usize, busy: bool) {
        if count == 0 {
            return;
        }
        // One credit stays for the running job or the remaining items.
        let spare = self.credits - 1;
        let missing = count.saturating_sub(spare);
        if missing > 0 {
            self.crew.credits.add(missing);
        }
        self.credits = self.credits + missing - count;
        self.outgoing.extend(self.private.drain(..count).rev());
        self.mark = self.private.len();
        self.end.push_batch(&mut self.outgoing);
        let busy = busy || !self.private.is_empty();
        if B::MAX_HIDDEN > 0 && busy {
            self.end.expose();
        }
        self.announce(busy);
    }

    /// Wakes or starts a worker for items that have become visible, if that is worth it. `busy`:
    /// this worker will not take one of them at once.
    #[inline]
    fn announce(&mut self, busy: bool) {
        let surplus = self.end.surplus();
        let wake = self.crew.idle.published(Some(self.me), surplus, busy);
        // A single item that its owner will take next is not worth a thread.
        self.after_wake(wake, surplus > 1 || busy);
    }

    /// Makes items visible that the queue has hidden since they were shared.
    fn expose(&mut self) {
        if B::MAX_HIDDEN > 0 && self.end.expose() {
            self.announce(true);
        }
    }

    /// Counts a wake-up, or starts a thread if no worker was there to wake.
    fn after_wake(&mut self, wake: Wake, worth_a_thread: bool) {
        match wake {
            Wake::Sent => self.counts.idle.wakes += 1,
            Wake::NoneParked if worth_a_thread && self.crew.can_start_worker() => {
                self.start_another();
            }
            Wake::NoneParked | Wake::NotNeeded => {}
        }
    }

    fn start_another(&mut self) {
        let crew = self.crew;
        if !crew.idle.reserve_search() {
            return;
        }
        if let Some(index) = crew.claim_start() {
            if self.starter.start(index) {
                self.counts.started += 1;
                return;
            }
            crew.give_up_starting();
        }
        // No thread will come. Publishers may have relied on it, so the search ends like a real
        // one.
        let wake = crew.idle.search_end(self.me, &mut || crew.needs_worker());
        self.counts.idle.wakes += u64::from(wake == Wake::Sent);
    }

    /// Finds an item in any queue, or parks until there is one. `None` if the run is over.
    #[cold]
    fn search<J: Job<T>>(&mut self, job: &mut J, mut searching: bool) -> Option<T> {
        // This worker has nothing left, so no new item can come from it.
        self.crew.release_credits(std::mem::take(&mut self.credits));
        let mut job_notified = false;
        let mut woken = false;
        loop {
            searching = searching || self.crew.idle.search_begin(self.me);
            if searching && let Some(item) = self.sweep_repeatedly() {
                self.end_search();
                return self.with_credit(item);
            }
            self.counts.idle.spurious += u64::from(std::mem::take(&mut woken));
            if !job_notified {
                // The job may block, for example on a pipe. No publisher may rely on this worker's
                // search meanwhile.
                if std::mem::take(&mut searching) {
                    self.end_search();
                }
                if job.before_park() == ControlFlow::Break(()) {
                    self.crew.halt(QUIT);
                    return None;
                }
                job_notified = true;
            }
            let mut attempt =
                ParkAttempt { crew: self.crew, me: self.me, end: &mut self.end, item: None };
            let end = self.crew.idle.park(self.me, std::mem::take(&mut searching), &mut attempt);
            let item = attempt.item.take();
            match end {
                ParkEnd::Woken => {
                    self.counts.idle.parks += 1;
                    woken = true;
                    searching = true;
                }
                ParkEnd::Found { searching } => {
                    self.counts.idle.rescued += 1;
                    // Publishers may have seen this worker search before it announced that it
                    // parks, so it has their duty.
                    if searching {
                        self.end_search();
                    } else {
                        self.wake_if_needed();
                    }
                    return item.and_then(|item| self.with_credit(item));
                }
                ParkEnd::Stopped => return None,
            }
            if self.crew.is_over() {
                return None;
            }
        }
    }

    /// Takes over the credit of an item that came from a queue.
    fn with_credit(&mut self, item: T) -> Option<T> {
        self.credits += 1;
        Some(item)
    }

    fn end_search(&mut self) {
        let crew = self.crew;
        let wake = crew.idle.search_end(self.me, &mut || crew.needs_worker());
        self.after_wake(wake, true);
    }

    fn wake_if_needed(&mut self) {
        if self.crew.needs_worker() {
            let wake = self.crew.idle.published(Some(self.me), 1, true);
            self.after_wake(wake, true);
        }
    }

    /// Sweeps as often as the search budget allows.
    fn sweep_repeatedly(&mut self) -> Option<T> {
        let budget = self.crew.settings.search;
        for round in 0..budget.sweeps + budget.yields {
            if round >= budget.sweeps {
                yield_now();
            } else if round > 0 {
                pause(round + 3);
            }
            match sweep(self.crew, self.me, &mut self.end) {
                Steal::Item { item, .. } => return Some(item),
                // The thread that won the race may have lost its core half-way: let it finish.
                Steal::Contended => yield_now(),
                Steal::Empty if self.crew.is_over() => return None,
                Steal::Empty => {}
            }
        }
        None
    }
}

fn sweep<T: Send, B: Backend<T>, P>(
    crew: &Crew<T, B, P>,
    me: usize,
    end: &mut Counted<T, B::Worker>,
) -> Steal<T> {
    let start = (me + 1) % crew.settings.workers;
    end.steal(StealRequest { amount: crew.settings.cfg.queue.amount, start })
}

/// A worker that is about to park, as the idle policy sees it.
struct ParkAttempt<'a, T: Send, B: Backend<T>, P> {
    crew: &'a Crew<T, B, P>,
    me: usize,
    end: &'a mut Counted<T, B::Worker>,
    item: Option<T>,
}

impl<T: Send, B: Backend<T>, P: IdlePolicy> Sleeper for ParkAttempt<'_, T, B, P> {
    fn recheck(&mut self) -> Recheck {
        while !self.crew.is_over() {
            match sweep(self.crew, self.me, self.end) {
                Steal::Item { item, .. } => {
                    self.item = Some(item);
                    return Recheck::Found;
                }
                Steal::Empty => return Recheck::Nothing,
                // Emptiness is unknown, so the worker may not park yet.
                Steal::Contended => yield_now(),
            }
        }
        Recheck::Stopped
    }

    fn work_visible(&self) -> bool {
        self.crew.needs_worker()
    }
}

impl<T: Send, B: Backend<T>, P: IdlePolicy, S: Starter> Spawner<T>
    for WorkerContext<'_, T, B, P, S>
{
    fn spawn(&mut self, item: T) {
        self.counts.spawned += 1;
        self.private.push(item);
    }

    fn flush(&mut self) {
        self.reverse_spawned();
        self.publish(self.private.len(), true);
        self.expose();
    }

    fn stopped(&self) -> bool {
        self.crew.is_stopped()
    }

    fn allow_extra_workers(&mut self) {
        self.crew.allow_extra_workers();
        #[cfg(feature = "lab")]
        if self.crew.settings.cfg.sharing.limits_polls() {
            self.flush();
        }
        self.expose();
        // Items shared before now were shared when no worker could be started for them.
        self.wake_if_needed();
    }

    fn has_idle_workers(&self) -> bool {
        #[cfg(feature = "lab")]
        if self.crew.settings.cfg.sharing.limits_polls() && self.end.surplus() > 0 {
            return false;
        }
        self.crew.has_idle_workers()
    }
}
