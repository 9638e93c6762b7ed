//! `stack`: one mutexed `Vec` shared by all workers.
//!
//! The simplest correct backend, and therefore the oracle for the others. ripgrep used it before
//! its PR 2591.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;

use super::single_store::{SharedHandle, SingleStore, handles};
use crate::backend::{Backend, PopOrder, Steal};
use crate::config::QueueConfig;

/// The shared stack.
pub struct Stack<T>(Arc<LockedStack<T>>);

struct LockedStack<T> {
    items: CachePadded<Mutex<Vec<T>>>,
    /// The number of items, written under the lock and read without it. Only a hint: a thread that
    /// acts on it takes the lock. Saves a worker one lock per item to learn its surplus.
    len: CachePadded<AtomicUsize>,
}

impl<T> LockedStack<T> {
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

impl<T: Send> Backend<T> for Stack<T> {
    type Worker = SharedHandle<Stack<T>>;

    const NAME: &'static str = "stack";
    const ORDER: PopOrder = PopOrder::NewestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Stack<T>, Vec<SharedHandle<Stack<T>>>) {
        let shared = Arc::new(LockedStack {
            items: CachePadded::new(Mutex::new(Vec::new())),
            len: CachePadded::new(AtomicUsize::new(0)),
        });
        let handles = handles(workers, || Stack(Arc::clone(&shared)));
        (Stack(shared), handles)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        self.0.with(|items| items.extend(batch.drain(..).rev()));
    }

    fn is_empty(&self) -> bool {
        // Under the lock: the store to `len` may not be visible yet when the caller's fence has
        // passed.
        self.0.with(|items| items.is_empty())
    }

    fn backlog(&self) -> usize {
        // Ordering: Relaxed, a hint.
        self.0.len.load(Ordering::Relaxed)
    }
}

impl<T: Send> SingleStore<T> for Stack<T> {
    fn push(&self, item: T) {
        self.0.with(|items| items.push(item));
    }

    fn pop(&self) -> Option<T> {
        self.0.with(Vec::pop)
    }

    fn take(&self) -> Steal<T> {
        self.0.with(|items| match items.pop() {
            Some(item) => Steal::Item { item, moved: 0, more: !items.is_empty() },
            None => Steal::Empty,
        })
    }
}
