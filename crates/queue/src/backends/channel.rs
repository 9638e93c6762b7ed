//! `channel`: one crossbeam-channel for the whole crew, one item per receive.
//!
//! What a program does that hands its work out through a channel: the "crossbeam" row of rocallahan's
//! biased work queues. Everything is shared, first come, first served, so a walk goes breadth first
//! and each item costs two operations on cache lines that everybody writes. The context switches
//! that the document measures come from how the channel wakes receivers; here nobody ever blocks in
//! one, for waking is the idle policy's business.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::common::{Common, Handle, handles};
use crate::backend::{Backend, PopOrder, QueueConfig, Steal};

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

impl<T: Send> Backend<T> for Channel<T> {
    type Worker = Handle<Channel<T>>;

    const NAME: &'static str = "channel";
    const ORDER: PopOrder = PopOrder::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Channel<T>, Vec<Handle<Channel<T>>>) {
        let pipe = Arc::new(Pipe::new());
        let handles = handles(workers, || Channel(Arc::clone(&pipe)));
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

impl<T: Send> Common<T> for Channel<T> {
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
