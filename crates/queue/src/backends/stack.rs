//! `stack`: one mutexed `Vec` shared by all workers.
//!
//! The simplest correct backend, and therefore the oracle for the others. ripgrep used it before
//! its PR 2591.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;

use super::single_store::{SharedStore, Store};
use crate::backend::{PopOrder, Steal};

/// The shared stack.
pub type Stack<T> = SharedStore<LockedStack<T>>;

/// A stack behind a mutex.
pub struct LockedStack<T> {
    items: CachePadded<Mutex<Vec<T>>>,
    /// The number of items, written under the lock and read without it. Only a hint: a thread that
    /// acts on it takes the lock. Saves a worker one lock per item to learn its surplus.
    len: CachePadded<AtomicUsize>,
}

impl<T> Default for LockedStack<T> {
    fn default() -> LockedStack<T> {
        LockedStack { items: CachePadded::default(), len: CachePadded::default() }
    }
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

impl<T: Send> Store<T> for LockedStack<T> {
    const NAME: &'static str = "stack";
    const ORDER: Option<PopOrder> = Some(PopOrder::NewestFirst);

    fn push(&self, item: T) {
        self.with(|items| items.push(item));
    }

    fn push_all(&self, batch: &mut Vec<T>) {
        self.with(|items| items.extend(batch.drain(..).rev()));
    }

    fn pop(&self) -> Option<T> {
        self.with(Vec::pop)
    }

    fn take(&self) -> Steal<T> {
        self.with(|items| match items.pop() {
            Some(item) => Steal::Item { item, moved: 0, more: !items.is_empty() },
            None => Steal::Empty,
        })
    }

    fn is_empty(&self) -> bool {
        // Under the lock: the store to `len` may not be visible yet when the caller's fence has
        // passed.
        self.with(|items| items.is_empty())
    }

    fn len(&self) -> usize {
        // Ordering: Relaxed, a hint.
        self.len.load(Ordering::Relaxed)
    }
}
