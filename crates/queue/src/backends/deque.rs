//! `deque`: a Chase–Lev deque per worker and an injector, from the crate crossbeam-deque.
//!
//! The owner works at the new end (depth first, so that memory stays small); thieves take the
//! oldest items, which in a tree are the shallowest and promise the most work. This is the shape of
//! ripgrep's PR 2591.

use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Injector, Steal as Taken, Stealer, Worker};

use crate::backend::{
    Backend, PopOrder, QueueConfig, QueueStats, Steal, StealRequest, WorkerQueue,
};

/// The most items one steal moves. crossbeam takes them from a LIFO deque with one CAS each; far
/// more than this would keep the thief from its first item for longer than a second steal costs.
/// Not measured yet.
const MOST_AT_ONCE: usize = 256;

/// What all workers see: the injector and everybody's stealing end.
pub struct Deque<T>(Arc<Shared<T>>);

struct Shared<T> {
    injector: Injector<T>,
    stealers: Box<[Stealer<T>]>,
}

/// One worker's deque.
pub struct Local<T> {
    me: usize,
    own: Worker<T>,
    shared: Arc<Shared<T>>,
    /// The last victim that had something. It is asked first, since it likely has more.
    last: usize,
    stats: QueueStats,
}

impl<T: Send> Backend<T> for Deque<T> {
    type Worker = Local<T>;

    const NAME: &'static str = "deque";
    const ORDER: PopOrder = PopOrder::NewestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Deque<T>, Vec<Local<T>>) {
        let ends: Vec<Worker<T>> = iter::repeat_with(Worker::new_lifo).take(workers).collect();
        let stealers = ends.iter().map(Worker::stealer).collect();
        let shared = Arc::new(Shared { injector: Injector::new(), stealers });
        let local = |(me, own)| Local {
            me,
            own,
            shared: Arc::clone(&shared),
            last: me,
            stats: QueueStats::default(),
        };
        let locals = ends.into_iter().enumerate().map(local).collect();
        (Deque(shared), locals)
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

impl<T> Local<T> {
    /// Asks one source, which takes up to `limit` items, for an item and a batch into `own`.
    fn take(
        &self,
        len: usize,
        req: StealRequest,
        source: impl Fn(&Worker<T>, usize) -> Taken<T>,
    ) -> Taken<T> {
        let want = req.amount.take(len).clamp(1, MOST_AT_ONCE);
        let first = source(&self.own, want);
        if !first.is_success() {
            return first;
        }
        // crossbeam never gives more than half at once. A larger share is asked for repeatedly, and
        // the item it puts in hand each time joins the stolen.
        while self.own.len() + 1 < want {
            match source(&self.own, want - 1 - self.own.len()) {
                Taken::Success(item) => self.own.push(item),
                Taken::Empty | Taken::Retry => break,
            }
        }
        first
    }

    /// Turns what a source answered into the crew's terms.
    fn outcome(&self, item: T, before: usize, source_empty: bool) -> Steal<T> {
        let now = self.own.len();
        Steal::Item { item, moved: now.saturating_sub(before), more: now > 0 || !source_empty }
    }

    fn sweep(&mut self, req: StealRequest) -> Steal<T> {
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
        let crew = self.shared.stealers.len();
        // Nobody has been robbed yet where the last victim is oneself.
        let last = Some(self.last).filter(|&last| last != self.me);
        for victim in last.into_iter().chain(req.victims(crew, self.me)) {
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
}

impl<T: Send> WorkerQueue<T> for Local<T> {
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.own.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        for item in batch.drain(..).rev() {
            self.own.push(item);
        }
    }

    fn pop(&mut self) -> Option<T> {
        let item = self.own.pop();
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let outcome = self.sweep(req);
        self.stats.count(&outcome);
        outcome
    }

    fn surplus(&self) -> usize {
        self.own.len()
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::num::NonZeroU8;

    use super::*;
    use crate::backend::StealAmount;

    fn pops(end: &mut Local<u32>) -> Vec<u32> {
        iter::from_fn(|| end.pop()).collect()
    }

    /// Steals from an end that holds 0..8, pushed in this order; gives the hand, the thief's rest
    /// and the victim's, in the order of popping.
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
    fn the_last_good_victim_is_asked_first() {
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
