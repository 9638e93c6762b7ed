//! `channel`: one crossbeam-channel shared by all workers, one item per receive.
//!
//! This is the "crossbeam" row of rocallahan's biased work queues: a program that distributes its
//! work through a channel. Items are run first come, first served, so a walk goes breadth first,
//! and each item costs two operations on cache lines that every worker writes. The context switches
//! that the document measures come from the way a channel wakes blocked receivers. Here no worker
//! blocks in the channel, because waking is up to the idle policy.

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::backend::{PopOrder, Steal};
use crate::backends::single_store::{SharedStore, Store};

/// The shared channel.
pub type Channel<T> = SharedStore<BothEnds<T>>;

/// Both ends of one channel.
pub struct BothEnds<T> {
    sender: Sender<T>,
    pub(super) receiver: Receiver<T>,
}

impl<T> Default for BothEnds<T> {
    fn default() -> BothEnds<T> {
        let (sender, receiver) = unbounded();
        BothEnds { sender, receiver }
    }
}

impl<T> BothEnds<T> {
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
    pub(super) fn try_take(&self) -> Option<T> {
        // The channel cannot be closed, so an error means that it was empty. It never means that an
        // item was half sent, because the receiver waits for that.
        self.receiver.try_recv().ok()
    }
}

impl<T: Send> Store<T> for BothEnds<T> {
    const NAME: &'static str = "channel";
    const ORDER: Option<PopOrder> = Some(PopOrder::OldestFirst);

    fn push(&self, item: T) {
        self.send(item);
    }

    fn push_all(&self, batch: &mut Vec<T>) {
        self.send_all(batch);
    }

    fn pop(&self) -> Option<T> {
        self.try_take()
    }

    fn take(&self) -> Steal<T> {
        match self.try_take() {
            Some(item) => Steal::Item { item, moved: 0, more: !self.receiver.is_empty() },
            None => Steal::Empty,
        }
    }

    fn is_empty(&self) -> bool {
        self.receiver.is_empty()
    }

    fn len(&self) -> usize {
        self.receiver.len()
    }
}
