//! crossbeam-deque as the document used it: FIFO deques, batches of up to 32, and a loop that
//! spins.

use std::hint;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use super::harness::{Doer, Library, PublishedRun, others, queues};
use crate::meter::Sample;

impl Library for Worker<u64> {
    type Stealer = Stealer<u64>;

    // crossbeam puts an item in hand or moves it, never both, so the document's count is right.
    const COUNTS_MOVES: bool = false;

    fn new() -> Self {
        Worker::new_fifo()
    }

    fn stealer(&self) -> Stealer<u64> {
        self.stealer()
    }

    fn push(&self, id: u64) -> bool {
        self.push(id);
        true
    }

    fn pop(&self) -> Option<u64> {
        self.pop()
    }

    /// Pops, then steals, until all queues of `stealers` look empty.
    fn work(&self, doer: &mut Doer<'_>, stealers: &[Stealer<u64>], me: Option<usize>) {
        let next = || self.pop().or_else(|| sweep(self, stealers, me));
        spin_until(|| stealers.iter().all(Stealer::is_empty), next, |id| doer.run(id));
    }
}

/// Does every item that `next` finds, and spins while it finds none, until the end.
fn spin_until(
    is_over: impl Fn() -> bool,
    next: impl Fn() -> Option<u64>,
    mut run: impl FnMut(u64),
) {
    loop {
        if let Some(id) = next() {
            run(id);
        } else if is_over() {
            return;
        } else {
            hint::spin_loop();
        }
    }
}

/// Steals from every queue but the worker's own.
fn sweep(own: &Worker<u64>, stealers: &[Stealer<u64>], me: Option<usize>) -> Option<u64> {
    others(stealers, me).find_map(|victim| insist(|| victim.steal_batch_and_pop(own)))
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

/// Producers inject, workers pop, then try the injector, then steal, and take each item off a
/// counter shared by all, until it is 0.
pub(super) fn run_producers(replay: &PublishedRun<'_>) -> Result<Sample, String> {
    let (workers, stealers) = queues::<Worker<u64>>(replay.plan.workers.len());
    let (injector, stealers) = (&Injector::new(), &stealers[..]);
    let ranges = &replay.plan.producers;
    let remaining = &AtomicU64::new(ranges.iter().map(|range| range.end - range.start).sum());
    let mut bodies = Vec::new();
    // Producers come first: without all items the workers would never end.
    for items in ranges.iter().cloned() {
        bodies.push(replay.thread(move |_| items.for_each(|id| injector.push(id))));
    }
    for (me, own) in workers.into_iter().enumerate() {
        bodies.push(replay.thread(move |doer| {
            let injected = || insist(|| injector.steal_batch_and_pop(&own));
            let stolen = || sweep(&own, stealers, Some(me));
            let next = || own.pop().or_else(injected).or_else(stolen);
            // Ordering: Relaxed, as in the document. At 0 every item has been done.
            let is_over = || remaining.load(Ordering::Relaxed) == 0;
            spin_until(is_over, next, |id| {
                doer.run(id);
                // Ordering: Relaxed, as in the document; a mere number to `is_over`.
                remaining.fetch_sub(1, Ordering::Relaxed);
            });
        }));
    }
    replay.timed::<Worker<u64>>(bodies, ranges)
}
