//! Runs a plan on a backend.
//!
//! The backend is used directly, below the crew and its idle policies, so that only the queue is
//! measured. A worker that finds nothing yields and sweeps again; it leaves when all items have
//! been done. To know that without a counter that everybody writes for each item, each worker keeps
//! its own, on a cache line of its own, and a worker that finds nothing adds them up. They only
//! grow, so a sum that has reached the number of items is never too early.

use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crossbeam_utils::{Backoff, CachePadded};
use heist_queue::{
    Backend, BackendVisitor, Counted, QueueConfig, QueueStats, Steal, StealAmount, StealRequest,
    WorkerQueue,
};

use super::plan::{Distribution, QUEUE_CAPACITY};
use crate::meter::Sample;
use crate::queues::scenario::calibrate::Cost;
use crate::queues::scenario::race::{Body, Clock, Raced, race};
use crate::queues::scenario::witness::{Bits, Tally, fault};

/// After how many items a worker publishes its count. It also does so when it runs dry.
const PUBLISH_EVERY: u64 = 64;

/// One worker's end of `B`, with counters.
type End<B> = Counted<u64, <B as Backend<u64>>::Worker>;

/// What the threads in one run share.
struct Arena<'a, B> {
    plan: &'a Distribution,
    bits: Option<&'a Bits>,
    cost: Cost,
    queue: B,
    /// How many items each worker has done, as far as it has published.
    done: Box<[CachePadded<AtomicU64>]>,
}

impl<B> Arena<'_, B> {
    /// A lower bound of the items done.
    fn done(&self) -> u64 {
        // Ordering: Relaxed. The counters only grow, so whatever was read was done; nothing else is
        // concluded from it.
        self.done.iter().map(|done| done.load(Ordering::Relaxed)).sum()
    }
}

/// The result of a worker.
struct Finished<B: Backend<u64>> {
    end: End<B>,
    tally: Tally,
    /// When it ran dry for the last time, if it ever did an item.
    ran_dry: Option<Instant>,
}

/// Runs the plan once on the backend it visits, and verifies what was done.
pub(super) struct Measure<'a> {
    pub(super) plan: &'a Distribution,
    /// Where to mark each item, in a run that is not timed.
    pub(super) bits: Option<&'a Bits>,
}

impl BackendVisitor<u64> for Measure<'_> {
    type Output = Result<Sample, String>;

    fn visit<B: Backend<u64>>(self) -> Self::Output {
        let Measure { plan, bits } = self;
        let ends = plan.victims.len() + plan.workers.len();
        let mut config = QueueConfig {
            amount: plan.load.amount(),
            capacity: QUEUE_CAPACITY,
            ..QueueConfig::default()
        };
        if plan.load.block > 0 {
            config.block = plan.load.block;
        }
        let (queue, ends) = B::build(ends, &config);
        let mut victims: Vec<End<B>> = ends.into_iter().map(Counted::new).collect();
        let workers = victims.split_off(plan.victims.len());
        for (victim, items) in victims.iter_mut().zip(&plan.victims) {
            items.clone().for_each(|id| victim.push(id));
            // A victim never pops, so what it hid would stay hidden.
            victim.expose();
        }
        let done = plan.workers.iter().map(|_| CachePadded::default()).collect();
        let arena = &Arena { plan, bits, cost: Cost::of_ns(plan.load.cost_ns), queue, done };

        let mut bodies: Vec<Body<'_, Option<Finished<B>>>> = Vec::new();
        for (index, end) in workers.into_iter().enumerate() {
            bodies
                .push(Box::new(move |start| start.wait().map(|()| Some(work(arena, index, end)))));
        }
        for items in &plan.producers {
            bodies.push(Box::new(move |start| {
                start.wait()?;
                // One item at a time, as the document does.
                let mut batch = Vec::with_capacity(1);
                for id in items.clone() {
                    batch.push(id);
                    arena.queue.inject(&mut batch);
                }
                Some(None)
            }));
        }
        Ok(judge(plan, bits, victims, race(Clock::Ready, bodies)?))
    }
}

/// Pushes the worker's own items, does what is there, then steals until all items are done.
fn work<B: Backend<u64>>(arena: &Arena<'_, B>, index: usize, mut end: End<B>) -> Finished<B> {
    let plan = arena.plan;
    plan.workers[index].clone().for_each(|id| end.push(id));

    let me = plan.victims.len() + index;
    let mut req = StealRequest { amount: plan.load.amount(), start: me + 1 };
    let mut random = fastrand::Rng::with_seed(index as u64);
    let queues = plan.victims.len() + plan.workers.len();
    let mut doer = Doer { arena, index, tally: Tally::default() };
    let mut dry: Option<Dry> = None;
    loop {
        while let Some(id) = end.pop() {
            doer.run(id);
        }
        doer.publish();
        if plan.load.random_victims {
            req.start = random.usize(..queues);
        }
        if let Steal::Item { item, .. } = end.steal(req) {
            doer.run(item);
            dry = None;
            continue;
        }
        let (now, done) = (Instant::now(), arena.done());
        let backoff = Backoff::new();
        let dry = dry.get_or_insert(Dry { since: now, backoff, done, changed: now });
        if done != dry.done {
            (dry.done, dry.changed) = (done, now);
        }
        // Without patience, a queue that loses an item would hang instead of being found out.
        if done >= plan.items || now.duration_since(dry.changed) >= plan.patience {
            let ran_dry = (doer.tally.count > 0).then_some(dry.since);
            return Finished { tally: doer.tally, end, ran_dry };
        }
        dry.backoff.snooze();
    }
}

/// A worker that finds nothing.
struct Dry {
    since: Instant,
    /// Pauses at first; yields soon, since the worker that has the items may wait for this core.
    backoff: Backoff,
    /// How many items were done when this last changed, and when that was.
    done: u64,
    changed: Instant,
}

/// Does items and counts them.
struct Doer<'a, B> {
    arena: &'a Arena<'a, B>,
    index: usize,
    tally: Tally,
}

impl<B> Doer<'_, B> {
    #[inline]
    fn run(&mut self, id: u64) {
        self.arena.cost.pay(id);
        self.tally.done(id, self.arena.bits);
        if self.tally.count.is_multiple_of(PUBLISH_EVERY) {
            self.publish();
        }
    }

    fn publish(&self) {
        // Ordering: Relaxed, read by `Arena::done` as a mere number.
        self.arena.done[self.index].store(self.tally.count, Ordering::Relaxed);
    }
}

/// Adds up what the workers did and verifies it.
fn judge<B: Backend<u64>>(
    plan: &Distribution,
    bits: Option<&Bits>,
    victims: Vec<End<B>>,
    raced: Raced<Option<Finished<B>>>,
) -> Sample {
    let Raced { results, begun, cost: mut sample } = raced;
    let finished: Vec<_> = results.into_iter().flatten().collect();
    // What the meter took includes the ends of the threads.
    if let Some(last) = finished.iter().filter_map(|worker| worker.ran_dry).max() {
        sample.wall_ns = last.duration_since(begun).as_nanos() as u64;
    }
    let tally: Tally = finished.iter().map(|worker| worker.tally).sum();
    sample.expected = plan.items;
    sample.completed = tally.count;
    let mut ends = victims;
    ends.extend(finished.into_iter().map(|worker| worker.end));
    let mut stats = QueueStats::default();
    ends.iter().for_each(|end| stats += end.stats());
    sample.add_queue_counts(&stats);
    let fault = fault(tally, bits, slice::from_ref(&(0..plan.items)));
    sample.invalid = fault.map(|fault| format!("{fault}; {} left in the queues", drain(ends)));
    sample
}

/// Takes everything that is left, and returns how much it was.
fn drain<Q: WorkerQueue<u64>>(mut ends: Vec<Q>) -> u64 {
    let req = StealRequest { amount: StealAmount::One, start: 0 };
    let mut left = 0;
    for end in &mut ends {
        while end.pop().is_some() || matches!(end.steal(req), Steal::Item { .. }) {
            left += 1;
        }
    }
    left
}
