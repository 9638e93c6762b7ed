//! crossbeam-deque as the document used it: FIFO deques, batches of up to 32, and a loop that
//! spins.

use std::hint;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use super::harness::{Doer, Outcome, Replay, Start, join, stop};
use crate::meter::Meter;
use crate::queues::scenario::witness::Tally;

/// Runs it once.
pub(super) fn run(replay: &Replay<'_>) -> Result<Outcome, String> {
    match &replay.start {
        Start::Own(ranges) => own(replay, ranges),
        Start::Victims(ranges) => victims(replay, ranges),
        Start::Producers(ranges) => producers(replay, ranges),
    }
}

/// So many queues, and their stealers.
fn queues(count: usize) -> (Vec<Worker<u64>>, Vec<Stealer<u64>>) {
    let workers: Vec<_> = (0..count).map(|_| Worker::new_fifo()).collect();
    let stealers = workers.iter().map(Worker::stealer).collect();
    (workers, stealers)
}

/// The sum of what the threads did. crossbeam puts an item in hand or moves it, never both, so the
/// document's count is right.
fn outcome(meter: Meter, tallies: Vec<Tally>, existed: &[Range<u64>]) -> Result<Outcome, String> {
    let sample = stop(meter)?;
    let mut tally = Tally::default();
    tallies.into_iter().for_each(|other| tally += other);
    let existed = existed.to_vec();
    Ok(Outcome { sample, tally, existed, published: tally.count, moved: None })
}

fn own(replay: &Replay<'_>, ranges: &[Range<u64>]) -> Result<Outcome, String> {
    let (workers, stealers) = queues(replay.workers);
    let stealers = &stealers[..];
    let meter = Meter::start()?;
    let tallies = thread::scope(|scope| {
        let threads = workers.into_iter().zip(ranges).enumerate().map(|(me, (worker, items))| {
            thread::Builder::new().spawn_scoped(scope, move || {
                items.clone().for_each(|id| worker.push(id));
                until_empty(Doer::new(replay), &worker, stealers, Some(me))
            })
        });
        join(threads.collect())
    })?;
    outcome(meter, tallies, ranges)
}

fn victims(replay: &Replay<'_>, ranges: &[Range<u64>]) -> Result<Outcome, String> {
    let (victims, stealers) = queues(ranges.len());
    let stealers = &stealers[..];
    for (victim, items) in victims.iter().zip(ranges) {
        items.clone().for_each(|id| victim.push(id));
    }
    let meter = Meter::start()?;
    let tallies = thread::scope(|scope| {
        let threads = (0..replay.workers).map(|_| {
            thread::Builder::new().spawn_scoped(scope, move || {
                until_empty(Doer::new(replay), &Worker::new_fifo(), stealers, None)
            })
        });
        join(threads.collect())
    })?;
    outcome(meter, tallies, ranges)
}

/// Pops, then steals, until all queues of `stealers` look empty.
fn until_empty(
    mut doer: Doer<'_>,
    own: &Worker<u64>,
    stealers: &[Stealer<u64>],
    me: Option<usize>,
) -> Tally {
    loop {
        if let Some(id) = own.pop().or_else(|| sweep(own, stealers, me)) {
            doer.run(id);
        } else if stealers.iter().all(Stealer::is_empty) {
            return doer.tally;
        } else {
            hint::spin_loop();
        }
    }
}

/// Steals from every queue but the worker's own.
fn sweep(own: &Worker<u64>, stealers: &[Stealer<u64>], me: Option<usize>) -> Option<u64> {
    let others = stealers.iter().enumerate().filter(|&(victim, _)| Some(victim) != me);
    others.into_iter().find_map(|(_, victim)| insist(|| victim.steal_batch_and_pop(own)))
}

/// Tries until it gets an item or there is none.
fn insist(mut steal: impl FnMut() -> Steal<u64>) -> Option<u64> {
    loop {
        match steal() {
            Steal::Success(id) => return Some(id),
            Steal::Empty => return None,
            Steal::Retry => hint::spin_loop(),
        }
    }
}

fn producers(replay: &Replay<'_>, ranges: &[Range<u64>]) -> Result<Outcome, String> {
    let (workers, stealers) = queues(replay.workers);
    let (injector, stealers) = (&Injector::new(), &stealers[..]);
    let remaining = &AtomicU64::new(ranges.iter().map(|range| range.end - range.start).sum());
    let meter = Meter::start()?;
    let tallies = thread::scope(|scope| {
        let producers = ranges.iter().map(|items| {
            thread::Builder::new()
                .spawn_scoped(scope, move || items.clone().for_each(|id| injector.push(id)))
        });
        let producers: Vec<_> = producers.collect();
        if producers.iter().any(Result::is_err) {
            // Without all items the workers would never end.
            return join(producers).map(|_| Vec::new());
        }
        let threads = workers.into_iter().enumerate().map(|(me, worker)| {
            thread::Builder::new().spawn_scoped(scope, move || {
                until_none_remain(Doer::new(replay), &worker, injector, stealers, me, remaining)
            })
        });
        let threads = threads.collect();
        join(producers)?;
        join(threads)
    })?;
    outcome(meter, tallies, ranges)
}

/// Pops, then tries the injector, then steals, and takes each item off a counter shared by all.
fn until_none_remain(
    mut doer: Doer<'_>,
    own: &Worker<u64>,
    injector: &Injector<u64>,
    stealers: &[Stealer<u64>],
    me: usize,
    remaining: &AtomicU64,
) -> Tally {
    loop {
        let injected = || insist(|| injector.steal_batch_and_pop(own));
        let stolen = || sweep(own, stealers, Some(me));
        if let Some(id) = own.pop().or_else(injected).or_else(stolen) {
            doer.run(id);
            // Ordering: Relaxed, as in the document; a mere number to the `load` below.
            remaining.fetch_sub(1, Ordering::Relaxed);
        // Ordering: Relaxed, as in the document. At 0 every item has been done.
        } else if remaining.load(Ordering::Relaxed) == 0 {
            return doer.tally;
        } else {
            hint::spin_loop();
        }
    }
}
