//! St3 as the document used it: rings of 1024, transfers counted as completed.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::super::plan::CAPACITY;
use super::harness::{Doer, Outcome, Replay, Start, join, stop};
use crate::meter::Meter;
use crate::queues::scenario::witness::Tally;

/// Runs it once on the rings whose owner pops the newest item.
pub(super) fn lifo(replay: &Replay<'_>) -> Result<Outcome, String> {
    run::<::st3::lifo::Worker<u64>>(replay)
}

/// Runs it once on the rings whose owner pops the oldest item.
pub(super) fn fifo(replay: &Replay<'_>) -> Result<Outcome, String> {
    run::<::st3::fifo::Worker<u64>>(replay)
}

/// The operations of both flavours of ring.
trait Ring: Send + Sized {
    type Stealer: Send + Sync;

    fn new() -> Self;
    fn stealer(&self) -> Self::Stealer;
    /// Whether there was room.
    fn push(&self, id: u64) -> bool;
    fn pop(&self) -> Option<u64>;
    /// Moves items from a victim to this ring, and returns how many. Like the document it takes a
    /// busy victim for an empty one.
    fn take(&self, victim: &Self::Stealer, share: fn(usize) -> usize) -> usize;
}

macro_rules! ring {
    ($flavour:ident) => {
        impl Ring for ::st3::$flavour::Worker<u64> {
            type Stealer = ::st3::$flavour::Stealer<u64>;

            fn new() -> Self {
                Self::new(CAPACITY)
            }

            fn stealer(&self) -> Self::Stealer {
                self.stealer()
            }

            fn push(&self, id: u64) -> bool {
                self.push(id).is_ok()
            }

            fn pop(&self) -> Option<u64> {
                self.pop()
            }

            fn take(&self, victim: &Self::Stealer, share: fn(usize) -> usize) -> usize {
                victim.steal(self, share).unwrap_or(0)
            }
        }
    };
}

ring!(lifo);
ring!(fifo);

/// The items that one thread did, and how often one was moved.
struct Done {
    tally: Tally,
    moved: u64,
}

fn run<R: Ring>(replay: &Replay<'_>) -> Result<Outcome, String> {
    match &replay.start {
        Start::Own(ranges) => own::<R>(replay, ranges),
        Start::Victims(ranges) => victims::<R>(replay, ranges),
        Start::Producers(_) => Err("the document has no injector for st3".to_owned()),
    }
}

fn rings<R: Ring>(count: usize) -> (Vec<R>, Vec<R::Stealer>) {
    let rings: Vec<R> = (0..count).map(|_| R::new()).collect();
    let stealers = rings.iter().map(R::stealer).collect();
    (rings, stealers)
}

fn own<R: Ring>(replay: &Replay<'_>, ranges: &[Range<u64>]) -> Result<Outcome, String> {
    let (rings, stealers) = rings::<R>(replay.workers);
    let (stealers, completed) = (&stealers[..], &AtomicU64::new(0));
    let meter = Meter::start()?;
    let done = thread::scope(|scope| {
        let threads = rings.into_iter().zip(ranges).enumerate().map(|(me, (ring, items))| {
            thread::Builder::new().spawn_scoped(scope, move || {
                let mut doer = Doer::new(replay);
                fill(&mut doer, &ring, items.clone(), completed);
                until_nothing_found(doer, &ring, stealers, Some(me), replay.share, completed)
            })
        });
        join(threads.collect())
    })?;
    outcome(meter, done, completed, ranges.to_vec())
}

/// Pushes `items`. When the ring is full, pops one and counts it on the counter shared by all.
fn fill<R: Ring>(doer: &mut Doer<'_>, ring: &R, items: Range<u64>, completed: &AtomicU64) {
    for id in items {
        while !ring.push(id) {
            if let Some(id) = ring.pop() {
                doer.run(id);
                // Ordering: Relaxed, as in the document; read by `outcome` after the joins.
                completed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

fn victims<R: Ring>(replay: &Replay<'_>, ranges: &[Range<u64>]) -> Result<Outcome, String> {
    let (victims, stealers) = rings::<R>(ranges.len());
    let (stealers, completed) = (&stealers[..], &AtomicU64::new(0));
    // A queue is filled up to the first push that fails. The rest of its items is dropped.
    let fitting = victims.iter().zip(ranges).map(|(victim, items)| {
        let dropped = items.clone().find(|&id| !victim.push(id));
        items.start..dropped.unwrap_or(items.end)
    });
    let existed = fitting.collect();
    let meter = Meter::start()?;
    let done = thread::scope(|scope| {
        let threads = (0..replay.workers).map(|_| {
            thread::Builder::new().spawn_scoped(scope, move || {
                let (doer, ring) = (Doer::new(replay), R::new());
                until_nothing_found(doer, &ring, stealers, None, replay.share, completed)
            })
        });
        join(threads.collect())
    })?;
    outcome(meter, done, completed, existed)
}

/// Pops, then takes a share of another ring's items, then a single one, until nothing is found.
/// What is taken is counted, and counted again when it is popped.
fn until_nothing_found<R: Ring>(
    mut doer: Doer<'_>,
    ring: &R,
    stealers: &[R::Stealer],
    me: Option<usize>,
    share: fn(usize) -> usize,
    completed: &AtomicU64,
) -> Done {
    let (mut published, mut moved) = (0, 0);
    loop {
        if let Some(id) = ring.pop() {
            doer.run(id);
            published += 1;
            continue;
        }
        let sweep = |share| {
            let others = stealers.iter().enumerate().filter(|&(victim, _)| Some(victim) != me);
            others.map(|(_, victim)| ring.take(victim, share)).find(|&taken| taken > 0)
        };
        let Some(taken) = sweep(share).or_else(|| sweep(|_| 1)) else {
            break;
        };
        published += taken as u64;
        moved += taken as u64;
    }
    // Ordering: Relaxed, as in the document; read by `outcome` after the joins.
    completed.fetch_add(published, Ordering::Relaxed);
    Done { tally: doer.tally, moved }
}

fn outcome(
    meter: Meter,
    done: Vec<Done>,
    completed: &AtomicU64,
    existed: Vec<Range<u64>>,
) -> Result<Outcome, String> {
    let sample = stop(meter)?;
    let (mut tally, mut moved) = (Tally::default(), 0);
    for thread in done {
        tally += thread.tally;
        moved += thread.moved;
    }
    // Ordering: Relaxed, the threads that counted were joined before.
    let published = completed.load(Ordering::Relaxed);
    Ok(Outcome { sample, tally, existed, published, moved: Some(moved) })
}
