//! The worker's end of backends in which all workers share one store: `stack`, `channel` and
//! `injector`.
//!
//! Nothing belongs to one worker: pushing is injecting, the surplus is the backlog, and popping and
//! stealing both take the next item of the store.

use crate::backend::{Backend, Steal, StealRequest, WorkerQueue};

/// A backend whose workers share one store.
pub(crate) trait SingleStore<T: Send>: Backend<T, Worker = SharedHandle<Self>> {
    /// Adds one item, to be taken in the order of [`Backend::ORDER`].
    fn push(&self, item: T);

    /// Takes the next item if there is one, retrying attempts that lose a race.
    fn pop(&self) -> Option<T>;

    /// Makes one attempt to take the next item.
    fn take(&self) -> Steal<T>;
}

/// One worker's handle on the shared store.
pub struct SharedHandle<B>(B);

/// A handle for each worker. `store` returns another reference to the same store each time.
pub(crate) fn handles<B>(workers: usize, store: impl Fn() -> B) -> Vec<SharedHandle<B>> {
    (0..workers).map(|_| SharedHandle(store())).collect()
}

impl<T: Send, B: SingleStore<T>> WorkerQueue<T> for SharedHandle<B> {
    fn push(&mut self, item: T) {
        self.0.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.0.inject(batch);
    }

    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    fn steal(&mut self, _: StealRequest) -> Steal<T> {
        self.0.take()
    }

    fn surplus(&self) -> usize {
        self.0.backlog()
    }
}
