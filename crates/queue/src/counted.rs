//! The counters of queue operations, one layer above every backend.

use std::marker::PhantomData;

use crate::backend::{Steal, StealRequest, WorkerQueue};
use crate::report::QueueStats;

/// A worker's end of any backend that counts what passes through it.
///
/// ```
/// use heist_queue::backends::Deque;
/// use heist_queue::{Backend, Counted, QueueConfig, WorkerQueue};
///
/// let (_queue, mut ends) = Deque::build(1, &QueueConfig::default());
/// let mut end = Counted::new(ends.remove(0));
/// end.push(7);
/// assert_eq!(end.pop(), Some(7));
/// assert_eq!((end.stats().pushed, end.stats().popped), (1, 1));
/// ```
pub struct Counted<T, W> {
    end: W,
    stats: QueueStats,
    item: PhantomData<fn(T)>,
}

impl<T: Send, W: WorkerQueue<T>> Counted<T, W> {
    /// Wraps `end`, with all counters at zero.
    pub fn new(end: W) -> Counted<T, W> {
        Counted { end, stats: QueueStats::default(), item: PhantomData }
    }

    /// The counts so far.
    pub fn stats(&self) -> QueueStats {
        QueueStats { overflowed: self.end.overflowed(), ..self.stats }
    }
}

impl<T: Send, W: WorkerQueue<T>> WorkerQueue<T> for Counted<T, W> {
    #[inline]
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.end.push(item);
    }

    #[inline]
    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        self.end.push_batch(batch);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        let item = self.end.pop();
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let outcome = self.end.steal(req);
        match &outcome {
            Steal::Item { moved, .. } => {
                self.stats.steals += 1;
                self.stats.moved += *moved as u64;
            }
            Steal::Empty => self.stats.empty += 1,
            Steal::Contended => self.stats.contended += 1,
        }
        outcome
    }

    #[inline]
    fn surplus(&self) -> usize {
        self.end.surplus()
    }

    #[inline]
    fn expose(&mut self) -> bool {
        self.end.expose()
    }

    fn overflowed(&self) -> u64 {
        self.end.overflowed()
    }
}
