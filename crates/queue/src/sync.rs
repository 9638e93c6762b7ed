//! The one place that picks between the real synchronisation primitives and loom's models of them.
//!
//! Every type on which the interleavings of the crew, an idle policy or a queue of our own depend
//! comes from here, so that `--cfg loom` swaps all of it at once. What other files take from `std`
//! is used by one thread at a time or is never contended inside a model.
//!
//! Parking is wrapped rather than re-exported, because loom's `park` forgets its token when the
//! thread yields or blocks on a mutex in between. std's does not, so a model built on loom's would
//! report deadlocks that cannot happen.

#![cfg_attr(
    not(feature = "lab"),
    allow(dead_code, unused_imports, reason = "some of it is for the laboratory alone")
)]

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence,
};
#[cfg(not(loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence,
};
#[cfg(loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

#[cfg(not(loom))]
pub(crate) use self::real::{Parker, UnsafeCell, nap, pause, wait, yield_now};

#[cfg(loom)]
pub(crate) use loom::cell::UnsafeCell;

#[cfg(loom)]
pub(crate) use self::model::{Parker, nap, pause, wait, yield_now};

#[cfg(not(loom))]
mod real {
    use std::sync::{Condvar, MutexGuard, OnceLock, PoisonError};
    use std::thread::{self, Thread};
    use std::time::Duration;

    pub(crate) use std::thread::{sleep as nap, yield_now};

    /// A cell that is reached through raw pointers, like loom's, which checks that no two threads
    /// reach it at once.
    #[derive(Default)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> UnsafeCell<T> {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        /// Calls `read` with a pointer for reading.
        #[inline]
        pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        /// Calls `write` with a pointer for writing.
        #[inline]
        pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }

    /// The park token of one thread, reachable before that thread has a handle.
    #[derive(Default)]
    pub(crate) struct Parker(OnceLock<Thread>);

    impl Parker {
        /// Binds the parker to the calling thread. Further calls change nothing.
        pub(crate) fn adopt(&self) {
            self.0.get_or_init(thread::current);
        }

        /// Sleeps until a token is available and takes it, or until `limit` has passed. May return
        /// spuriously.
        pub(crate) fn park(&self, limit: Option<Duration>) {
            limit.map_or_else(thread::park, thread::park_timeout);
        }

        /// Leaves a token for the owner.
        pub(crate) fn unpark(&self) {
            // A thread is woken only after it has announced that it parks, and it has adopted its
            // parker long before.
            if let Some(thread) = self.0.get() {
                thread.unpark();
            }
        }
    }

    /// Waits until notified or until `limit` has passed. May return spuriously.
    pub(crate) fn wait<'a, T>(
        condvar: &Condvar,
        guard: MutexGuard<'a, T>,
        limit: Option<Duration>,
    ) -> MutexGuard<'a, T> {
        match limit {
            None => condvar.wait(guard).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                condvar.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    /// Spins between two sweeps: `2^round` CPU pauses.
    pub(crate) fn pause(round: u32) {
        for _ in 0..1u32 << round.min(6) {
            std::hint::spin_loop();
        }
    }
}

#[cfg(loom)]
mod model {
    use std::time::Duration;

    use loom::sync::{Condvar, Mutex, MutexGuard};

    pub(crate) use loom::thread::yield_now;

    /// std's park token as a mutex and a condition variable.
    pub(crate) struct Parker {
        token: Mutex<bool>,
        given: Condvar,
    }

    impl Default for Parker {
        fn default() -> Parker {
            Parker { token: Mutex::new(false), given: Condvar::new() }
        }
    }

    impl Parker {
        pub(crate) fn adopt(&self) {}

        pub(crate) fn park(&self, _: Option<Duration>) {
            let mut token = self.token.lock().unwrap();
            while !*token {
                token = self.given.wait(token).unwrap();
            }
            *token = false;
        }

        pub(crate) fn unpark(&self) {
            *self.token.lock().unwrap() = true;
            self.given.notify_one();
        }
    }

    /// Waits until notified: a model has no time.
    pub(crate) fn wait<'a, T>(
        condvar: &Condvar,
        guard: MutexGuard<'a, T>,
        _: Option<Duration>,
    ) -> MutexGuard<'a, T> {
        condvar.wait(guard).unwrap()
    }

    pub(crate) fn nap(_: Duration) {
        yield_now();
    }

    pub(crate) fn pause(_: u32) {
        yield_now();
    }
}
