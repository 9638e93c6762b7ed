//! `chase-lev`: a Chase–Lev deque per worker, of our own, without a data race, and an injector.
//!
//! The same shape as `deque`: the owner works at the new end, thieves take the oldest items. What
//! is different is inside. crossbeam keeps the items themselves in the slots, which a thief reads
//! while the owner may be writing: a race that works in practice and that the memory model forbids.
//! Here a slot is an atomic pointer to a boxed item, which costs a box per item (`boxes` recycles
//! most of them) and in return is checked by loom and Miri as it stands. Old rings go to
//! `heist-ebr`: only stealing and growing pin, pushing and popping know nothing of it.
//!
//! | file | holds |
//! |---|---|
//! | `ring` | the slots |
//! | `boxes` | the boxes around items |
//! | `ends` | the protocol between owner and thieves, with its proof |
//! | `model` | the protocol under loom |

// The two files that deal in raw pointers. Everything else is safe.
#[allow(unsafe_code)]
mod boxes;
#[allow(unsafe_code)]
mod ends;
#[cfg(all(test, loom))]
mod model;
mod ring;
#[cfg(all(test, not(loom)))]
mod tests;

use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Injector, Steal as Injected};
use heist_ebr::Collector;

use self::ends::{Deques, Own, Stolen, Taken, deques};
use crate::backend::{
    Backend, PopOrder, QueueConfig, QueueStats, Steal, StealRequest, WorkerQueue,
};

/// The most items one steal moves. Each takes an exchange; far more than this would keep the thief
/// from its first item for longer than a second steal costs, and old rings from being freed. Not
/// measured yet.
const MOST_AT_ONCE: usize = 256;

/// What all workers see: the injector and everybody's deque.
pub struct ChaseLev<T>(Arc<Shared<T>>);

struct Shared<T> {
    injector: Injector<T>,
    deques: Arc<Deques<T>>,
}

impl<T> Shared<T> {
    fn is_empty(&self) -> bool {
        self.injector.is_empty() && self.deques.is_empty()
    }
}

/// One worker's deque.
pub struct Local<T> {
    me: usize,
    own: Own<T>,
    shared: Arc<Shared<T>>,
    /// The last victim that had something. It is asked first, since it likely has more.
    last: usize,
    /// Items on their way from the injector; empty in between.
    outgoing: Vec<T>,
    stats: QueueStats,
}

impl<T: Send> Backend<T> for ChaseLev<T> {
    type Worker = Local<T>;

    const NAME: &'static str = "chase-lev";
    const ORDER: PopOrder = PopOrder::NewestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (ChaseLev<T>, Vec<Local<T>>) {
        let (deques, ends) = deques(workers, &Collector::default());
        let shared = Arc::new(Shared { injector: Injector::new(), deques });
        let local = |(me, own)| Local {
            me,
            own,
            shared: Arc::clone(&shared),
            last: me,
            outgoing: Vec::new(),
            stats: QueueStats::default(),
        };
        let locals = ends.into_iter().enumerate().map(local).collect();
        (ChaseLev(shared), locals)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        for item in batch.drain(..) {
            self.0.injector.push(item);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn backlog(&self) -> usize {
        self.0.injector.len()
    }
}

impl<T> Local<T> {
    /// Takes a share of what was injected: the oldest in hand, the others where they are popped
    /// oldest first.
    fn take_injected(&mut self, req: StealRequest) -> Taken<Stolen<T>> {
        let injector = &self.shared.injector;
        let most = req.amount.take(injector.len()).clamp(1, MOST_AT_ONCE);
        let item = match injector.steal() {
            Injected::Success(item) => item,
            Injected::Empty => return Taken::Empty,
            Injected::Retry => return Taken::Lost,
        };
        let more = iter::from_fn(|| injector.steal().success());
        self.outgoing.extend(more.take(most - 1));
        let moved = self.outgoing.len();
        self.own.push_all(&mut self.outgoing);
        Taken::Item(Stolen { item, moved })
    }

    /// Turns what a source gave into the crew's terms. `rest`: how much that source has left.
    fn outcome(&self, stolen: Stolen<T>, rest: usize) -> Steal<T> {
        let Stolen { item, moved } = stolen;
        Steal::Item { item, moved, more: rest > 0 || self.own.len() > 0 }
    }

    fn sweep(&mut self, req: StealRequest) -> Steal<T> {
        let mut lost_a_race = false;
        if !self.shared.injector.is_empty() {
            match self.take_injected(req) {
                Taken::Item(stolen) => return self.outcome(stolen, self.shared.injector.len()),
                Taken::Lost => lost_a_race = true,
                Taken::Empty => {}
            }
        }
        let crew = self.shared.deques.workers();
        // Nobody has been robbed yet where the last victim is oneself.
        let last = Some(self.last).filter(|&last| last != self.me);
        for victim in last.into_iter().chain(req.victims(crew, self.me)) {
            let len = self.shared.deques.len(victim);
            if len == 0 {
                continue;
            }
            match self.own.steal(victim, req.amount.take(len).min(MOST_AT_ONCE)) {
                Taken::Item(stolen) => {
                    self.last = victim;
                    return self.outcome(stolen, self.shared.deques.len(victim));
                }
                Taken::Lost => lost_a_race = true,
                Taken::Empty => {}
            }
        }
        if lost_a_race { Steal::Contended } else { Steal::Empty }
    }
}

impl<T: Send> WorkerQueue<T> for Local<T> {
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.own.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        self.own.push_all(batch);
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

    fn surplus(&self) -> usize {
        self.own.len()
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}
