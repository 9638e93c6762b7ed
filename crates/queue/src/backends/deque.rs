//! `deque`, the default: a Chase–Lev deque per worker and an injector, both from crossbeam-deque.
//!
//! The owner works at the newest end (depth first, so that memory stays small). Thieves take the
//! oldest items, which in a tree are the shallowest and have the most work below them. This is the
//! shape of ripgrep's PR 2591.

use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Injector, Steal as Taken, Stealer, Worker};

use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::QueueConfig;

/// The most items one steal moves. crossbeam takes each from a LIFO deque with its own CAS, so a
/// larger batch would delay the thief's first item by more than a second steal costs. Not measured.
const MAX_BATCH: usize = 256;

/// The injector and the stealing end of every worker.
pub struct Deque<T>(Arc<SharedEnds<T>>);

struct SharedEnds<T> {
    injector: Injector<T>,
    stealers: Box<[Stealer<T>]>,
}

/// One worker's deque.
pub struct DequeWorker<T> {
    me: usize,
    own: Worker<T>,
    shared: Arc<SharedEnds<T>>,
    /// The last victim that had items, or `me`. It comes first in a sweep: it likely has more.
    last: usize,
}

impl<T: Send> Backend<T> for Deque<T> {
    type Worker = DequeWorker<T>;

    const NAME: &'static str = "deque";
    const ORDER: Option<PopOrder> = Some(PopOrder::NewestFirst);

    fn build(workers: usize, _: &QueueConfig) -> (Deque<T>, Vec<DequeWorker<T>>) {
        let ends: Vec<Worker<T>> = iter::repeat_with(Worker::new_lifo).take(workers).collect();
        let stealers = ends.iter().map(Worker::stealer).collect();
        let shared = Arc::new(SharedEnds { injector: Injector::new(), stealers });
        let worker = |(me, own)| DequeWorker { me, own, shared: Arc::clone(&shared), last: me };
        let workers = ends.into_iter().enumerate().map(worker).collect();
        (Deque(shared), workers)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        for item in batch.drain(..) {
            self.0.injector.push(item);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.injector.is_empty() && self.0.stealers.iter().all(Stealer::is_empty)
    }

    fn backlog(&self) -> usize {
        self.0.injector.len()
    }
}

/// Takes one item, and further ones into `own`, from a source with `len` items. `source` moves up
/// to the given number of items.
fn take<T>(
    own: &Worker<T>,
    len: usize,
    req: StealRequest,
    source: impl Fn(&Worker<T>, usize) -> Taken<T>,
    source_is_empty: impl Fn() -> bool,
) -> Steal<T> {
    if len == 0 {
        return Steal::Empty;
    }
    let before = own.len();
    let want = req.amount.take(len).clamp(1, MAX_BATCH);
    let item = match source(own, want) {
        Taken::Success(item) => item,
        Taken::Empty => return Steal::Empty,
        Taken::Retry => return Steal::Contended,
    };
    // crossbeam moves at most half of a queue per call. A larger share takes several calls, and the
    // item that each returns joins the stolen ones.
    while own.len() + 1 < want {
        match source(own, want - 1 - own.len()) {
            Taken::Success(item) => own.push(item),
            Taken::Empty | Taken::Retry => break,
        }
    }
    let now = own.len();
    Steal::Item { item, moved: now.saturating_sub(before), more: now > 0 || !source_is_empty() }
}

impl<T: Send> WorkerQueue<T> for DequeWorker<T> {
    fn push(&mut self, item: T) {
        self.own.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        for item in batch.drain(..).rev() {
            self.own.push(item);
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.own.pop()
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let SharedEnds { injector, stealers } = &*self.shared;
        let own = &self.own;
        req.sweep(self.last, stealers.len(), self.me, |source| match source {
            None if injector.is_empty() => Steal::Empty,
            None => {
                let batch = |own: &_, n| injector.steal_batch_with_limit_and_pop(own, n);
                take(own, injector.len(), req, batch, || injector.is_empty())
            }
            Some(victim) => {
                let stealer = &stealers[victim];
                let batch = |own: &_, n| stealer.steal_batch_with_limit_and_pop(own, n);
                let outcome = take(own, stealer.len(), req, batch, || stealer.is_empty());
                if matches!(outcome, Steal::Item { .. }) {
                    self.last = victim;
                }
                outcome
            }
        })
    }

    fn surplus(&self) -> usize {
        self.own.len()
    }
}
