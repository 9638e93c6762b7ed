//! A bounded queue between a run and its reader, who takes all that is there at once.
//!
//! A thread switch for each item would cost more than the search. So the run wakes its reader for
//! the first item and for a full batch, and the reader waits a moment for what follows the first.

use std::{
    mem,
    ops::ControlFlow,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Items for which the reader is woken at once.
const BATCH_ITEMS: usize = 512;

/// Items that may wait for the reader.
const MAX_WAITING_ITEMS: usize = 16 * BATCH_ITEMS;

/// Bytes of items that may wait for the reader.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// How long the reader waits for a batch to fill.
const FILL_TIME: Duration = Duration::from_millis(1);

/// Items on their way from a run to its reader.
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    emptied: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: Vec<T>,
    bytes: usize,
    /// Whether the reader has had a batch.
    has_begun: bool,
    /// Whether the run is over.
    is_over: bool,
    /// Whether the reader wants no more.
    is_closed: bool,
}

impl<T> Mailbox<T> {
    pub(crate) fn new() -> Mailbox<T> {
        let state = State {
            items: Vec::new(),
            bytes: 0,
            has_begun: false,
            is_over: false,
            is_closed: false,
        };
        Mailbox { state: Mutex::new(state), filled: Condvar::new(), emptied: Condvar::new() }
    }

    /// Adds an item that takes this many bytes, once the reader is near enough. `Break` if the
    /// reader wants no more.
    pub(crate) fn send(&self, item: T, bytes: usize) -> ControlFlow<()> {
        let is_full = |state: &mut State<T>| {
            let is_much =
                state.items.len() >= MAX_WAITING_ITEMS || state.bytes >= MAX_WAITING_BYTES;
            is_much && !state.is_closed
        };
        let waited = self.emptied.wait_while(self.lock(), is_full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            return ControlFlow::Break(());
        }
        state.items.push(item);
        state.bytes += bytes;
        let wakes = [1, BATCH_ITEMS].contains(&state.items.len());
        drop(state);
        if wakes {
            self.filled.notify_all();
        }
        ControlFlow::Continue(())
    }

    /// States that the run is over.
    pub(crate) fn finish(&self) {
        self.lock().is_over = true;
        self.filled.notify_all();
    }

    /// States that the reader wants no more. What was not read is dropped.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        let unread = mem::take(&mut state.items);
        drop(state);
        self.emptied.notify_all();
        self.filled.notify_all();
        drop(unread);
    }

    /// Takes all items that are there, and waits for some if there are none, at most as long as
    /// `patience`. `None` once the run is over and everything was taken.
    pub(crate) fn take(&self, patience: Duration) -> Option<Vec<T>> {
        let deadline = Instant::now().checked_add(patience);
        let mut state = self.lock();
        while state.items.is_empty() && !state.is_over && !state.is_closed {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let left = left.unwrap_or(patience);
            if left.is_zero() {
                return Some(Vec::new());
            }
            let waited = self.filled.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.has_begun && !state.items.is_empty() {
            let is_filling = |state: &mut State<T>| {
                state.items.len() < BATCH_ITEMS && !state.is_over && !state.is_closed
            };
            let time = FILL_TIME.min(patience);
            let waited = self.filled.wait_timeout_while(state, time, is_filling);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.has_begun = true;
        state.bytes = 0;
        let items = mem::take(&mut state.items);
        let is_over = state.is_over || state.is_closed;
        drop(state);
        self.emptied.notify_all();
        if items.is_empty() && is_over { None } else { Some(items) }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn everything_arrives_once_and_in_order() {
        let mailbox = Mailbox::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..100_000 {
                    assert!(mailbox.send(number, 100).is_continue());
                }
                mailbox.finish();
            });
            let mut next = 0;
            while let Some(batch) = mailbox.take(LONG) {
                assert!(batch.len() <= MAX_WAITING_ITEMS && !batch.is_empty());
                for number in batch {
                    assert_eq!(number, next);
                    next += 1;
                }
            }
            assert_eq!(next, 100_000);
        });
    }

    #[test]
    fn a_sender_that_waits_is_released_when_the_reader_leaves() {
        let mailbox = Mailbox::new();
        thread::scope(|scope| {
            let sender = scope.spawn(|| while mailbox.send((), 1 << 20).is_continue() {});
            assert!(mailbox.take(LONG).is_some());
            mailbox.close();
            sender.join().unwrap();
        });
        assert!(mailbox.take(LONG).is_none());
    }

    #[test]
    fn a_reader_waits_no_longer_than_it_wants_to() {
        let mailbox = Mailbox::<()>::new();
        assert!(mailbox.take(Duration::ZERO).is_some_and(|batch| batch.is_empty()));
        assert!(mailbox.take(Duration::from_millis(1)).is_some_and(|batch| batch.is_empty()));
        mailbox.finish();
        assert!(mailbox.take(LONG).is_none());
    }
}
