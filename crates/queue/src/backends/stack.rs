//! `stack`: one mutexed `Vec` for the whole crew.
//!
//! The simplest thing that is right, hence the oracle for the others; also what ripgrep had before
//! its PR 2591. There is nothing to steal from anyone, since all own the same stack.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;

use crate::backend::{Backend, Order, QueueConfig, QueueStats, Steal, StealReq, WorkerQueue};

/// The shared stack.
pub struct Stack<T>(Arc<Shared<T>>);

struct Shared<T> {
    items: CachePadded<Mutex<Vec<T>>>,
    /// How many items there are, written under the lock and read without it. A hint only: whoever
    /// acts on it takes the lock. It spares the owner a lock per item just to learn that thieves
    /// have enough.
    len: CachePadded<AtomicUsize>,
}

impl<T> Shared<T> {
    /// Runs `act` under the lock. No user code runs there, so a poisoned lock still guards a sound
    /// stack.
    fn with<R>(&self, act: impl FnOnce(&mut Vec<T>) -> R) -> R {
        let mut items: MutexGuard<'_, _> =
            self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut items);
        // Ordering: Relaxed, the lock orders everything that matters.
        self.len.store(items.len(), Ordering::Relaxed);
        result
    }
}

/// One worker's handle on the shared stack.
pub struct Handle<T> {
    shared: Arc<Shared<T>>,
    stats: QueueStats,
}

impl<T: Send> Backend<T> for Stack<T> {
    type Worker = Handle<T>;

    const NAME: &'static str = "stack";
    const ORDER: Order = Order::NewestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Stack<T>, Vec<Handle<T>>) {
        let shared = Arc::new(Shared {
            items: CachePadded::new(Mutex::new(Vec::new())),
            len: CachePadded::new(AtomicUsize::new(0)),
        });
        let handle = |_| Handle { shared: Arc::clone(&shared), stats: QueueStats::default() };
        let handles = (0..workers).map(handle).collect();
        (Stack(shared), handles)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        self.0.with(|items| items.extend(batch.drain(..).rev()));
    }

    fn is_empty(&self) -> bool {
        // Under the lock: the hint's store may still be on its way when the caller's fence has
        // passed.
        self.0.with(|items| items.is_empty())
    }

    fn backlog(&self) -> usize {
        // Ordering: Relaxed, a hint.
        self.0.len.load(Ordering::Relaxed)
    }
}

impl<T: Send> WorkerQueue<T> for Handle<T> {
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.shared.with(|items| items.push(item));
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        self.shared.with(|items| items.extend(batch.drain(..).rev()));
    }

    fn pop(&mut self) -> Option<T> {
        let item = self.shared.with(Vec::pop);
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, _: StealReq) -> Steal<T> {
        let outcome = self.shared.with(|items| match items.pop() {
            Some(item) => Steal::Item { item, moved: 0, more: !items.is_empty() },
            None => Steal::Empty,
        });
        self.stats.count(&outcome);
        outcome
    }

    fn surplus(&self) -> usize {
        // Ordering: Relaxed, a hint.
        self.shared.len.load(Ordering::Relaxed)
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}
