//! What `channel`, `injector` and `stack` have in common: one store, and all workers have the same.
//!
//! There is nothing that is a worker's own. What it pushes is where anybody injects, its surplus is
//! the backlog, and whether it pops or steals it gets the next item of all. So its end is no more
//! than a handle that counts.

use crate::backend::{Backend, QueueStats, Steal, StealRequest, WorkerQueue};

/// A backend whose workers all have the same store.
pub(super) trait Common<T: Send>: Backend<T, Worker = Handle<Self>> {
    /// Adds one item, to be taken in the order of [`Backend::ORDER`].
    fn push(&self, item: T);

    /// Takes the next item if there is one, and insists where that takes several attempts.
    fn pop(&self) -> Option<T>;

    /// Makes one attempt to take the next item.
    fn take(&self) -> Steal<T>;
}

/// One worker's handle on the store of all.
pub struct Handle<B> {
    all: B,
    stats: QueueStats,
}

/// A handle for each worker, on what `all` gives for each of them: the same store.
pub(super) fn handles<B>(workers: usize, all: impl Fn() -> B) -> Vec<Handle<B>> {
    (0..workers).map(|_| Handle { all: all(), stats: QueueStats::default() }).collect()
}

impl<T: Send, B: Common<T>> WorkerQueue<T> for Handle<B> {
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.all.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        self.all.inject(batch);
    }

    fn pop(&mut self) -> Option<T> {
        let item = self.all.pop();
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, _: StealRequest) -> Steal<T> {
        let outcome = self.all.take();
        self.stats.count(&outcome);
        outcome
    }

    fn surplus(&self) -> usize {
        self.all.backlog()
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::backend::{QueueConfig, StealAmount};
    use crate::backends::{channel::Channel, injector::Injector};

    #[test]
    fn all_take_the_oldest_of_one_channel_one_at_a_time() {
        all_take_the_oldest_one_at_a_time::<Channel<u32>>();
    }

    #[test]
    fn all_take_the_oldest_of_one_injector_one_at_a_time() {
        all_take_the_oldest_one_at_a_time::<Injector<u32>>();
    }

    fn all_take_the_oldest_one_at_a_time<B: Common<u32>>() {
        let (queue, mut ends) = B::build(2, &QueueConfig::default());
        ends[0].push(0);
        ends[1].push_batch(&mut vec![1, 2]);
        queue.inject(&mut vec![3]);
        assert_eq!((ends[0].surplus(), ends[1].surplus()), (4, 4));
        assert_eq!(ends[1].pop(), Some(0));
        let req = StealRequest { amount: StealAmount::HALF, start: 0 };
        assert!(matches!(ends[0].steal(req), Steal::Item { item: 1, moved: 0, more: true }));
        assert_eq!(ends[0].pop(), Some(2));
        assert!(matches!(ends[1].steal(req), Steal::Item { item: 3, moved: 0, more: false }));
        assert!(queue.is_empty() && ends[0].pop().is_none());
    }
}
