//! `injector`: one crossbeam `Injector` shared by all workers, one item per take.
//!
//! The control of the measurements: only the queue in which the work-stealing backends keep
//! injected items. What they gain over it is what a queue per worker is worth; what it gains over
//! `channel` is what a channel pays for being able to block.

use crossbeam_deque::{Injector as Queue, Steal as Taken};

use crate::backend::{PopOrder, Steal};
use crate::backends::single_store::{SharedStore, Store};

/// The shared queue.
pub type Injector<T> = SharedStore<Queue<T>>;

impl<T: Send> Store<T> for Queue<T> {
    const NAME: &'static str = "injector";
    const ORDER: Option<PopOrder> = Some(PopOrder::OldestFirst);

    fn push(&self, item: T) {
        self.push(item);
    }

    fn push_all(&self, batch: &mut Vec<T>) {
        batch.drain(..).for_each(|item| self.push(item));
    }

    fn pop(&self) -> Option<T> {
        // A lost race means that another worker got an item, so the loop ends.
        loop {
            match self.steal() {
                Taken::Success(item) => return Some(item),
                Taken::Empty => return None,
                Taken::Retry => std::hint::spin_loop(),
            }
        }
    }

    fn take(&self) -> Steal<T> {
        match self.steal() {
            Taken::Success(item) => Steal::Item { item, moved: 0, more: !self.is_empty() },
            Taken::Empty => Steal::Empty,
            Taken::Retry => Steal::Contended,
        }
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn len(&self) -> usize {
        self.len()
    }
}
