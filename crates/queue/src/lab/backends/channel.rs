//! `channel`: one crossbeam-channel shared by all workers, one item per receive.
//!
//! This is the "crossbeam" row of rocallahan's biased work queues: a program that distributes its
//! work through a channel. Items are run first come, first served, so a walk goes breadth first,
//! and each item costs two operations on cache lines that every worker writes. The context switches
//! that the document measures come from the way a channel wakes blocked receivers. Here no worker
//! blocks in the channel, because waking is up to the idle policy.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::backend::{Backend, PopOrder, Steal};
use crate::backends::single_store::{SharedHandle, SingleStore, handles};
use crate::config::QueueConfig;

/// The shared channel.
pub struct Channel<T>(Arc<BothEnds<T>>);

/// Both ends of one channel.
pub(super) struct BothEnds<T> {
    sender: Sender<T>,
    pub(super) receiver: Receiver<T>,
}

impl<T> BothEnds<T> {
    pub(super) fn new() -> BothEnds<T> {
        let (sender, receiver) = unbounded();
        BothEnds { sender, receiver }
    }

    /// Adds an item behind all others.
    pub(super) fn send(&self, item: T) {
        // Cannot fail: a channel is closed when all its receivers are gone, and `self` has one.
        self.sender.send(item).expect("the receiver is beside the sender");
    }

    /// Adds all items of `batch` and leaves it empty.
    pub(super) fn send_all(&self, batch: &mut Vec<T>) {
        batch.drain(..).for_each(|item| self.send(item));
    }

    /// Takes the oldest item.
    pub(super) fn take(&self) -> Option<T> {
        // The channel cannot be closed, so an error means that it was empty. It never means that an
        // item was half sent, because the receiver waits for that.
        self.receiver.try_recv().ok()
    }
}

impl<T: Send> Backend<T> for Channel<T> {
    type Worker = SharedHandle<Channel<T>>;

    const NAME: &'static str = "channel";
    const ORDER: PopOrder = PopOrder::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Channel<T>, Vec<SharedHandle<Channel<T>>>) {
        let shared = Arc::new(BothEnds::new());
        let handles = handles(workers, || Channel(Arc::clone(&shared)));
        (Channel(shared), handles)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        self.0.send_all(batch);
    }

    fn is_empty(&self) -> bool {
        self.0.receiver.is_empty()
    }

    fn backlog(&self) -> usize {
        self.0.receiver.len()
    }
}

impl<T: Send> SingleStore<T> for Channel<T> {
    fn push(&self, item: T) {
        self.0.send(item);
    }

    fn pop(&self) -> Option<T> {
        self.0.take()
    }

    fn take(&self) -> Steal<T> {
        match self.0.take() {
            Some(item) => Steal::Item { item, moved: 0, more: !self.0.receiver.is_empty() },
            None => Steal::Empty,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::backend::{StealRequest, WorkerQueue};
    use crate::config::StealAmount;
    use crate::lab::Injector;

    #[test]
    fn all_workers_take_the_oldest_item_one_at_a_time() {
        check::<Channel<u32>>();
        check::<Injector<u32>>();
    }

    fn check<B: SingleStore<u32>>() {
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
