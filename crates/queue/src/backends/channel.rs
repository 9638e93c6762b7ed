//! `channel`: one crossbeam-channel for the whole crew, one item per receive.
//!
//! What a program does that hands its work out through a channel: the "crossbeam" row of rocallahan's
//! biased work queues. Everything is shared, first come, first served, so a walk goes breadth first
//! and each item costs two operations on cache lines that everybody writes. The context switches
//! that the document measures come from how the channel wakes receivers; here nobody ever blocks in
//! one, for waking is the idle policy's business.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::backend::{Backend, Order, QueueConfig, QueueStats, Steal, StealReq, WorkerQueue};

/// The shared channel.
pub struct Channel<T>(Arc<Pipe<T>>);

/// Both ends of one channel.
pub(super) struct Pipe<T> {
    sender: Sender<T>,
    pub(super) receiver: Receiver<T>,
}

impl<T> Pipe<T> {
    pub(super) fn new() -> Pipe<T> {
        let (sender, receiver) = unbounded();
        Pipe { sender, receiver }
    }

    /// Adds an item behind all others.
    pub(super) fn send(&self, item: T) {
        // Cannot fail: a channel is closed when all its receivers are gone, and one is right here.
        self.sender.send(item).expect("the receiver is beside the sender");
    }

    /// Adds all items of `batch` and leaves it empty.
    pub(super) fn send_all(&self, batch: &mut Vec<T>) {
        batch.drain(..).for_each(|item| self.send(item));
    }

    /// Takes the oldest item.
    pub(super) fn take(&self) -> Option<T> {
        // The channel cannot be closed, so an error means that it was empty. It never means that an
        // item was half sent: the receiver waits for that.
        self.receiver.try_recv().ok()
    }
}

/// One worker's handle on the shared channel.
pub struct Handle<T> {
    pipe: Arc<Pipe<T>>,
    stats: QueueStats,
}

impl<T: Send> Backend<T> for Channel<T> {
    type Worker = Handle<T>;

    const NAME: &'static str = "channel";
    const ORDER: Order = Order::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Channel<T>, Vec<Handle<T>>) {
        let pipe = Arc::new(Pipe::new());
        let handle = |_| Handle { pipe: Arc::clone(&pipe), stats: QueueStats::default() };
        let handles = (0..workers).map(handle).collect();
        (Channel(pipe), handles)
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

impl<T: Send> WorkerQueue<T> for Handle<T> {
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.pipe.send(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        self.pipe.send_all(batch);
    }

    fn pop(&mut self) -> Option<T> {
        let item = self.pipe.take();
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, _: StealReq) -> Steal<T> {
        let outcome = match self.pipe.take() {
            Some(item) => Steal::Item { item, moved: 0, more: !self.pipe.receiver.is_empty() },
            None => Steal::Empty,
        };
        self.stats.count(&outcome);
        outcome
    }

    fn surplus(&self) -> usize {
        self.pipe.receiver.len()
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
    fn all_take_the_oldest_of_one_channel_one_at_a_time() {
        let (queue, mut ends) = Channel::build(2, &QueueConfig::default());
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
