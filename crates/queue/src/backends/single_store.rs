//! Backends in which all workers share one store: `stack`, `channel` and `injector`.
//!
//! Nothing belongs to one worker: pushing is injecting, the surplus is the backlog, and popping and
//! stealing both take the next item of the store. So the queue and the end of a worker are the same
//! handle.

use std::sync::Arc;

use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::QueueConfig;

/// A store of items. Its methods are callable from any thread.
pub trait Store<T>: Default + Send + Sync {
    /// The name of the backend.
    const NAME: &'static str;

    /// Which of its items is taken first. `None` if the items decide.
    const ORDER: Option<PopOrder>;

    /// Adds one item.
    fn push(&self, item: T);

    /// Adds all items of `batch`, to be taken in their order, and leaves it empty.
    fn push_all(&self, batch: &mut Vec<T>);

    /// Takes the next item if there is one, retrying attempts that lose a race.
    fn pop(&self) -> Option<T>;

    /// Makes one attempt to take the next item.
    fn take(&self) -> Steal<T>;

    /// Whether there is no item, as [`Backend::is_empty`] requires.
    fn is_empty(&self) -> bool;

    /// Roughly how many items there are.
    fn len(&self) -> usize;
}

/// One handle on a shared store.
pub struct SharedStore<S>(Arc<S>);

impl<T: Send, S: Store<T>> Backend<T> for SharedStore<S> {
    type Worker = SharedStore<S>;

    const NAME: &'static str = S::NAME;
    const ORDER: Option<PopOrder> = S::ORDER;

    fn build(workers: usize, _: &QueueConfig) -> (SharedStore<S>, Vec<SharedStore<S>>) {
        let store = Arc::new(S::default());
        let handles = (0..workers).map(|_| SharedStore(Arc::clone(&store))).collect();
        (SharedStore(store), handles)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        self.0.push_all(batch);
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn backlog(&self) -> usize {
        self.0.len()
    }
}

impl<T: Send, S: Store<T>> WorkerQueue<T> for SharedStore<S> {
    fn push(&mut self, item: T) {
        self.0.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.0.push_all(batch);
    }

    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    fn steal(&mut self, _: StealRequest) -> Steal<T> {
        self.0.take()
    }

    fn surplus(&self) -> usize {
        self.0.len()
    }
}
