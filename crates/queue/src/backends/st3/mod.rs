//! `st3-lifo` and `st3-fifo`: a bounded ring per worker, from the crate st3, and an injector.
//!
//! A ring never grows: no memory is retired, a steal of any size is one or two compare-and-swaps
//! and a copy, and the owner of a LIFO ring needs one per pop. What does not fit goes to an
//! unbounded injector, and with it the oldest half of the ring, which in a tree is what one gives
//! away first. With FIFO rings the oldest half is also what its owner would have popped next, so a
//! ring that overflows loses its order there; tokio's queue, which that flavour is modelled on, does
//! the same.
//!
//! # What to know about st3 0.4.1, from its source
//!
//! * There is one thief per ring at a time; to others it is `Busy`, even if the one thief has lost
//!   its core half-way. `Busy` is therefore never taken for empty.
//! * While a thief copies, what it copies still takes up room. So a ring may be full though its
//!   owner has popped; the item then goes to the injector alone, as the oldest half cannot be
//!   drained either.
//! * `Empty` is also the answer to a thief that wants nothing or has no room. Thieves here want at
//!   least one, and have room for the one in hand.
//! * `extend` drops what does not fit, so it is never given more than there is room for. Room only
//!   grows between the two calls, since nobody but the owner fills the ring.
//! * A thief's view of a ring has no `is_empty`. But a steal tells how much there is before it asks
//!   how much to take, and taking none changes nothing and is no steal, so that is how to ask.
//!   No counters beside the ring are needed, which would cost the owner a store per operation and
//!   could be wrong while a thief that has taken something has not counted it yet.
//!
//! The last point makes [`is_empty`](Backend::is_empty) as good as a steal that takes nothing. Both
//! read the position up to which the owner has pushed *after* the positions up to which items have
//! been removed, with Acquire; a push ordered before by a fence is therefore in what is read, and
//! no removal of a later item can be set against it. Counted too much, an item that has just gone,
//! or a thief at work: that is for the moment, and the side to err on.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_deque::{Injector, Steal as Taken, Worker as Tray};
use crossbeam_utils::CachePadded;
use st3::StealError;

use crate::backend::{
    Backend, PopOrder, QueueConfig, QueueStats, Steal, StealRequest, WorkerQueue,
};

mod ring;
#[cfg(all(test, not(loom)))]
mod tests;

pub use ring::{Ring, Theft};

/// Owners take the newest.
pub type St3Lifo<T> = Rings<T, st3::lifo::Worker<T>>;

/// Owners take the oldest.
pub type St3Fifo<T> = Rings<T, st3::fifo::Worker<T>>;

/// The largest ring that st3 makes here; it panics if asked for more.
const MOST: usize = if cfg!(target_has_atomic = "64") { 1 << 31 } else { 1 << 15 };

/// What all workers see: everybody's stealing end and the injector.
pub struct Rings<T, R: Ring<T>>(Arc<Shared<T, R>>);

struct Shared<T, R: Ring<T>> {
    injector: Injector<T>,
    stealers: Box<[R::Stealer]>,
    /// A ring that stays empty, as the destination of steals that take nothing. Behind a lock since
    /// rings are for one thread at a time.
    nowhere: CachePadded<Mutex<R>>,
}

/// One worker's ring.
pub struct Local<T, R: Ring<T>> {
    me: usize,
    own: R,
    shared: Arc<Shared<T, R>>,
    /// Where batches from the injector land, which knows no rings.
    tray: Tray<T>,
    /// What comes off the tray, on its way to the ring.
    outgoing: Vec<T>,
    stats: QueueStats,
}

impl<T: Send, R: Ring<T>> Backend<T> for Rings<T, R> {
    type Worker = Local<T, R>;

    const NAME: &'static str = R::NAME;
    const ORDER: PopOrder = R::ORDER;

    fn build(workers: usize, cfg: &QueueConfig) -> (Rings<T, R>, Vec<Local<T, R>>) {
        let capacity = cfg.capacity.clamp(1, MOST);
        let rings: Vec<R> = (0..workers).map(|_| R::with_capacity(capacity)).collect();
        let shared = Arc::new(Shared {
            injector: Injector::new(),
            stealers: rings.iter().map(R::stealer).collect(),
            nowhere: CachePadded::new(Mutex::new(R::with_capacity(1))),
        });
        let local = |(me, own)| Local {
            me,
            own,
            shared: Arc::clone(&shared),
            tray: Tray::new_fifo(),
            outgoing: Vec::new(),
            stats: QueueStats::default(),
        };
        let locals = rings.into_iter().enumerate().map(local).collect();
        (Rings(shared), locals)
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

impl<T, R: Ring<T>> Local<T, R> {
    /// Puts an item into the ring, or makes room by sending the oldest half to the injector. Gives
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
        // Busy: a thief is copying, so there is nothing to be had from the old end. Empty: thieves
        // have just taken all there was, so there is room after all.
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

    /// Puts as much of `batch` into the ring as fits, the first to be popped before the others; the
    /// remainder goes to the injector. Gives its number.
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

    /// How many items to take at most. A ring is filled by steals only when it is empty: otherwise
    /// older items would come behind newer ones.
    fn room(&self) -> usize {
        if self.own.is_empty() { self.own.spare() + 1 } else { 1 }
    }

    /// Takes a share of the injector: the oldest into the hand, what follows into the ring.
    fn fetch(&mut self, req: StealRequest) -> Taken<Steal<T>> {
        let injector = &self.shared.injector;
        if injector.is_empty() {
            return Taken::Empty;
        }
        let want = req.amount.take(injector.len()).clamp(1, self.room());
        let item = match injector.steal_batch_with_limit_and_pop(&self.tray, want) {
            Taken::Success(item) => item,
            Taken::Empty => return Taken::Empty,
            Taken::Retry => return Taken::Retry,
        };
        // One call gives a block's worth at most; the share may be larger.
        loop {
            while let Some(next) = self.tray.pop() {
                self.outgoing.push(next);
            }
            let missing = want - 1 - self.outgoing.len();
            if missing == 0 {
                break;
            }
            match injector.steal_batch_with_limit_and_pop(&self.tray, missing) {
                Taken::Success(next) => self.outgoing.push(next),
                Taken::Empty | Taken::Retry => break,
            }
        }
        let mut outgoing = std::mem::take(&mut self.outgoing);
        let moved = outgoing.len();
        // It fits: `room` has counted the spare places, and they do not become fewer.
        let sent = self.store_all(&mut outgoing);
        debug_assert_eq!(sent, 0, "a share from the injector goes back to it");
        self.outgoing = outgoing;
        Taken::Success(Steal::Item {
            item,
            moved,
            more: moved > 0 || !self.shared.injector.is_empty(),
        })
    }

    /// Takes a share of somebody else's ring.
    fn steal_from(&self, victim: usize, req: StealRequest) -> Result<Steal<T>, StealError> {
        let room = self.room();
        let mut there = 0;
        let stealer = &self.shared.stealers[victim];
        let Theft { item, moved } = R::steal_and_pop(stealer, &self.own, |len| {
            there = len;
            req.amount.take(len).min(room)
        })?;
        Ok(Steal::Item { item, moved, more: moved > 0 || there > 1 })
    }

    fn sweep(&mut self, req: StealRequest) -> Steal<T> {
        let mut lost_a_race = false;
        match self.fetch(req) {
            Taken::Success(found) => return found,
            Taken::Retry => lost_a_race = true,
            Taken::Empty => {}
        }
        let crew = self.shared.stealers.len();
        for victim in req.victims(crew, self.me) {
            match self.steal_from(victim, req) {
                Ok(found) => return found,
                Err(StealError::Busy) => lost_a_race = true,
                Err(StealError::Empty) => {}
            }
        }
        if lost_a_race { Steal::Contended } else { Steal::Empty }
    }
}

impl<T: Send, R: Ring<T>> WorkerQueue<T> for Local<T, R> {
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.stats.overflowed += self.store(item) as u64;
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        self.stats.overflowed += self.store_all(batch) as u64;
    }

    fn pop(&mut self) -> Option<T> {
        let item = self.own.pop();
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let outcome = self.sweep(req);
        self.stats.count(&outcome);
        outcome
    }

    /// What has overflowed counts as well: nobody else may know of it yet.
    fn surplus(&self) -> usize {
        let overflow = if self.stats.overflowed > 0 { self.shared.injector.len() } else { 0 };
        self.own.len() + overflow
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}
