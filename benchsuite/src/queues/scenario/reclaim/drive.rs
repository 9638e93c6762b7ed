//! Runs one kind of work on one way of reclaiming: threads, barriers, clocks, and the account at
//! the end.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::meter::Sample;
use crate::queues::scenario::race::{Body, Clock, Start, race};
use crate::queues::scenario::reclaim::node::{Node, Supply, Tally, free};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};
use crate::queues::scenario::reclaim::times::{Times, Timing};

/// How long the stalled thread stays pinned, if half of the work takes no longer.
const STALL: Duration = Duration::from_millis(50);

/// The work of the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Source {
    #[serde(rename = "malloc")]
    Malloc,
    #[serde(rename = "no allocation")]
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
    let pools: Vec<Vec<Node>> = match plan.source {
        Source::Malloc => Vec::new(),
        // The first node of `Work::Swap` is one more.
        Source::Pool => (0..plan.threads).map(|_| Node::pool(plan.operations + 1, tally)).collect(),
    };
    // Dropped before the pools, on every way out.
    let scheme = scheme;
    let mut supplies: Vec<Supply<'_>> = match plan.source {
        Source::Malloc => (0..plan.threads).map(|_| Supply::Malloc).collect(),
        Source::Pool => pools.iter().map(|nodes| Supply::Pool(nodes.iter())).collect(),
    };
    let first = supplies.first_mut().filter(|_| plan.work == Work::Swap);
    let first = first.and_then(|supply| supply.make(tally)).unwrap_or(ptr::null_mut());
    let crew = plan.threads + usize::from(plan.work == Work::Stall);
    let shop = Shop {
        plan,
        tally,
        shared: AtomicPtr::new(first),
        half: Barrier::new(crew),
        calm: Barrier::new(crew),
        stalled: OnceLock::new(),
    };
    let (shop, scheme_ref) = (&shop, &scheme);
    let mut bodies: Vec<Body<'_, Lived>> = Vec::new();
    for (seat, supply) in supplies.into_iter().enumerate() {
        bodies.push(Box::new(move |start| shop.live(scheme_ref, seat, supply, start)));
    }
    if plan.work == Work::Stall {
        bodies.push(Box::new(move |start| shop.stall(scheme_ref, start)));
    }
    let raced = race(Clock::Ready, bodies)?;
    // Ordering: Relaxed, all threads have been joined.
    let last = shop.shared.load(Ordering::Relaxed);
    if !last.is_null() {
        // SAFETY: from a supply, never retired, and all threads that knew it have ended.
        unsafe { free(last) };
    }
    let (left, counters) = (tally.mark(), scheme.counters());
    drop(scheme);
    let mut cost = raced.cost;
    let ended = raced.results.iter().map(|lived| lived.ended).max().unwrap_or(raced.begun);
    cost.wall_ns = (ended - raced.begun).as_nanos() as u64;
    let mut times = Times::new(plan.timing, 0);
    raced.results.into_iter().filter_map(|lived| lived.times).for_each(|more| times.absorb(more));
    let stalled = shop.stalled.get().copied();
    let fault = tally.fault(&pools);
    Ok(Outcome { cost, times, high: tally.high(), left, stalled, counters, fault })
}

/// The shared state of the threads of a measurement. A thread that panics leaves the stalled one at
/// a barrier; the row's process is then ended from outside, by its limit.
struct Shop {
    plan: Plan,
    tally: &'static Tally,
    shared: AtomicPtr<Node>,
    /// Half of the work is done, under the eyes of the stalled thread.
    half: Barrier,
    /// The stalled thread has let go.
    calm: Barrier,
    stalled: OnceLock<u64>,
}

/// The result of a thread.
struct Lived {
    times: Option<Times>,
    ended: Instant,
}

impl Shop {
    /// The body of a thread that works.
    fn live<M: Scheme>(
        &self,
        scheme: &M,
        seat: usize,
        mut supply: Supply<'_>,
        start: Start<'_>,
    ) -> Option<Lived> {
        self.tally.sit(seat);
        let mut times = Times::new(self.plan.timing, self.plan.operations);
        let mut local = (self.plan.work != Work::Churn).then(|| scheme.register());
        start.wait()?;
        let mut work = |operations| {
            let mut done = 0;
            while done < operations {
                let block = self.plan.timing.block.min(operations - done);
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
        Some(Lived { times: Some(times), ended })
    }

    /// `operations` of the work. How many were done: all, unless the supply is too small.
    fn block<M: Scheme>(
        &self,
        scheme: &M,
        local: Option<&mut M::Local<'_>>,
        supply: &mut Supply<'_>,
        operations: u64,
    ) -> u64 {
        let nodes = (0..operations).map_while(|_| supply.make(self.tally));
        match (self.plan.work, local) {
            (Work::Pin, Some(local)) => each(0..operations, |_| local.pin()),
            (Work::Retire | Work::Stall, Some(local)) => each(nodes, |node| {
                // SAFETY: fresh from a supply, so unknown to other threads. Pools outlive the
                // scheme.
                unsafe { local.retire(node) };
            }),
            (Work::Swap, Some(local)) => each(nodes, |node| {
                // SAFETY: as above. `shared` holds a node since before the threads began, because
                // every supply has one at least, and is changed here alone until they have ended.
                unsafe { local.swap(&self.shared, node, self.tally) };
            }),
            (Work::Churn, _) => each(nodes, |node| {
                // SAFETY: as for `retire`.
                unsafe { scheme.visit(node) };
            }),
            (_, None) => 0,
        }
    }

    /// The thread that is pinned and sleeps.
    fn stall<M: Scheme>(&self, scheme: &M, start: Start<'_>) -> Option<Lived> {
        self.tally.sit(self.plan.threads);
        let mut local = scheme.register();
        let mut begun = None;
        local.stall(|| {
            begun = start.wait().map(|()| {
                thread::sleep(STALL);
                self.half.wait();
                let alive = self.tally.mark();
                self.stalled.get_or_init(|| alive);
            });
        });
        begun?;
        self.calm.wait();
        drop(local);
        Some(Lived { times: None, ended: Instant::now() })
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
