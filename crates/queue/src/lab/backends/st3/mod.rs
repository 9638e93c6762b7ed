//! `st3-lifo` and `st3-fifo`: a bounded ring per worker, from the crate st3, and an injector.
//!
//! A ring never grows: no memory is retired, a steal of any size is one or two compare-and-swaps
//! and a copy, and the owner of a LIFO ring needs one per pop. Items that do not fit go to an
//! unbounded injector, together with the oldest half of the ring: in a tree, those are the items to
//! give away first. With FIFO rings the oldest half is also what the owner would have popped next,
//! so a ring that overflows loses its order there, like tokio's queue, its model.
//!
//! # Properties of st3 0.4.1, from its source
//!
//! * One thief at a time can work on a ring. Others get `Busy`, even if that thief has lost its
//!   core half-way, so `Busy` is never taken for empty.
//! * While a thief copies, the items it copies still take up room. So a ring may be full although
//!   its owner has popped; then the item goes to the injector alone, because the oldest half cannot
//!   be drained either.
//! * `Empty` is also returned to a thief that wants nothing or has no room. Thieves here want at
//!   least one item, and have room for the one they run.
//! * `extend` drops what does not fit, so it never receives more than there is room for. Room only
//!   grows between the two calls, since only the owner fills the ring.
//! * A thief's view of a ring has no `is_empty`. But a steal passes the length to a closure that
//!   returns how much to take, and taking none changes nothing. That is how to query the length;
//!   counters beside the ring would cost the owner a store per operation, and could be wrong while
//!   a thief has taken items and not counted them yet.
//!
//! The last point makes [`is_empty`](Backend::is_empty) as good as a steal that takes nothing. Both
//! read the position up to which the owner has pushed *after* the positions up to which items have
//! been removed, with Acquire. So a push ordered before by a fence is part of what is read, and no
//! removal of a later item can cancel it out. An item that has just gone, or a thief at work, may
//! be counted too much for a moment: the safe side.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_deque::{Injector, Steal as Taken, Worker as Inbox};
use crossbeam_utils::CachePadded;
use st3::StealError;

use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::QueueConfig;

mod ring;
#[cfg(all(test, not(loom)))]
mod tests;

use ring::{Ring, Stolen};

/// Owners take the newest item.
pub type St3Lifo<T> = Rings<T, st3::lifo::Worker<T>>;

/// Owners take the oldest item.
pub type St3Fifo<T> = Rings<T, st3::fifo::Worker<T>>;

/// The largest ring that st3 supports; it panics on a larger one.
const MAX_CAPACITY: usize = if cfg!(target_has_atomic = "64") { 1 << 31 } else { 1 << 15 };

/// The stealing end of every worker and the injector.
pub struct Rings<T, R: Ring<T>>(Arc<SharedRings<T, R>>);

struct SharedRings<T, R: Ring<T>> {
    injector: Injector<T>,
    stealers: Box<[R::Stealer]>,
    /// A ring that stays empty: the destination of steals that take nothing. Behind a lock, because
    /// a ring belongs to one thread at a time.
    nowhere: CachePadded<Mutex<R>>,
}

/// One worker's ring.
pub struct RingWorker<T, R: Ring<T>> {
    me: usize,
    own: R,
    shared: Arc<SharedRings<T, R>>,
    /// Where batches from the injector arrive, which cannot fill an st3 ring.
    inbox: Inbox<T>,
    /// Items from the inbox on their way to the ring; empty in between.
    outgoing: Vec<T>,
    /// Items that this end has sent to the injector because the ring was full.
    overflowed: u64,
}

impl<T: Send, R: Ring<T>> Backend<T> for Rings<T, R> {
    type Worker = RingWorker<T, R>;

    const NAME: &'static str = R::NAME;
    const ORDER: Option<PopOrder> = Some(R::ORDER);

    fn build(workers: usize, cfg: &QueueConfig) -> (Rings<T, R>, Vec<RingWorker<T, R>>) {
        let capacity = cfg.capacity.clamp(1, MAX_CAPACITY);
        let rings: Vec<R> = (0..workers).map(|_| R::with_capacity(capacity)).collect();
        let shared = Arc::new(SharedRings {
            injector: Injector::new(),
            stealers: rings.iter().map(R::stealer).collect(),
            nowhere: CachePadded::new(Mutex::new(R::with_capacity(1))),
        });
        let worker = |(me, own)| RingWorker {
            me,
            own,
            shared: Arc::clone(&shared),
            inbox: Inbox::new_fifo(),
            outgoing: Vec::new(),
            overflowed: 0,
        };
        let workers = rings.into_iter().enumerate().map(worker).collect();
        (Rings(shared), workers)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        batch.drain(..).for_each(|item| self.0.injector.push(item));
    }

    fn is_empty(&self) -> bool {
        if !self.0.injector.is_empty() {
            return false;
        }
        // No user code runs under the lock, and the ring behind it never changes.
        let nowhere = self.0.nowhere.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.stealers.iter().all(|stealer| R::looks_empty(stealer, &nowhere))
    }

    fn backlog(&self) -> usize {
        self.0.injector.len()
    }
}

impl<T, R: Ring<T>> RingWorker<T, R> {
    /// Puts an item into the ring, making room by sending the oldest half to the injector. Returns
    /// the number of items sent there.
    fn store(&self, item: T) -> usize {
        let Err(item) = self.own.push(item) else {
            return 0;
        };
        let injector = &self.shared.injector;
        let mut sent = 0;
        let drained = self.own.drain_into(
            |len| len - len / 2,
            |oldest| {
                injector.push(oldest);
                sent += 1;
            },
        );
        // Busy: a thief is copying, so the old end cannot be drained. Empty: thieves have just
        // taken everything, so there is room after all.
        let refused = match drained {
            Err(StealError::Busy) => Some(item),
            Ok(()) | Err(StealError::Empty) => self.own.push(item).err(),
        };
        if let Some(item) = refused {
            injector.push(item);
            sent += 1;
        }
        sent
    }

    /// Puts as much of `batch` into the ring as fits, so that the first item is popped first. The
    /// remainder goes to the injector; returns its length.
    fn store_all(&self, batch: &mut Vec<T>) -> usize {
        let fit = self.own.spare().min(batch.len());
        let remainder = batch.drain(fit..);
        let sent = remainder.len();
        remainder.for_each(|item| self.shared.injector.push(item));
        match R::ORDER {
            PopOrder::OldestFirst => self.own.extend(batch.drain(..)),
            PopOrder::NewestFirst => self.own.extend(batch.drain(..).rev()),
        }
        sent
    }

    /// The most items to take. A steal fills a ring only if it is empty: otherwise older items
    /// would come behind newer ones.
    fn room(&self) -> usize {
        if self.own.is_empty() { self.own.spare() + 1 } else { 1 }
    }

    /// Takes a share of the injector: the oldest item to run, the next ones into the ring.
    fn fetch(&mut self, req: StealRequest) -> Steal<T> {
        let injector = &self.shared.injector;
        if injector.is_empty() {
            return Steal::Empty;
        }
        let want = req.amount.take(injector.len()).clamp(1, self.room());
        let item = match injector.steal_batch_with_limit_and_pop(&self.inbox, want) {
            Taken::Success(item) => item,
            Taken::Empty => return Steal::Empty,
            Taken::Retry => return Steal::Contended,
        };
        // One call moves at most a block of the injector; the share may be larger.
        loop {
            while let Some(next) = self.inbox.pop() {
                self.outgoing.push(next);
            }
            let missing = want - 1 - self.outgoing.len();
            if missing == 0 {
                break;
            }
            match injector.steal_batch_with_limit_and_pop(&self.inbox, missing) {
                Taken::Success(next) => self.outgoing.push(next),
                Taken::Empty | Taken::Retry => break,
            }
        }
        let mut outgoing = std::mem::take(&mut self.outgoing);
        let moved = outgoing.len();
        // It fits: `room` has counted the spare slots, and they do not become fewer.
        let sent = self.store_all(&mut outgoing);
        debug_assert_eq!(sent, 0, "a share from the injector went back to it");
        self.outgoing = outgoing;
        Steal::Item { item, moved, more: moved > 0 || !self.shared.injector.is_empty() }
    }

    /// Takes a share of the ring of another worker.
    fn steal_from(&self, victim: usize, req: StealRequest) -> Steal<T> {
        let room = self.room();
        let mut there = 0;
        let stealer = &self.shared.stealers[victim];
        let stolen = R::steal_and_pop(stealer, &self.own, |len| {
            there = len;
            req.amount.take(len).min(room)
        });
        match stolen {
            Ok(Stolen { item, moved }) => Steal::Item { item, moved, more: moved > 0 || there > 1 },
            Err(StealError::Busy) => Steal::Contended,
            Err(StealError::Empty) => Steal::Empty,
        }
    }
}

impl<T: Send, R: Ring<T>> WorkerQueue<T> for RingWorker<T, R> {
    fn push(&mut self, item: T) {
        self.overflowed += self.store(item) as u64;
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.overflowed += self.store_all(batch) as u64;
    }

    fn pop(&mut self) -> Option<T> {
        self.own.pop()
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let crew = self.shared.stealers.len();
        req.sweep(self.me, crew, self.me, |source| match source {
            None => self.fetch(req),
            Some(victim) => self.steal_from(victim, req),
        })
    }

    /// Overflowed items count as well: no other worker may have been woken for them yet.
    fn surplus(&self) -> usize {
        let overflow = if self.overflowed > 0 { self.shared.injector.len() } else { 0 };
        self.own.len() + overflow
    }

    fn overflowed(&self) -> u64 {
        self.overflowed
    }
}
