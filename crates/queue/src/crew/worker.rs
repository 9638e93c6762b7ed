//! One worker's life: run, share, search, sleep.

use std::ops::{AddAssign, ControlFlow};

use crate::backend::{Backend, Steal, StealRequest, WorkerQueue};
use crate::crew::{Crew, QUIT};
use crate::idle::{IdlePolicy, ParkEnd, Recheck, Sleeper, Wake};
use crate::job::{Job, Spawner};
use crate::report::{IdleStats, Sharing};
use crate::sync::{pause, yield_now};

/// Starts further workers.
pub(crate) trait Starter {
    /// Starts worker `index`, which begins as a searcher. `false`: the system refuses.
    fn start(&self, index: usize) -> bool;
}

/// Everything a worker has but its job. Jobs see it as their [`Spawner`].
pub(crate) struct WorkerContext<'c, T, B: Backend<T>, P, S>
where
    T: Send,
{
    me: usize,
    crew: &'c Crew<T, B, P>,
    starter: S,
    local: B::Worker,
    /// Items nobody else sees, the next one last.
    private: Vec<T>,
    /// Where in `private` the items begin that the running job has spawned and that are still in
    /// the order of spawning.
    mark: usize,
    /// Items on their way to the queue; empty in between.
    outgoing: Vec<T>,
    /// Credits held, at least one while there is something to do.
    credits: usize,
    sealed: bool,
    pub(crate) counts: Counts,
}

/// What a worker counts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) executed: u64,
    pub(crate) spawned: u64,
    pub(crate) started: usize,
    pub(crate) idle: IdleStats,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.executed += other.executed;
        self.spawned += other.spawned;
        self.started += other.started;
        self.idle += other.idle;
    }
}

impl<'c, T, B, P, S> WorkerContext<'c, T, B, P, S>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    S: Starter,
{
    /// WorkerContext for worker `me`. `roots` come with one credit, already counted.
    pub(crate) fn new(
        me: usize,
        crew: &'c Crew<T, B, P>,
        starter: S,
        local: B::Worker,
        roots: Option<Vec<T>>,
    ) -> Self {
        let credits = usize::from(roots.is_some());
        let mut private = roots.unwrap_or_default();
        private.reverse();
        let counts = Counts { spawned: private.len() as u64, ..Counts::default() };
        let mark = private.len();
        let outgoing = Vec::new();
        WorkerContext {
            me,
            crew,
            starter,
            local,
            private,
            mark,
            outgoing,
            credits,
            sealed: false,
            counts,
        }
    }

    /// What is left when the worker goes home.
    pub(crate) fn into_rest(self) -> (B::Worker, Vec<T>, Counts) {
        (self.local, self.private, self.counts)
    }

    /// Runs items until the run is over. `searching`: this worker is counted as a searcher already.
    pub(crate) fn work<J: Job<T>>(&mut self, job: &mut J, mut searching: bool) {
        self.crew.idle.enter(self.me);
        if !self.private.is_empty() {
            self.share(false);
        }
        loop {
            let next = if searching { None } else { self.own() };
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
            self.sealed = false;
            if job.run(item, self) == ControlFlow::Break(()) {
                self.crew.halt(QUIT);
                break;
            }
            self.settle_order();
            if !self.private.is_empty() {
                self.share(false);
            }
        }
    }

    /// The next item of one's own.
    fn own(&mut self) -> Option<T> {
        if let Some(item) = self.private.pop() {
            return Some(item);
        }
        let item = self.local.pop()?;
        self.credits += 1;
        Some(item)
    }

    /// Turns the freshly spawned items round, so that the first comes last and is popped first.
    fn settle_order(&mut self) {
        self.private[self.mark..].reverse();
        self.mark = self.private.len();
    }

    /// Shares as much as the configuration says. `busy`: the running job goes on.
    fn share(&mut self, busy: bool) {
        let have = self.private.len();
        let keep = match self.crew.settings.sharing {
            Sharing::Eager => 0,
            // Whoever is has_idle_workers now would have to wait for the job's end.
            Sharing::Lazy if busy && self.crew.has_idle_workers() => 0,
            // Thieves have something: they will get on without more. One item: nobody does it
            // sooner.
            Sharing::Lazy if (have < 2 && !busy) || self.local.surplus() > 0 => return,
            Sharing::Lazy if self.crew.has_idle_workers() => 1,
            Sharing::Lazy => have - have / 2,
        };
        self.publish(have - keep, busy);
    }

    /// Makes the `count` oldest private items visible.
    fn publish(&mut self, count: usize, busy: bool) {
        if count == 0 {
            return;
        }
        // One credit stays for the job that runs, or the items that remain.
        let spare = self.credits - 1;
        let missing = count.saturating_sub(spare);
        if missing > 0 {
            self.crew.add_credits(missing);
        }
        self.credits = self.credits + missing - count;
        self.outgoing.extend(self.private.drain(..count).rev());
        self.mark = self.private.len();
        self.local.push_batch(&mut self.outgoing);
        let surplus = self.local.surplus();
        let busy = busy || !self.private.is_empty();
        let wake = self.crew.idle.published(Some(self.me), surplus, busy);
        // A single item that its owner will take next is not worth a thread.
        self.respond(wake, surplus > 1 || busy);
    }

    /// Counts a wake-up, or starts a thread when there is nobody to wake.
    fn respond(&mut self, wake: Wake, worth_a_thread: bool) {
        match wake {
            Wake::Sent => self.counts.idle.wakes += 1,
            Wake::NoneParked if worth_a_thread && self.crew.can_start_worker() => {
                self.start_another()
            }
            Wake::NoneParked | Wake::NotNeeded => {}
        }
    }

    fn start_another(&mut self) {
        let crew = self.crew;
        if !crew.idle.reserve_search() {
            return;
        }
        if let Some(index) = crew.claim() {
            if self.starter.start(index) {
                self.counts.started += 1;
                return;
            }
            crew.give_up_starting();
        }
        // Nobody will come. Publishers may have relied on it, so the search ends like a real one.
        let wake = crew.idle.search_end(self.me, &mut || crew.needs_worker());
        self.counts.idle.wakes += u64::from(wake == Wake::Sent);
    }

    /// Finds an item somewhere, or sleeps until there is one. `None`: the run is over.
    #[cold]
    fn search<J: Job<T>>(&mut self, job: &mut J, mut searching: bool) -> Option<T> {
        // Nothing is left here, so nothing can come from here.
        self.crew.settle(std::mem::take(&mut self.credits));
        let mut handed_out = false;
        let mut woken = false;
        loop {
            searching = searching || self.crew.idle.search_begin(self.me);
            if searching && let Some(item) = self.look_around() {
                self.end_search();
                return self.take_over(item);
            }
            self.counts.idle.spurious += u64::from(std::mem::take(&mut woken));
            if !handed_out {
                // May block on somebody else's pipe. Nobody may rely on this worker's search
                // meanwhile.
                if std::mem::take(&mut searching) {
                    self.end_search();
                }
                if job.before_park() == ControlFlow::Break(()) {
                    self.crew.halt(QUIT);
                    return None;
                }
                handed_out = true;
            }
            let mut sleeper =
                ParkAttempt { crew: self.crew, me: self.me, local: &mut self.local, item: None };
            let end = self.crew.idle.park(self.me, std::mem::take(&mut searching), &mut sleeper);
            let item = sleeper.item.take();
            match end {
                ParkEnd::Woken => {
                    self.counts.idle.parks += 1;
                    woken = true;
                    searching = true;
                }
                ParkEnd::Found { searching } => {
                    self.counts.idle.rescued += 1;
                    self.pass_on(searching);
                    return item.and_then(|item| self.take_over(item));
                }
                ParkEnd::Stopped => return None,
            }
            if self.crew.is_over() {
                return None;
            }
        }
    }

    /// An item taken from a queue brings its credit.
    fn take_over(&mut self, item: T) -> Option<T> {
        self.credits += 1;
        Some(item)
    }

    fn end_search(&mut self) {
        let crew = self.crew;
        let wake = crew.idle.search_end(self.me, &mut || crew.needs_worker());
        self.respond(wake, true);
    }

    /// The duty of one who found something in the second look: publishers may have seen it search
    /// before that.
    fn pass_on(&mut self, searching: bool) {
        if searching {
            self.end_search();
        } else if self.crew.needs_worker() {
            let wake = self.crew.idle.published(Some(self.me), 1, true);
            self.respond(wake, true);
        }
    }

    /// Some sweeps, as many as are worth it.
    fn look_around(&mut self) -> Option<T> {
        let budget = self.crew.settings.search;
        for round in 0..budget.sweeps + budget.yields {
            if round >= budget.sweeps {
                yield_now();
            } else if round > 0 {
                pause(round + 3);
            }
            match sweep(self.crew, self.me, &mut self.local) {
                Steal::Item { item, .. } => return Some(item),
                // The one who won the race may have lost its core in the middle: let it finish.
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
    local: &mut B::Worker,
) -> Steal<T> {
    let start = (me + 1) % crew.settings.workers;
    local.steal(StealRequest { amount: crew.settings.amount, start })
}

/// A worker about to sleep, as the idle policy sees it.
struct ParkAttempt<'a, T: Send, B: Backend<T>, P> {
    crew: &'a Crew<T, B, P>,
    me: usize,
    local: &'a mut B::Worker,
    item: Option<T>,
}

impl<T: Send, B: Backend<T>, P: IdlePolicy> Sleeper for ParkAttempt<'_, T, B, P> {
    fn recheck(&mut self) -> Recheck {
        while !self.crew.is_over() {
            match sweep(self.crew, self.me, self.local) {
                Steal::Item { item, .. } => {
                    self.item = Some(item);
                    return Recheck::Found;
                }
                Steal::Empty => return Recheck::Nothing,
                // Emptiness is unknown, so sleeping is not allowed yet.
                Steal::Contended => yield_now(),
            }
        }
        Recheck::Stopped
    }

    fn work_visible(&self) -> bool {
        self.crew.needs_worker()
    }
}

impl<T, B, P, S> Spawner<T> for WorkerContext<'_, T, B, P, S>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    S: Starter,
{
    fn spawn(&mut self, item: T) {
        assert!(!self.sealed, "an item was spawned by one that was sealed");
        self.counts.spawned += 1;
        self.private.push(item);
    }

    fn flush(&mut self) {
        self.settle_order();
        self.publish(self.private.len(), true);
    }

    fn seal(&mut self) {
        self.settle_order();
        self.sealed = true;
        if !self.private.is_empty() {
            self.share(true);
        }
    }

    fn allow_extra_workers(&mut self) {
        self.crew.allow_extra_workers();
        // What is shared already was shared when there was nobody to start.
        if self.crew.needs_worker() {
            let wake = self.crew.idle.published(Some(self.me), 1, true);
            self.respond(wake, true);
        }
    }

    fn stopped(&self) -> bool {
        self.crew.is_stopped()
    }

    fn has_idle_workers(&self) -> bool {
        self.crew.has_idle_workers()
    }
}
