//! Items from outside: threads that feed a run without running items themselves.

use crate::backend::Backend;
use crate::crew::Crew;
use crate::idle::{IdlePolicy, Wake};
use crate::sync::Ordering;

/// A producer's right to add items. The run cannot be done before it is dropped.
pub struct ProducerToken<'a, T> {
    crew: &'a dyn Feed<T>,
    batch: Vec<T>,
}

impl<'a, T> ProducerToken<'a, T> {
    /// A token for one credit, which the caller has counted.
    pub(super) fn new(crew: &'a dyn Feed<T>) -> ProducerToken<'a, T> {
        ProducerToken { crew, batch: Vec::new() }
    }

    /// Adds an item and wakes somebody for it if necessary.
    pub fn push(&mut self, item: T) {
        self.batch.push(item);
        self.crew.feed(&mut self.batch);
    }

    /// Adds all items of `batch` and leaves it empty.
    pub fn push_batch(&mut self, batch: &mut Vec<T>) {
        if !batch.is_empty() {
            self.crew.feed(batch);
        }
    }

    /// Whether the run was ended early. Items added afterwards are dropped.
    pub fn stopped(&self) -> bool {
        self.crew.stopped()
    }
}

impl<T> Drop for ProducerToken<'_, T> {
    fn drop(&mut self) {
        self.crew.close();
    }
}

/// What a token needs of a crew, whatever its backend and policy.
pub(super) trait Feed<T>: Sync {
    fn feed(&self, batch: &mut Vec<T>);
    fn stopped(&self) -> bool;
    fn close(&self);
}

impl<T: Send, B: Backend<T>, P: IdlePolicy> Feed<T> for Crew<T, B, P> {
    fn feed(&self, batch: &mut Vec<T>) {
        let count = batch.len();
        self.add_credits(count);
        // Ordering: Relaxed, read after all threads have ended.
        self.injected.fetch_add(count as u64, Ordering::Relaxed);
        self.backend.inject(batch);
        // A producer takes no item itself. It starts no threads either: worker 0 sees what there is
        // and does.
        let _: Wake = self.idle.producer_published(self.backlog_with(count));
    }

    fn stopped(&self) -> bool {
        self.is_stopped()
    }

    fn close(&self) {
        self.settle(1);
    }
}
