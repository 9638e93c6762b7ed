//! `injector`: one crossbeam `Injector` shared by all workers, one item per take.
//!
//! The control of the measurements: it is what the work-stealing backends keep injected items in,
//! and nothing else. What they gain over it is the value of a queue per worker; what it gains over
//! `channel` is the price of a channel's ability to block.

use std::sync::Arc;

use crossbeam_deque::{Injector as Queue, Steal as Taken};

use crate::backend::{Backend, PopOrder, Steal};
use crate::backends::single_store::{SharedHandle, SingleStore, handles};
use crate::config::QueueConfig;

/// The shared queue.
pub struct Injector<T>(Arc<Queue<T>>);

impl<T: Send> Backend<T> for Injector<T> {
    type Worker = SharedHandle<Injector<T>>;

    const NAME: &'static str = "injector";
    const ORDER: PopOrder = PopOrder::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Injector<T>, Vec<SharedHandle<Injector<T>>>) {
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

impl<T: Send> SingleStore<T> for Injector<T> {
    fn push(&self, item: T) {
        self.0.push(item);
    }

    fn pop(&self) -> Option<T> {
        // A lost race means that another worker got an item, so the loop ends.
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
