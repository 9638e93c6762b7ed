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
const BATCH: usize = 20;

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
    const ORDER: PopOrder = PopOrder::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Biased<T>, Vec<BiasedWorker<T>>) {
        let ends: Vec<Worker<T>> = iter::repeat_with(Worker::new_fifo).take(workers).collect();
        let batches = ends.iter().map(Worker::stealer).collect();
        let shared = Arc::new(SharedBatches { channel: BothEnds::new(), batches });
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
    fn refill(&self, req: StealRequest) -> Option<Steal<T>> {
        let channel = &self.shared.channel;
        let want = req.amount.take(channel.receiver.len()).clamp(1, BATCH);
        let item = channel.take()?;
        let mut moved = 0;
        for next in iter::from_fn(|| channel.take()).take(want - 1) {
            self.batch.push(next);
            moved += 1;
        }
        Some(Steal::Item { item, moved, more: moved > 0 || !channel.receiver.is_empty() })
    }

    /// Steals from the batch of another worker.
    fn steal_from(&self, victim: &Stealer<T>, req: StealRequest) -> Taken<Steal<T>> {
        let before = self.batch.len();
        let want = req.amount.take(victim.len()).max(1);
        let taken = victim.steal_batch_with_limit_and_pop(&self.batch, want);
        match taken {
            Taken::Success(item) => {
                let now = self.batch.len();
                let moved = now.saturating_sub(before);
                Taken::Success(Steal::Item { item, moved, more: now > 0 || !victim.is_empty() })
            }
            Taken::Empty => Taken::Empty,
            Taken::Retry => Taken::Retry,
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
        if let Some(found) = self.refill(req) {
            return found;
        }
        let crew = self.shared.batches.len();
        let mut lost_a_race = false;
        for victim in req.victims(crew, self.me) {
            match self.steal_from(&self.shared.batches[victim], req) {
                Taken::Success(found) => return found,
                Taken::Retry => lost_a_race = true,
                Taken::Empty => {}
            }
        }
        if lost_a_race { Steal::Contended } else { Steal::Empty }
    }

    fn surplus(&self) -> usize {
        self.batch.len() + self.shared.channel.receiver.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::num::NonZeroU8;

    use super::*;
    use crate::config::StealAmount;

    const HALF: StealRequest = StealRequest { amount: StealAmount::HALF, start: 0 };

    fn pops(end: &mut BiasedWorker<u32>) -> Vec<u32> {
        iter::from_fn(|| end.pop()).collect()
    }

    #[test]
    fn a_batch_is_twenty_at_most_and_keeps_the_order() {
        let (_queue, mut ends) = Biased::build(2, &QueueConfig::default());
        ends[0].push_batch(&mut (0..1000).collect());
        assert_eq!(ends[0].pop(), None, "pushed items go to the channel");
        assert!(matches!(ends[1].steal(HALF), Steal::Item { item: 0, moved: 19, more: true }));
        assert!(pops(&mut ends[1]).into_iter().eq(1..20));
        assert!(matches!(ends[0].steal(HALF), Steal::Item { item: 20, moved: 19, more: true }));
        assert!(pops(&mut ends[0]).into_iter().eq(21..40));
    }

    #[test]
    fn a_short_channel_is_shared_as_requested() {
        let moved = |amount| {
            let (_queue, mut ends) = Biased::build(1, &QueueConfig::default());
            ends[0].push_batch(&mut (0..10).collect());
            match ends[0].steal(StealRequest { amount, start: 0 }) {
                Steal::Item { item: 0, moved, .. } => moved,
                other => panic!("the channel holds ten: {other:?}"),
            }
        };
        assert_eq!(moved(StealAmount::One), 0);
        assert_eq!(moved(StealAmount::HALF), 4);
        assert_eq!(moved(StealAmount::Percent(NonZeroU8::MAX)), 9, "the document's batch");
    }

    #[test]
    fn the_rest_of_a_batch_is_stolen_when_the_channel_is_empty() {
        let (queue, mut ends) = Biased::build(3, &QueueConfig::default());
        queue.inject(&mut (0..40).collect());
        // Worker 0 runs item 0; the others first take what is in the channel.
        assert!(matches!(ends[0].steal(HALF), Steal::Item { item: 0, moved: 19, .. }));
        let all = StealRequest { amount: StealAmount::Percent(NonZeroU8::MAX), start: 0 };
        assert!(matches!(ends[1].steal(all), Steal::Item { item: 20, moved: 19, .. }));
        let mut others: Vec<u32> = pops(&mut ends[1]);
        others.push(20);
        while let Steal::Item { item, .. } = ends[2].steal(HALF) {
            others.push(item);
            others.extend(pops(&mut ends[2]));
        }
        others.sort_unstable();
        assert!(others.into_iter().eq(1..40), "all but the one that runs");
        assert!(queue.is_empty());
    }
}
