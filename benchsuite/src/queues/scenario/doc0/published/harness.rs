//! What the rebuilt harness of both libraries shares: the threads, who pushes what, the count.

use std::num::NonZeroU8;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::super::plan::Distribution;
use crate::meter::Sample;
use crate::queues::scenario::race::{Body, Clock, race};
use crate::queues::scenario::witness::{Bits, Tally, fault};

/// A library's queue, used as in the document.
pub(super) trait Library: Send + Sized {
    type Stealer: Send + Sync;

    /// Whether the harness counts an item when a thief takes it, and again when it is popped.
    const COUNTS_MOVES: bool;

    fn new() -> Self;
    fn stealer(&self) -> Self::Stealer;
    /// Whether there was room.
    fn push(&self, id: u64) -> bool;
    fn pop(&self) -> Option<u64>;
    /// Pops and steals until the document's loop ends. `me` is this queue's index among `stealers`,
    /// if it is there.
    fn work(&self, doer: &mut Doer<'_>, stealers: &[Self::Stealer], me: Option<usize>);
}

/// So many queues, and their stealers.
pub(super) fn queues<L: Library>(count: usize) -> (Vec<L>, Vec<L::Stealer>) {
    let queues: Vec<L> = (0..count).map(|_| L::new()).collect();
    let stealers = queues.iter().map(L::stealer).collect();
    (queues, stealers)
}

/// The queues of all others.
pub(super) fn others<S>(stealers: &[S], me: Option<usize>) -> impl Iterator<Item = &S> {
    let others = stealers.iter().enumerate().filter(move |&(victim, _)| Some(victim) != me);
    others.map(|(_, victim)| victim)
}

/// Does items as the harness does, by counting them, and keeps the proper count beside it.
pub(super) struct Doer<'a> {
    tally: Tally,
    /// How many items it took from other queues into its own.
    pub(super) moved: u64,
    /// Returns how many items a thief takes from a queue that has a given number, where that can be
    /// set.
    pub(super) share: fn(usize) -> usize,
    bits: Option<&'a Bits>,
    /// The harness's own count in the [`PublishedRun`].
    reported: &'a AtomicU64,
}

impl Doer<'_> {
    #[inline]
    pub(super) fn run(&mut self, id: u64) {
        self.tally.done(id, self.bits);
    }

    /// Adds to the harness's own count, which all threads share.
    pub(super) fn report(&self, items: u64) {
        // Ordering: Relaxed, as in the document; read by `timed` after the joins.
        self.reported.fetch_add(items, Ordering::Relaxed);
    }
}

/// One run of the harness.
pub(super) struct PublishedRun<'a> {
    pub(super) plan: &'a Distribution,
    bits: Option<&'a Bits>,
    share: fn(usize) -> usize,
    /// The harness's own count of items done, as far as its threads share one. On its own cache
    /// line, since some threads add to it while others work.
    reported: CachePadded<AtomicU64>,
}

impl<'a> PublishedRun<'a> {
    /// `plan` with marks in `bits`; an error if the document has no such share of a steal.
    pub(super) fn new(
        plan: &'a Distribution,
        bits: Option<&'a Bits>,
    ) -> Result<PublishedRun<'a>, String> {
        let share: fn(usize) -> usize = match plan.load.percent.map_or(50, NonZeroU8::get) {
            25 => |items| items / 4,
            50 => |items| items / 2,
            75 => |items| items * 3 / 4,
            100 => |items| items,
            other => return Err(format!("the document has no share of {other} %")),
        };
        Ok(PublishedRun { plan, bits, share, reported: CachePadded::default() })
    }

    /// A thread that ends with `work`.
    pub(super) fn thread<'b>(
        &'b self,
        work: impl FnOnce(&mut Doer<'b>) + Send + 'b,
    ) -> Body<'b, Doer<'b>> {
        Box::new(move |_| {
            let (tally, reported) = (Tally::default(), &*self.reported);
            let mut doer = Doer { tally, moved: 0, share: self.share, bits: self.bits, reported };
            work(&mut doer);
            Some(doer)
        })
    }

    /// Runs the plan once on queues of one library, without producers.
    pub(super) fn run<L: Library>(&self) -> Result<Sample, String> {
        if self.plan.victims.is_empty() { self.own::<L>() } else { self.victims::<L>() }
    }

    /// Each worker pushes its items, and does one for each that its queue has no room for.
    fn own<L: Library>(&self) -> Result<Sample, String> {
        let (queues, stealers) = queues::<L>(self.plan.workers.len());
        let stealers = &stealers[..];
        let mut bodies = Vec::new();
        for (me, (queue, items)) in queues.into_iter().zip(&self.plan.workers).enumerate() {
            bodies.push(self.thread(move |doer| {
                for id in items.clone() {
                    while !queue.push(id) {
                        if let Some(id) = queue.pop() {
                            doer.run(id);
                            doer.report(1);
                        }
                    }
                }
                queue.work(doer, stealers, Some(me));
            }));
        }
        self.timed::<L>(bodies, &self.plan.workers)
    }

    /// Thieves rob queues without a thread. Such a queue is filled up to the first push that fails;
    /// the rest of its items is dropped.
    fn victims<L: Library>(&self) -> Result<Sample, String> {
        let (victims, stealers) = queues::<L>(self.plan.victims.len());
        let existed = victims.iter().zip(&self.plan.victims).map(|(victim, items)| {
            let dropped = items.clone().find(|&id| !victim.push(id));
            items.start..dropped.unwrap_or(items.end)
        });
        let existed: Vec<Range<u64>> = existed.collect();
        let stealers = &stealers[..];
        let thief = |_| self.thread(move |doer| L::new().work(doer, stealers, None));
        self.timed::<L>(self.plan.workers.iter().map(thief).collect(), &existed)
    }

    /// Runs the threads, times how they start and end, and verifies that they did the items that
    /// `existed`, which is what was really put into the queues.
    pub(super) fn timed<L: Library>(
        &self,
        bodies: Vec<Body<'_, Doer<'_>>>,
        existed: &[Range<u64>],
    ) -> Result<Sample, String> {
        let raced = race(Clock::Starting, bodies)?;
        let tally: Tally = raced.results.iter().map(|doer| doer.tally).sum();
        let moved: u64 = raced.results.iter().map(|doer| doer.moved).sum();
        let mut sample = raced.cost;
        sample.expected = existed.iter().map(|range| range.end - range.start).sum();
        sample.completed = tally.count;
        sample.invalid = fault(tally, self.bits, existed);
        // Ordering: Relaxed, the threads that counted were joined before.
        let reported = self.reported.load(Ordering::Relaxed);
        let published = if L::COUNTS_MOVES { reported } else { tally.count };
        sample.as_published = Some(published);
        // st3's contention is the only place where the document divides by what it counted.
        let by_count = L::COUNTS_MOVES && !self.plan.victims.is_empty();
        let by = if by_count { published.max(1) } else { self.plan.items };
        sample.add_columns([("published_ns_per_op", sample.wall_ns as f64 / by as f64)]);
        sample.add_counts([("dropped_by_harness", self.plan.items - sample.expected)]);
        sample.add_counts(L::COUNTS_MOVES.then_some(("moved", moved)));
        Ok(sample)
    }
}
