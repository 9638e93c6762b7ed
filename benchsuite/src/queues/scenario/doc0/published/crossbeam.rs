//! crossbeam-deque as the document used it: FIFO deques, batches of up to 32, and a loop that
//! spins.

use std::hint;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use super::harness::{self, Doer, Library, Outcome, Replay, Start, queues, timed};
use crate::queues::scenario::race::Body;

/// Runs it once.
pub(super) fn run(replay: &Replay<'_>) -> Result<Outcome, String> {
    match &replay.start {
        Start::Producers(ranges) => producers(replay, ranges),
        _ => harness::run::<Worker<u64>>(replay),
    }
}

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
    fn work<'a>(
        &self,
        mut doer: Doer<'a>,
        stealers: &[Stealer<u64>],
        me: Option<usize>,
    ) -> Doer<'a> {
        loop {
            if let Some(id) = self.pop().or_else(|| sweep(self, stealers, me)) {
                doer.run(id);
            } else if stealers.iter().all(Stealer::is_empty) {
                return doer;
            } else {
                hint::spin_loop();
            }
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
    let (workers, stealers) = queues::<Worker<u64>>(replay.workers);
    let (injector, stealers, completed) = (&Injector::new(), &stealers[..], &AtomicU64::new(0));
    let remaining = &AtomicU64::new(ranges.iter().map(|range| range.end - range.start).sum());
    // They come first: without all items the workers would never end.
    let producers = ranges.iter().map(|items| {
        let body: Body<'_, _> = Box::new(move |_| {
            items.clone().for_each(|id| injector.push(id));
            Some(Doer::new(replay, completed))
        });
        body
    });
    let workers = workers.into_iter().enumerate().map(|(me, worker)| {
        let body: Body<'_, _> = Box::new(move |_| {
            let doer = Doer::new(replay, completed);
            Some(until_none_remain(doer, &worker, injector, stealers, me, remaining))
        });
        body
    });
    timed::<Worker<u64>>(producers.chain(workers).collect(), completed, ranges.to_vec())
}

/// Pops, then tries the injector, then steals, and takes each item off a counter shared by all.
fn until_none_remain<'a>(
    mut doer: Doer<'a>,
    own: &Worker<u64>,
    injector: &Injector<u64>,
    stealers: &[Stealer<u64>],
    me: usize,
    remaining: &AtomicU64,
) -> Doer<'a> {
    loop {
        let injected = || insist(|| injector.steal_batch_and_pop(own));
        let stolen = || sweep(own, stealers, Some(me));
        if let Some(id) = own.pop().or_else(injected).or_else(stolen) {
            doer.run(id);
            // Ordering: Relaxed, as in the document; a mere number to the `load` below.
            remaining.fetch_sub(1, Ordering::Relaxed);
        // Ordering: Relaxed, as in the document. At 0 every item has been done.
        } else if remaining.load(Ordering::Relaxed) == 0 {
            return doer;
        } else {
            hint::spin_loop();
        }
    }
}
