//! Hands results to their receiver one file at a time, in the order of the files if there is one.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use heist_searcher::{ChunkHelpers, Chunks, Stop};

use crate::CancelToken;

/// Bytes of one file's results that a worker keeps before it delivers them. From then on the worker
/// keeps the receiver to itself until the file ends.
pub(crate) const MAX_BUFFERED: usize = 1 << 20;

/// A receiver that workers share. One worker [holds](Hold) it at a time.
#[derive(Debug)]
pub(crate) struct Delivery<T> {
    shared: Mutex<Shared<T>>,
    /// Notified when the receiver becomes free, `next` grows or the run is over.
    changed: Condvar,
    /// Whether the receiver wants no more results.
    is_over: Arc<AtomicBool>,
    cancel: CancelToken,
}

#[derive(Debug)]
struct Shared<T> {
    receiver: T,
    is_held: bool,
    /// The number of the file that has its results delivered next.
    next: usize,
    /// Files behind `next` that are complete.
    complete: BTreeSet<usize>,
}

impl<T> Delivery<T> {
    pub(crate) fn new(receiver: T, cancel: CancelToken) -> Delivery<T> {
        let shared = Shared { receiver, is_held: false, next: 0, complete: BTreeSet::new() };
        Delivery {
            shared: Mutex::new(shared),
            changed: Condvar::new(),
            is_over: Arc::default(),
            cancel,
        }
    }

    /// Blocks until the receiver is free, and with a `turn` until all files with smaller numbers
    /// are complete. `None` if the receiver wants no more results.
    pub(crate) fn hold(&self, turn: Option<usize>) -> Option<Hold<'_, T>> {
        let mut shared = self.lock();
        while !self.wants_no_more() {
            if !shared.is_held && turn.is_none_or(|turn| turn <= shared.next) {
                shared.is_held = true;
                return Some(Hold { delivery: self });
            }
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Calls `receive` with the receiver, which the calling worker holds.
    pub(crate) fn with_held<R>(&self, receive: impl FnOnce(&mut T) -> R) -> R {
        let mut shared = self.lock();
        debug_assert!(shared.is_held, "results are delivered without the receiver being held");
        receive(&mut shared.receiver)
    }

    /// Ends the run: the receiver wants no more results.
    pub(crate) fn end(&self) {
        let shared = self.lock();
        // Ordering: Relaxed, workers that wait read the flag under the lock; others do one more
        // file.
        self.is_over.store(true, Ordering::Relaxed);
        drop(shared);
        self.changed.notify_all();
    }

    fn wants_no_more(&self) -> bool {
        // Ordering: Relaxed, as in `end`.
        self.is_over.load(Ordering::Relaxed)
    }

    /// Whether the receiver wants no more results or the run was cancelled.
    pub(crate) fn is_over(&self) -> bool {
        self.wants_no_more() || self.is_cancelled()
    }

    /// What ends the search of a file when the run is over.
    pub(crate) fn stop(&self) -> Stop {
        let (is_over, cancel) = (Arc::clone(&self.is_over), self.cancel.clone());
        // Ordering: Relaxed, as in `end`.
        Stop::new(move || is_over.load(Ordering::Relaxed) || cancel.is_cancelled())
    }

    /// Whether the caller has cancelled the run.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// The receiver, after the run.
    pub(crate) fn into_receiver(self) -> T {
        self.shared.into_inner().unwrap_or_else(PoisonError::into_inner).receiver
    }

    fn lock(&self) -> MutexGuard<'_, Shared<T>> {
        // A panic of the receiver ends the run, and no worker calls it again.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exclusive use of the receiver, for one file's results.
#[derive(Debug)]
pub(crate) struct Hold<'a, T> {
    delivery: &'a Delivery<T>,
}

impl<T> Hold<'_, T> {
    /// Calls `receive` with the receiver.
    pub(crate) fn with<R>(&mut self, receive: impl FnOnce(&mut T) -> R) -> R {
        self.delivery.with_held(receive)
    }
}

impl<T> Drop for Hold<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.delivery.end();
        }
        self.delivery.lock().is_held = false;
        self.delivery.changed.notify_all();
    }
}

/// Completes the file with the number `turn` when it is dropped, so that a panic strands no worker
/// that waits for its turn.
pub(crate) struct Turn<'a, T> {
    pub(crate) delivery: &'a Delivery<T>,
    pub(crate) turn: Option<usize>,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.delivery.end();
        }
        let Some(turn) = self.turn else { return };
        let mut shared = self.delivery.lock();
        let Shared { next, complete, .. } = &mut *shared;
        complete.insert(turn);
        while complete.remove(next) {
            *next += 1;
        }
        drop(shared);
        self.delivery.changed.notify_all();
    }
}

/// The absence of other workers, for a search that ends when the run is over.
pub(crate) struct Alone<'a, T> {
    pub(crate) delivery: &'a Delivery<T>,
}

impl<T> ChunkHelpers for Alone<'_, T> {
    fn count(&self) -> usize {
        0
    }

    fn begin(&mut self, _: &Arc<Chunks>) {}

    fn call(&mut self) {}

    fn is_stopped(&self) -> bool {
        self.delivery.is_over()
    }

    fn end(&mut self) {}
}
