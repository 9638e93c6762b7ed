//! `stack`: one mutexed `Vec` for the whole crew.
//!
//! The simplest thing that is right, hence the oracle for the others; also what ripgrep had before
//! its PR 2591. There is nothing to steal from anyone, since all own the same stack.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;

use super::common::{Common, Handle, handles};
use crate::backend::{Backend, PopOrder, QueueConfig, Steal};

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

impl<T: Send> Backend<T> for Stack<T> {
    type Worker = Handle<Stack<T>>;

    const NAME: &'static str = "stack";
    const ORDER: PopOrder = PopOrder::NewestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Stack<T>, Vec<Handle<Stack<T>>>) {
        let shared = Arc::new(Shared {
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
        // Under the lock: the hint's store may still be on its way when the caller's fence has
        // passed.
        self.0.with(|items| items.is_empty())
    }

    fn backlog(&self) -> usize {
        // Ordering: Relaxed, a hint.
        self.0.len.load(Ordering::Relaxed)
    }
}

impl<T: Send> Common<T> for Stack<T> {
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
