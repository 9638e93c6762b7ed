//! `injector`: one crossbeam `Injector` for the whole crew, one item per take.
//!
//! The control arm. It has what the work-stealing backends put their injected items into, and
//! nothing else: what they gain over it is what owning a queue is worth. Against `channel` it tells
//! what a channel's readiness to block costs those who never do.

use std::sync::Arc;

use crossbeam_deque::{Injector as Queue, Steal as Taken};

use crate::backend::{Backend, Order, QueueConfig, QueueStats, Steal, StealReq, WorkerQueue};

/// The shared queue.
pub struct Injector<T>(Arc<Queue<T>>);

/// One worker's handle on the shared queue.
pub struct Handle<T> {
    shared: Arc<Queue<T>>,
    stats: QueueStats,
}

impl<T: Send> Backend<T> for Injector<T> {
    type Worker = Handle<T>;

    const NAME: &'static str = "injector";
    const ORDER: Order = Order::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Injector<T>, Vec<Handle<T>>) {
        let shared = Arc::new(Queue::new());
        let handle = |_| Handle { shared: Arc::clone(&shared), stats: QueueStats::default() };
        let handles = (0..workers).map(handle).collect();
        (Injector(shared), handles)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        batch.drain(..).for_each(|item| self.0.push(item));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn backlog(&self) -> usize {
        self.0.len()
    }
}

impl<T: Send> WorkerQueue<T> for Handle<T> {
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.shared.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        batch.drain(..).for_each(|item| self.shared.push(item));
    }

    fn pop(&mut self) -> Option<T> {
        // A lost race means that somebody else has got an item, so this does not go on for ever.
        let item = loop {
            match self.shared.steal() {
                Taken::Success(item) => break Some(item),
                Taken::Empty => break None,
                Taken::Retry => std::hint::spin_loop(),
            }
        };
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, _: StealReq) -> Steal<T> {
        let outcome = match self.shared.steal() {
            Taken::Success(item) => Steal::Item { item, moved: 0, more: !self.shared.is_empty() },
            Taken::Empty => Steal::Empty,
            Taken::Retry => Steal::Contended,
        };
        self.stats.count(&outcome);
        outcome
    }

    fn surplus(&self) -> usize {
        self.shared.len()
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::backend::StealAmount;

    #[test]
    fn all_take_the_oldest_of_one_queue_one_at_a_time() {
        let (queue, mut ends) = Injector::build(2, &QueueConfig::default());
        ends[0].push(0);
        ends[1].push_batch(&mut vec![1, 2]);
        queue.inject(&mut vec![3]);
        assert_eq!((ends[0].surplus(), ends[1].surplus()), (4, 4));
        assert_eq!(ends[1].pop(), Some(0));
        let req = StealReq { amount: StealAmount::HALF, start: 0 };
        assert!(matches!(ends[0].steal(req), Steal::Item { item: 1, moved: 0, more: true }));
        assert_eq!(ends[0].pop(), Some(2));
        assert!(matches!(ends[1].steal(req), Steal::Item { item: 3, moved: 0, more: false }));
        assert!(queue.is_empty() && ends[0].pop().is_none());
    }
}
