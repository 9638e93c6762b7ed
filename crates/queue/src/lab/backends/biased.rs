//! `biased`: one channel, from which each worker takes a batch at a time.
//!
//! After rocallahan's biased work queues (2021): consumers share one channel, and each takes up to
//! 20 items at once and works through them before it returns to the channel. That divides the
//! traffic on the channel by 20 and leaves the other consumers asleep. The *bias* itself, waking
//! low-numbered consumers first, is up to the idle policy here.
//!
//! A batch is in a deque, from which others steal once the channel is empty. A refill is a steal,
//! never a pop, because the crew wakes a worker at the end of a search. The differences are in
//! `docs/decisions/0012-departures-from-published-queues.md`.

use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Steal as Taken, Stealer, Worker};

use super::channel::BothEnds;
use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::QueueConfig;

/// The most items one worker takes from the channel at once: the document's number.
const MAX_BATCH: usize = 20;

/// The channel and the batch of every worker.
pub struct Biased<T>(Arc<SharedBatches<T>>);

struct SharedBatches<T> {
    channel: BothEnds<T>,
    batches: Box<[Stealer<T>]>,
}

/// One worker's handle on the channel, and its batch.
pub struct BiasedWorker<T> {
    me: usize,
    batch: Worker<T>,
    shared: Arc<SharedBatches<T>>,
}

impl<T: Send> Backend<T> for Biased<T> {
    type Worker = BiasedWorker<T>;

    const NAME: &'static str = "biased";
    const ORDER: Option<PopOrder> = Some(PopOrder::OldestFirst);

    fn build(workers: usize, _: &QueueConfig) -> (Biased<T>, Vec<BiasedWorker<T>>) {
        let ends: Vec<Worker<T>> = iter::repeat_with(Worker::new_fifo).take(workers).collect();
        let batches = ends.iter().map(Worker::stealer).collect();
        let shared = Arc::new(SharedBatches { channel: BothEnds::default(), batches });
        let worker = |(me, batch)| BiasedWorker { me, batch, shared: Arc::clone(&shared) };
        let workers = ends.into_iter().enumerate().map(worker).collect();
        (Biased(shared), workers)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        self.0.channel.send_all(batch);
    }

    fn is_empty(&self) -> bool {
        self.0.channel.receiver.is_empty() && self.0.batches.iter().all(Stealer::is_empty)
    }

    fn backlog(&self) -> usize {
        self.0.channel.receiver.len()
    }
}

impl<T> BiasedWorker<T> {
    /// Takes the next batch from the channel: one item to run, the rest into the deque.
    fn refill(&self, req: StealRequest) -> Steal<T> {
        let channel = &self.shared.channel;
        let want = req.amount.take(channel.receiver.len()).clamp(1, MAX_BATCH);
        let Some(item) = channel.try_take() else { return Steal::Empty };
        let mut moved = 0;
        for next in iter::from_fn(|| channel.try_take()).take(want - 1) {
            self.batch.push(next);
            moved += 1;
        }
        Steal::Item { item, moved, more: moved > 0 || !channel.receiver.is_empty() }
    }

    /// Steals from the batch of another worker.
    fn steal_from(&self, victim: &Stealer<T>, req: StealRequest) -> Steal<T> {
        let before = self.batch.len();
        let want = req.amount.take(victim.len()).max(1);
        match victim.steal_batch_with_limit_and_pop(&self.batch, want) {
            Taken::Success(item) => {
                let now = self.batch.len();
                let moved = now.saturating_sub(before);
                Steal::Item { item, moved, more: now > 0 || !victim.is_empty() }
            }
            Taken::Empty => Steal::Empty,
            Taken::Retry => Steal::Contended,
        }
    }
}

impl<T: Send> WorkerQueue<T> for BiasedWorker<T> {
    /// Sends the item to the channel. It is popped, by this worker or another, after a steal has
    /// fetched it.
    fn push(&mut self, item: T) {
        self.shared.channel.send(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.shared.channel.send_all(batch);
    }

    fn pop(&mut self) -> Option<T> {
        self.batch.pop()
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let batches = &self.shared.batches;
        req.sweep(self.me, batches.len(), self.me, |source| match source {
            None => self.refill(req),
            Some(victim) => self.steal_from(&batches[victim], req),
        })
    }

    fn surplus(&self) -> usize {
        self.batch.len() + self.shared.channel.receiver.len()
    }
}
