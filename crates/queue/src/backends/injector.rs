//! `injector`: one crossbeam `Injector` for the whole crew, one item per take.
//!
//! The control arm. It has what the work-stealing backends put their injected items into, and
//! nothing else: what they gain over it is what owning a queue is worth. Against `channel` it tells
//! what a channel's readiness to block costs those who never do.

use std::sync::Arc;

use crossbeam_deque::{Injector as Queue, Steal as Taken};

use super::common::{Common, Handle, handles};
use crate::backend::{Backend, PopOrder, QueueConfig, Steal};

/// The shared queue.
pub struct Injector<T>(Arc<Queue<T>>);

impl<T: Send> Backend<T> for Injector<T> {
    type Worker = Handle<Injector<T>>;

    const NAME: &'static str = "injector";
    const ORDER: PopOrder = PopOrder::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Injector<T>, Vec<Handle<Injector<T>>>) {
        let shared = Arc::new(Queue::new());
        let handles = handles(workers, || Injector(Arc::clone(&shared)));
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

impl<T: Send> Common<T> for Injector<T> {
    fn push(&self, item: T) {
        self.0.push(item);
    }

    fn pop(&self) -> Option<T> {
        // A lost race means that somebody else has got an item, so this does not go on for ever.
        loop {
            match self.0.steal() {
                Taken::Success(item) => return Some(item),
                Taken::Empty => return None,
                Taken::Retry => std::hint::spin_loop(),
            }
        }
    }

    fn take(&self) -> Steal<T> {
        match self.0.steal() {
            Taken::Success(item) => Steal::Item { item, moved: 0, more: !self.0.is_empty() },
            Taken::Empty => Steal::Empty,
            Taken::Retry => Steal::Contended,
        }
    }
}
