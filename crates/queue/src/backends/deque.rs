//! `deque`, the default: a Chase–Lev deque per worker and an injector, both from crossbeam-deque.
//!
//! The owner works at the newest end (depth first, so that memory stays small). Thieves take the
//! oldest items, which in a tree are the shallowest and have the most work below them. This is the
//! shape of ripgrep's PR 2591.

use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Injector, Steal as Taken, Stealer, Worker};

use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::QueueConfig;

/// The most items one steal moves. crossbeam takes each from a LIFO deque with its own CAS, so a
/// larger batch would delay the thief's first item by more than a second steal costs. Not measured.
const MAX_BATCH: usize = 256;

/// The injector and the stealing end of every worker.
pub struct Deque<T>(Arc<SharedEnds<T>>);

struct SharedEnds<T> {
    injector: Injector<T>,
    stealers: Box<[Stealer<T>]>,
}

/// One worker's deque.
pub struct DequeWorker<T> {
    me: usize,
    own: Worker<T>,
    shared: Arc<SharedEnds<T>>,
    /// The last victim that had items, or `me`. It comes first in a sweep: it likely has more.
    last: usize,
}

impl<T: Send> Backend<T> for Deque<T> {
    type Worker = DequeWorker<T>;

    const NAME: &'static str = "deque";
    const ORDER: PopOrder = PopOrder::NewestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Deque<T>, Vec<DequeWorker<T>>) {
        let ends: Vec<Worker<T>> = iter::repeat_with(Worker::new_lifo).take(workers).collect();
        let stealers = ends.iter().map(Worker::stealer).collect();
        let shared = Arc::new(SharedEnds { injector: Injector::new(), stealers });
        let worker = |(me, own)| DequeWorker { me, own, shared: Arc::clone(&shared), last: me };
        let workers = ends.into_iter().enumerate().map(worker).collect();
        (Deque(shared), workers)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        for item in batch.drain(..) {
            self.0.injector.push(item);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.injector.is_empty() && self.0.stealers.iter().all(Stealer::is_empty)
    }

    fn backlog(&self) -> usize {
        self.0.injector.len()
    }
}

impl<T> DequeWorker<T> {
    /// Takes one item, and further ones into `own`, from a source with `len` items. `source` moves
    /// up to the given number of items.
    fn take(
        &self,
        len: usize,
        req: StealRequest,
        source: impl Fn(&Worker<T>, usize) -> Taken<T>,
    ) -> Taken<T> {
        let want = req.amount.take(len).clamp(1, MAX_BATCH);
        let first = source(&self.own, want);
        if !first.is_success() {
            return first;
        }
        // crossbeam moves at most half of a queue per call. A larger share takes several calls, and
        // the item that each returns joins the stolen ones.
        while self.own.len() + 1 < want {
            match source(&self.own, want - 1 - self.own.len()) {
                Taken::Success(item) => self.own.push(item),
                Taken::Empty | Taken::Retry => break,
            }
        }
        first
    }

    fn outcome(&self, item: T, before: usize, source_empty: bool) -> Steal<T> {
        let now = self.own.len();
        Steal::Item { item, moved: now.saturating_sub(before), more: now > 0 || !source_empty }
    }
}

impl<T: Send> WorkerQueue<T> for DequeWorker<T> {
    fn push(&mut self, item: T) {
        self.own.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        for item in batch.drain(..).rev() {
            self.own.push(item);
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.own.pop()
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let before = self.own.len();
        let mut lost_a_race = false;
        let injector = &self.shared.injector;
        if !injector.is_empty() {
            match self
                .take(injector.len(), req, |own, n| injector.steal_batch_with_limit_and_pop(own, n))
            {
                Taken::Success(item) => return self.outcome(item, before, injector.is_empty()),
                Taken::Retry => lost_a_race = true,
                Taken::Empty => {}
            }
        }
        for victim in req.victims_after(self.last, self.shared.stealers.len(), self.me) {
            let stealer = &self.shared.stealers[victim];
            let len = stealer.len();
            if len == 0 {
                continue;
            }
            match self.take(len, req, |own, n| stealer.steal_batch_with_limit_and_pop(own, n)) {
                Taken::Success(item) => {
                    self.last = victim;
                    let source_empty = self.shared.stealers[victim].is_empty();
                    return self.outcome(item, before, source_empty);
                }
                Taken::Retry => lost_a_race = true,
                Taken::Empty => {}
            }
        }
        if lost_a_race { Steal::Contended } else { Steal::Empty }
    }

    fn surplus(&self) -> usize {
        self.own.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::num::NonZeroU8;

    use super::*;
    use crate::config::StealAmount;

    fn pops(end: &mut DequeWorker<u32>) -> Vec<u32> {
        iter::from_fn(|| end.pop()).collect()
    }

    /// Steals from an end to which 0..8 were pushed in this order. Returns the stolen item, then
    /// the thief's other items and the victim's, both in the order of popping.
    fn steal(amount: StealAmount) -> (u32, Vec<u32>, Vec<u32>) {
        let (_queue, mut ends) = Deque::build(2, &QueueConfig { amount, ..QueueConfig::default() });
        (0..8).for_each(|i| ends[0].push(i));
        let Steal::Item { item, moved, .. } = ends[1].steal(StealRequest { amount, start: 0 })
        else {
            panic!("there is something to steal");
        };
        let (thief, victim) = (pops(&mut ends[1]), pops(&mut ends[0]));
        assert_eq!(thief.len(), moved);
        (item, thief, victim)
    }

    #[test]
    fn thieves_take_the_oldest_and_run_them_newest_first() {
        assert_eq!(steal(StealAmount::One), (0, vec![], vec![7, 6, 5, 4, 3, 2, 1]));
        assert_eq!(steal(StealAmount::HALF), (3, vec![2, 1, 0], vec![7, 6, 5, 4]));
    }

    #[test]
    fn more_than_half_is_taken_in_several_steps() {
        let most = StealAmount::Percent(NonZeroU8::new(75).unwrap());
        let (item, thief, victim) = steal(most);
        assert_eq!((thief.len(), &victim[..]), (5, &[7, 6][..]));
        assert!(item < 6 && thief.iter().all(|&i| i < 6));
    }

    #[test]
    fn the_last_good_victim_comes_first() {
        let (_queue, mut ends) = Deque::build(3, &QueueConfig::default());
        let req = StealRequest { amount: StealAmount::One, start: 0 };
        ends[1].push(10);
        assert!(matches!(ends[2].steal(req), Steal::Item { item: 10, .. }));
        ends[0].push(0);
        ends[1].push(11);
        assert!(matches!(ends[2].steal(req), Steal::Item { item: 11, .. }));
        assert!(matches!(ends[2].steal(req), Steal::Item { item: 0, .. }));
    }
}
