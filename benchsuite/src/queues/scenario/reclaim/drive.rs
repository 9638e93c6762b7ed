//! Runs one kind of work on one way to reclaim: threads, barriers, clocks, and the account at the
//! end.

use std::iter;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use crate::meter::Sample;
use crate::queues::scenario::race::{Body, Clock, Start, race};
use crate::queues::scenario::reclaim::node::{Account, Object, Supply, free};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};
use crate::queues::scenario::reclaim::times::{Times, Timing};

/// How long the stalled thread stays pinned, if half of the work takes no longer.
const STALL: Duration = Duration::from_millis(50);

/// The operation that the threads repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Operation {
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

/// Where objects come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum ObjectSource {
    #[serde(rename = "malloc")]
    Malloc,
    #[serde(rename = "no allocation")]
    Pool,
}

/// What the threads of a measurement do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workload {
    pub(super) work: Operation,
    pub(super) source: ObjectSource,
    pub(super) threads: usize,
    /// Per thread.
    pub(super) operations: u64,
    pub(super) timing: Timing,
}

/// Runs `plan` on `scheme`, and drops the scheme.
pub(super) fn drive<S: Scheme>(scheme: S, plan: Workload) -> Result<(Sample, Times), String> {
    let Workload { work, source, threads, operations, timing: _ } = plan;
    // The last seats are the stalled thread's and this one's, which makes the first shared node.
    let pools = iter::repeat_n(operations, threads).chain([0, 1]);
    let account =
        Account::leak(pools.map(|count| if source == ObjectSource::Pool { count } else { 0 }));
    let mut supply = account.sit(threads + 1);
    let first = if work == Operation::Swap { supply.make() } else { ptr::null_mut() };
    let shop = &Shop {
        scheme: &scheme,
        plan,
        account,
        shared: AtomicPtr::new(first),
        turn: Barrier::new(threads + 1),
        stalled: OnceLock::new(),
    };
    let worker = |seat| -> Body<'_, Times> { Box::new(move |start| shop.work(seat, start)) };
    let mut bodies: Vec<Body<'_, Times>> = (0..threads).map(worker).collect();
    if work == Operation::Stall {
        bodies.push(Box::new(|start| shop.stall(start)));
    }
    let raced = race(Clock::Ready, bodies)?;
    // Ordering: Relaxed, all threads have been joined.
    let last = shop.shared.load(Ordering::Relaxed);
    if !last.is_null() {
        // SAFETY: from a supply, never retired, and all threads that knew it have ended.
        unsafe { free(last) };
    }
    let times = raced.results.into_iter().reduce(Times::and).ok_or("no threads")?;
    let mut sample = raced.cost;
    // What the meter took includes the ends of the threads.
    sample.wall_ns = times.ended.duration_since(raced.begun).as_nanos() as u64;
    sample.expected = operations * threads as u64;
    sample.completed = times.operations;
    let left = account.mark();
    sample.add_counts([
        ("unreclaimed", account.high()),
        ("unreclaimed_bytes", account.high() * size_of::<Object>() as u64),
        ("left", left),
    ]);
    sample.add_counts(shop.stalled.get().map(|&stalled| ("stalled", stalled)));
    sample.add_counts(scheme.counters());
    drop(scheme);
    sample.invalid = account.fault();
    Ok((sample, times))
}

/// What the threads in a measurement share. A thread that panics leaves the stalled one at the
/// barrier; the row's process is then ended from outside, by its limit.
struct Shop<'a, S> {
    scheme: &'a S,
    plan: Workload,
    account: &'static Account,
    shared: AtomicPtr<Object>,
    /// Passed when half the work is done, while the stalled thread watches, and again when that one
    /// has let go.
    turn: Barrier,
    /// Objects there were when half of the work was done and a thread was still pinned.
    stalled: OnceLock<u64>,
}

impl<S: Scheme> Shop<'_, S> {
    /// A thread that works.
    fn work(&self, seat: usize, start: Start<'_>) -> Option<Times> {
        let register = || self.scheme.register();
        match self.plan.work {
            Operation::Pin => self.repeat(seat, start, register, |local, _| drop(local.pin())),
            Operation::Retire | Operation::Stall => {
                self.repeat(seat, start, register, |local, supply| {
                    let node = supply.make();
                    // SAFETY: fresh from a supply, so unknown to other threads.
                    unsafe { S::Local::retire(local.guard(), node) };
                })
            }
            Operation::Swap => self.repeat(seat, start, register, |local, supply| {
                let node = supply.make();
                let mut guard = local.guard();
                // SAFETY: `shared` has held a node since before the threads began. This one was
                // there under the guard, so it is freed after `release` at the earliest.
                unsafe { &*S::Local::load(&mut guard, &self.shared) }.look();
                S::Local::release(&mut guard);
                // Ordering: AcqRel. Release publishes `node`; Acquire pairs with the swap that
                // published the old one, which is about to be retired.
                let old = self.shared.swap(node, Ordering::AcqRel);
                // SAFETY: the swap took it out, for this thread alone.
                unsafe { S::Local::retire(guard, old) };
            }),
            Operation::Churn => self.repeat(
                seat,
                start,
                || (),
                |(), supply| {
                    // SAFETY: as for `Retire`.
                    unsafe { self.scheme.visit(supply.make()) };
                },
            ),
        }
    }

    /// Runs a thread that prepares itself with `enter` and does `step` as often as planned.
    fn repeat<L>(
        &self,
        seat: usize,
        start: Start<'_>,
        enter: impl FnOnce() -> L,
        mut step: impl FnMut(&mut L, &mut Supply),
    ) -> Option<Times> {
        let Workload { work, operations, timing, .. } = self.plan;
        let mut supply = self.account.sit(seat);
        let mut times = Times::new(timing, operations);
        let mut local = enter();
        start.wait()?;
        let mut take = |operations| {
            times.take(operations, || step(&mut local, &mut supply), || self.account.mark());
        };
        if work == Operation::Stall {
            take(operations / 2);
            self.turn.wait();
            self.turn.wait();
            take(operations - operations / 2);
        } else {
            take(operations);
        }
        Some(times)
    }

    /// The thread that is pinned and sleeps.
    fn stall(&self, start: Start<'_>) -> Option<Times> {
        self.account.sit(self.plan.threads);
        let times = Times::new(self.plan.timing, 0);
        let mut local = self.scheme.register();
        let guard = local.pin();
        start.wait()?;
        thread::sleep(STALL);
        self.turn.wait();
        self.stalled.get_or_init(|| self.account.mark());
        drop(guard);
        self.turn.wait();
        Some(times)
    }
}
