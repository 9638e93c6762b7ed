//! Runs one kind of work on one way of reclaiming: threads, barriers, clocks, and the account at
//! the end.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::meter::{Meter, Sample};
use crate::queues::scenario::reclaim::node::{Malloc, Node, Pool, Supply, Tally};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};
use crate::queues::scenario::reclaim::times::{Times, Timing};

/// How long the stalled thread stays pinned, if half of the work takes no longer.
const STALL: Duration = Duration::from_millis(50);

/// The work of the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Pin and unpin.
    Pin,
    /// Make an object, pin, retire it, unpin.
    Retire,
    /// Make an object, pin, look at the one that is shared, put the new one in its place, retire
    /// the old one, unpin.
    Swap,
    /// Retire, half of it while one thread more is pinned and sleeps.
    Stall,
    /// Make an object, register, pin, retire, unpin, leave.
    Churn,
}

/// The origin of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Malloc,
    Pool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) work: Work,
    pub(super) source: Source,
    pub(super) threads: usize,
    /// Per thread.
    pub(super) operations: u64,
    pub(super) timing: Timing,
}

pub(super) struct Outcome {
    /// Wall and CPU time, switches, migrations.
    pub(super) cost: Sample,
    pub(super) times: Times,
    /// The most objects there were.
    pub(super) high: u64,
    /// Objects there were when the work was done and all threads had left.
    pub(super) left: u64,
    /// Objects there were when half of the work was done and a thread was still pinned.
    pub(super) stalled: Option<u64>,
    /// The counters of the system itself.
    pub(super) counters: Vec<(&'static str, u64)>,
    pub(super) fault: Option<String>,
}

/// Runs `plan` on `scheme`, and drops the scheme.
pub(super) fn drive<M: Scheme>(scheme: M, plan: Plan) -> Result<Outcome, String> {
    // One for the stalled thread, one for this one.
    let tally = Tally::leak(plan.threads + 1);
    let mut pools = Vec::new();
    let mut outcome = match plan.source {
        Source::Malloc => {
            let supplies = (0..plan.threads).map(|_| Malloc(tally)).collect();
            Shop::new(plan, tally).run(scheme, supplies)?
        }
        Source::Pool => {
            // The first node of `Work::Swap` is one more.
            let nodes = |_| Pool::nodes(plan.operations + 1, tally);
            pools = (0..plan.threads).map(nodes).collect();
            let supplies = pools.iter().map(|nodes| Pool::new(nodes, tally)).collect();
            Shop::new(plan, tally).run(scheme, supplies)?
        }
    };
    // The collector is gone by now.
    outcome.fault = tally.fault(&pools);
    Ok(outcome)
}

/// The shared state of the threads of a measurement.
struct Shop {
    plan: Plan,
    tally: &'static Tally,
    shared: AtomicPtr<Node>,
    /// Everybody is there; the clock may start.
    ready: Barrier,
    /// The clock runs.
    go: Barrier,
    /// Half of the work is done, under the eyes of the stalled thread.
    half: Barrier,
    /// The stalled thread has let go.
    calm: Barrier,
    meter: OnceLock<Meter>,
    stalled: OnceLock<u64>,
}

/// The result of a thread.
struct Lived {
    times: Option<Times>,
    ended: Instant,
}

impl Shop {
    fn new(plan: Plan, tally: &'static Tally) -> Shop {
        let crew = plan.threads + usize::from(plan.work == Work::Stall);
        Shop {
            plan,
            tally,
            shared: AtomicPtr::new(ptr::null_mut()),
            ready: Barrier::new(crew + 1),
            go: Barrier::new(crew + 1),
            half: Barrier::new(crew),
            calm: Barrier::new(crew),
            meter: OnceLock::new(),
            stalled: OnceLock::new(),
        }
    }

    fn run<M: Scheme, S: Supply>(self, scheme: M, mut supplies: Vec<S>) -> Result<Outcome, String> {
        if let (Work::Swap, Some(supply)) = (self.plan.work, supplies.first_mut()) {
            // Ordering: Relaxed, no thread has been started.
            self.shared.store(supply.make().unwrap_or(ptr::null_mut()), Ordering::Relaxed);
        }
        let (lived, begun) = self.employ::<M, S>(&scheme, supplies)?;
        let ended = lived.iter().map(|lived| lived.ended).max().unwrap_or(begun);
        // Ordering: Relaxed, all threads have been joined.
        let last = self.shared.load(Ordering::Relaxed);
        if !last.is_null() {
            // SAFETY: from an `S`, never retired, and all threads that knew it have ended.
            unsafe { S::free(last) };
        }
        let (left, counters) = (self.tally.mark(), scheme.counters());
        drop(scheme);
        let mut times = Times::new(self.plan.timing, 0);
        let threads = lived.len() as u64;
        lived.into_iter().filter_map(|lived| lived.times).for_each(|more| times.absorb(more));
        let meter = self.meter.into_inner().ok_or("nobody started the meter")?;
        let mut cost = meter.stop(threads)?;
        cost.wall_ns = (ended - begun).as_nanos() as u64;
        Ok(Outcome {
            cost,
            times,
            high: self.tally.high(),
            left,
            stalled: self.stalled.into_inner(),
            counters,
            fault: None,
        })
    }

    /// Runs all threads, and returns when they began.
    ///
    /// A thread that cannot be started or that panics leaves the others at a barrier. The row's
    /// process is then ended from outside, by its limit.
    fn employ<M: Scheme, S: Supply>(
        &self,
        scheme: &M,
        supplies: Vec<S>,
    ) -> Result<(Vec<Lived>, Instant), String> {
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for (seat, supply) in supplies.into_iter().enumerate() {
                threads.push(scope.spawn(move || self.live(scheme, seat, supply)));
            }
            if self.plan.work == Work::Stall {
                threads.push(scope.spawn(move || self.stall(scheme)));
            }
            self.ready.wait();
            let started = Meter::start().map(|meter| self.meter.get_or_init(|| meter));
            let begun = Instant::now();
            self.go.wait();
            let lived: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
            started?;
            let lived: Option<Vec<Lived>> = lived.into_iter().map(Result::ok).collect();
            Ok((lived.ok_or("a thread panicked")?, begun))
        })
    }

    /// The body of a thread that works.
    fn live<M: Scheme, S: Supply>(&self, scheme: &M, seat: usize, mut supply: S) -> Lived {
        self.tally.sit(seat);
        let mut times = Times::new(self.plan.timing, self.plan.operations);
        let mut local = (self.plan.work != Work::Churn).then(|| scheme.register());
        self.ready.wait();
        self.go.wait();
        let mut work = |operations| {
            let mut done = 0;
            while done < operations {
                let block = self.plan.timing.block().min(operations - done);
                times.lap(|| self.block(scheme, local.as_mut(), &mut supply, block));
                self.tally.mark();
                done += block;
            }
        };
        if self.plan.work == Work::Stall {
            work(self.plan.operations / 2);
            self.half.wait();
            self.calm.wait();
            work(self.plan.operations - self.plan.operations / 2);
        } else {
            work(self.plan.operations);
        }
        let ended = Instant::now();
        drop(local);
        self.leave();
        Lived { times: Some(times), ended }
    }

    /// `operations` of the work. How many were done: all, unless the supply is too small.
    fn block<M: Scheme, S: Supply>(
        &self,
        scheme: &M,
        local: Option<&mut M::Local<'_>>,
        supply: &mut S,
        operations: u64,
    ) -> u64 {
        let nodes = (0..operations).map_while(|_| supply.make());
        match (self.plan.work, local) {
            (Work::Pin, Some(local)) => each(0..operations, |_| local.pin()),
            (Work::Retire | Work::Stall, Some(local)) => each(nodes, |node| {
                // SAFETY: fresh from an `S`, so unknown to other threads. Pools outlive the scheme.
                unsafe { local.retire::<S>(node) };
            }),
            (Work::Swap, Some(local)) => each(nodes, |node| {
                // SAFETY: as above. `shared` holds a node since before the threads began, because
                // every supply has one at least, and is changed here alone until they have ended.
                unsafe { local.swap::<S>(&self.shared, node, self.tally) };
            }),
            (Work::Churn, _) => each(nodes, |node| {
                // SAFETY: as for `retire`.
                unsafe { scheme.visit::<S>(node) };
            }),
            (_, None) => 0,
        }
    }

    /// The thread that is pinned and sleeps.
    fn stall<M: Scheme>(&self, scheme: &M) -> Lived {
        self.tally.sit(self.plan.threads);
        let mut local = scheme.register();
        local.stall(|| {
            self.ready.wait();
            self.go.wait();
            thread::sleep(STALL);
            self.half.wait();
            let alive = self.tally.mark();
            self.stalled.get_or_init(|| alive);
        });
        self.calm.wait();
        drop(local);
        self.leave();
        Lived { times: None, ended: Instant::now() }
    }

    fn leave(&self) {
        if let Some(meter) = self.meter.get() {
            meter.leave();
        }
    }
}

/// Does something with each item, and returns how many there were.
#[inline]
fn each<T>(items: impl Iterator<Item = T>, mut does: impl FnMut(T)) -> u64 {
    items.fold(0, |done, item| {
        does(item);
        done + 1
    })
}
