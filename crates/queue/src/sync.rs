//! The one place that picks between the real synchronisation primitives and loom's models of them.
//!
//! Everything whose interleavings matter to the crew or to an idle policy comes from here, so that
//! `--cfg loom` swaps all of it at once. What is left on `std` in other files is either used by one
//! thread at a time or never contended inside a model.
//!
//! Parking is wrapped rather than re-exported. Loom's own `park` forgets its token when the thread
//! yields or blocks on a mutex in between, which std's does not; a model built on it reports
//! dead-locks that cannot happen.

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(not(loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

#[cfg(not(loom))]
pub(crate) use self::real::{Parker, nap, pause, wait, yield_now};

#[cfg(loom)]
pub(crate) use self::model::{Parker, nap, pause, wait, yield_now};

#[cfg(not(loom))]
mod real {
    use std::sync::{Condvar, MutexGuard, OnceLock, PoisonError};
    use std::thread::{self, Thread};
    use std::time::Duration;

    pub(crate) use std::thread::{sleep as nap, yield_now};

    /// Where one thread sleeps: std's park token, found by index instead of by handle.
    #[derive(Default)]
    pub(crate) struct Parker(OnceLock<Thread>);

    impl Parker {
        /// Makes the calling thread the one that sleeps here. Later calls change nothing.
        pub(crate) fn adopt(&self) {
            self.0.get_or_init(thread::current);
        }

        /// Sleeps until a token is there and takes it, but no longer than `limit`. May return
        /// without one before that.
        pub(crate) fn park(&self, limit: Option<Duration>) {
            limit.map_or_else(thread::park, thread::park_timeout);
        }

        /// Leaves a token for the owner.
        pub(crate) fn unpark(&self) {
            // Only threads that announced themselves are woken, and they have adopted their parker
            // long before.
            if let Some(thread) = self.0.get() {
                thread.unpark();
            }
        }
    }

    /// Waits to be notified, but no longer than `limit`. May return without it before that.
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

    /// Wastes the time between two looks at the queues: `2^round` CPU pauses.
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

    /// Std's park token, spelled out.
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

    /// There is no time in a model, so this waits until it is notified.
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
