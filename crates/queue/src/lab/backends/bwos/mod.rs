//! `bwos`: a ring of blocks per worker, and an injector.
//!
//! After "`BWoS`: Formally Verified Block-based Work Stealing for Parallel Processing" (Wang and
//! others, OSDI 2023). A block belongs to its owner or to the thieves. The owner pushes and pops in
//! its own block with plain loads and stores, and crosses to another one by a store or a swap.
//! Thieves take a batch of a block by one compare-and-swap. In return, the items in the owner's
//! block are hidden: no thief finds them until the block is full or the owner
//! [exposes](crate::WorkerQueue::expose) it.
//!
//! Items that do not fit go to an unbounded injector, together with the oldest block.
//!
//! | file | holds |
//! |---|---|
//! | `blocks` | the protocol between owner and thieves, with its proof |
//! | `model` | the protocol under loom |

// The file with raw slots. Everything else is safe.
#[allow(unsafe_code)]
mod blocks;
#[cfg(all(test, loom))]
mod model;

use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Injector, Steal as Injected};

use self::blocks::{BlockRing, MAX_BLOCK, OwnerEnd, Taken, rings};
use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::QueueConfig;

/// The injector and the ring of every worker.
pub struct Bwos<T>(Arc<InjectorAndRings<T>>);

struct InjectorAndRings<T> {
    injector: Injector<T>,
    rings: Arc<[Arc<BlockRing<T>>]>,
}

/// One worker's ring.
pub struct BwosWorker<T> {
    me: usize,
    own: OwnerEnd<T>,
    shared: Arc<InjectorAndRings<T>>,
    /// The last victim that had items, or `me`. It comes first in a sweep: it likely has more.
    last: usize,
    /// Items on their way from the injector; empty in between.
    incoming: Vec<T>,
    /// Items that this end has sent to the injector because the ring was full.
    overflowed: u64,
}

impl<T: Send> Backend<T> for Bwos<T> {
    type Worker = BwosWorker<T>;

    const NAME: &'static str = "bwos";
    const ORDER: Option<PopOrder> = Some(PopOrder::NewestFirst);
    const MAX_HIDDEN: usize = MAX_BLOCK;

    fn build(workers: usize, cfg: &QueueConfig) -> (Bwos<T>, Vec<BwosWorker<T>>) {
        let (rings, ends) = rings(workers, cfg.capacity, cfg.block);
        let shared = Arc::new(InjectorAndRings { injector: Injector::new(), rings });
        let worker = |(me, own)| BwosWorker {
            me,
            own,
            shared: Arc::clone(&shared),
            last: me,
            incoming: Vec::new(),
            overflowed: 0,
        };
        let workers = ends.into_iter().enumerate().map(worker).collect();
        (Bwos(shared), workers)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        batch.drain(..).for_each(|item| self.0.injector.push(item));
    }

    fn is_empty(&self) -> bool {
        self.0.injector.is_empty() && self.0.rings.iter().all(|ring| ring.is_empty())
    }

    fn backlog(&self) -> usize {
        self.0.injector.len()
    }
}

impl<T> BwosWorker<T> {
    /// Takes a share of the injected items: the oldest to run, the others, as many as a block
    /// holds, so that they are popped oldest first.
    fn take_injected(&mut self, req: StealRequest) -> Steal<T> {
        let injector = &self.shared.injector;
        if injector.is_empty() {
            return Steal::Empty;
        }
        let most = req.amount.take(injector.len()).clamp(1, self.own.room() + 1);
        let item = match injector.steal() {
            Injected::Success(item) => item,
            Injected::Empty => return Steal::Empty,
            Injected::Retry => return Steal::Contended,
        };
        let others = iter::from_fn(|| injector.steal().success());
        self.incoming.extend(others.take(most - 1));
        let moved = self.incoming.len();
        for item in self.incoming.drain(..).rev() {
            // It fits, since `room` has counted the slots.
            self.own.push(item, |item| injector.push(item));
        }
        self.own.expose();
        Steal::Item { item, moved, more: moved > 0 || !injector.is_empty() }
    }

    /// Takes a share of a block of another worker.
    fn steal_from(&mut self, victim: usize, req: StealRequest) -> Steal<T> {
        match self.own.steal(&self.shared.rings[victim], victim, req.amount) {
            Taken::Item { item, moved, more } => {
                self.last = victim;
                Steal::Item { item, moved, more: moved > 0 || more }
            }
            Taken::Lost => Steal::Contended,
            Taken::Empty => Steal::Empty,
        }
    }
}

impl<T: Send> WorkerQueue<T> for BwosWorker<T> {
    #[inline]
    fn push(&mut self, item: T) {
        let BwosWorker { own, shared, overflowed, .. } = self;
        own.push(item, |item| {
            shared.injector.push(item);
            *overflowed += 1;
        });
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        batch.drain(..).rev().for_each(|item| self.push(item));
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.own.pop()
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let crew = self.shared.rings.len();
        req.sweep(self.last, crew, self.me, |source| match source {
            None => self.take_injected(req),
            Some(victim) => self.steal_from(victim, req),
        })
    }

    /// Overflowed items count as well: no other worker may have been woken for them yet.
    fn surplus(&self) -> usize {
        let overflow = if self.overflowed > 0 { self.shared.injector.len() } else { 0 };
        self.own.surplus() + overflow
    }

    fn expose(&mut self) -> bool {
        self.own.expose()
    }

    fn overflowed(&self) -> u64 {
        self.overflowed
    }
}
