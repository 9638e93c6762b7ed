//! `chase-lev`: a Chase–Lev deque of our own per worker, free of data races, and an injector.
//!
//! The same shape as `deque`: the owner works at the newest end, thieves take the oldest items. The
//! inside differs. crossbeam keeps the items themselves in the slots, which a thief reads while the
//! owner may be writing: a race that works in practice and that the memory model forbids. Here a
//! slot is an atomic pointer to a boxed item. That costs a box per item (`boxes` recycles most of
//! them), and in return loom and Miri can check the code as it stands. Replaced rings go to
//! `heist-ebr`: only stealing and growing pin; pushing and popping do not.
//!
//! | file | holds |
//! |---|---|
//! | `ring` | the slots |
//! | `boxes` | the boxes around items |
//! | `ends` | the protocol between owner and thieves, with its proof |
//! | `model` | the protocol under loom |

// The two files with raw pointers. Everything else is safe.
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

use self::ends::{Deques, OwnerEnd, Stolen, Taken, deques};
use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::QueueConfig;

/// The most items one steal moves. Each takes a CAS, so a larger batch would delay the thief's
/// first item by more than a second steal costs, and the freeing of old rings too. Not measured.
const MAX_BATCH: usize = 256;

/// The injector and the deque of every worker.
pub struct ChaseLev<T>(Arc<InjectorAndDeques<T>>);

struct InjectorAndDeques<T> {
    injector: Injector<T>,
    deques: Arc<Deques<T>>,
}

/// One worker's deque.
pub struct ChaseLevWorker<T> {
    me: usize,
    own: OwnerEnd<T>,
    shared: Arc<InjectorAndDeques<T>>,
    /// The last victim that had items, or `me`. It comes first in a sweep: it likely has more.
    last: usize,
    /// Items on their way from the injector; empty in between.
    outgoing: Vec<T>,
}

impl<T: Send> Backend<T> for ChaseLev<T> {
    type Worker = ChaseLevWorker<T>;

    const NAME: &'static str = "chase-lev";
    const ORDER: Option<PopOrder> = Some(PopOrder::NewestFirst);

    fn build(workers: usize, _: &QueueConfig) -> (ChaseLev<T>, Vec<ChaseLevWorker<T>>) {
        let (deques, ends) = deques(workers, &Collector::default());
        let shared = Arc::new(InjectorAndDeques { injector: Injector::new(), deques });
        let worker = |(me, own)| ChaseLevWorker {
            me,
            own,
            shared: Arc::clone(&shared),
            last: me,
            outgoing: Vec::new(),
        };
        let workers = ends.into_iter().enumerate().map(worker).collect();
        (ChaseLev(shared), workers)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        for item in batch.drain(..) {
            self.0.injector.push(item);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.injector.is_empty() && self.0.deques.is_empty()
    }

    fn backlog(&self) -> usize {
        self.0.injector.len()
    }
}

impl<T> ChaseLevWorker<T> {
    /// Takes a share of the injected items: the oldest to run, the others so that they are popped
    /// oldest first.
    fn take_injected(&mut self, req: StealRequest) -> Steal<T> {
        let injector = &self.shared.injector;
        let most = req.amount.take(injector.len()).clamp(1, MAX_BATCH);
        let item = match injector.steal() {
            Injected::Success(item) => item,
            Injected::Empty => return Steal::Empty,
            Injected::Retry => return Steal::Contended,
        };
        let more = iter::from_fn(|| injector.steal().success());
        self.outgoing.extend(more.take(most - 1));
        let moved = self.outgoing.len();
        self.own.push_all(&mut self.outgoing);
        let more = !self.shared.injector.is_empty() || self.own.len() > 0;
        Steal::Item { item, moved, more }
    }

    /// Takes a share of the deque of another worker.
    fn steal_from(&mut self, victim: usize, req: StealRequest) -> Steal<T> {
        let deques = &self.shared.deques;
        let len = deques.len(victim);
        if len == 0 {
            return Steal::Empty;
        }
        match self.own.steal(victim, req.amount.take(len).min(MAX_BATCH)) {
            Taken::Item(Stolen { item, moved }) => {
                self.last = victim;
                let more = deques.len(victim) > 0 || self.own.len() > 0;
                Steal::Item { item, moved, more }
            }
            Taken::Lost => Steal::Contended,
            Taken::Empty => Steal::Empty,
        }
    }
}

impl<T: Send> WorkerQueue<T> for ChaseLevWorker<T> {
    fn push(&mut self, item: T) {
        self.own.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.own.push_all(batch);
    }

    fn pop(&mut self) -> Option<T> {
        self.own.pop()
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let crew = self.shared.deques.workers();
        req.sweep(self.last, crew, self.me, |source| match source {
            None => self.take_injected(req),
            Some(victim) => self.steal_from(victim, req),
        })
    }

    fn surplus(&self) -> usize {
        self.own.len()
    }
}
