//! `biased`: one channel for all, from which each worker takes a batch at a time.
//!
//! After rocallahan's biased work queues (2021): consumers share one channel, each takes up to 20
//! items at once and works through them before it comes back. That divides the traffic on the
//! channel by 20, and is what leaves the other consumers asleep. The *bias* itself, low-numbered
//! consumers being woken first, is no matter of storage: here it is the idle policy's.
//!
//! What differs from that program, and why:
//!
//! * There a batch is a `Vec` that nobody else can reach, so while its first item takes a second
//!   the 19 others wait, idle consumers or not. In a walk, where the first items are the largest
//!   subtrees, that would serialise everything. Here a batch lives in a deque from which others may
//!   steal once the channel is empty: a last resort, since it is what batches exist to avoid.
//! * There a consumer takes whatever there is up to 20. Here it takes no more than the share it is
//!   asked for (half, usually), so that ten long items are not all one worker's. With a share of
//!   100 % it is the document's batch.
//! * There a consumer that got a whole batch wakes its right-hand neighbour, and nobody else ever
//!   does. Here the crew wakes somebody whenever a search ends and work remains. That is why the
//!   channel is asked in `steal` and never in `pop`: a refill is the end of a search.
//! * There a receive allocates a `Vec`. The deque keeps its storage.

use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Steal as Taken, Stealer, Worker};

use super::channel::Pipe;
use crate::backend::{
    Backend, PopOrder, QueueConfig, QueueStats, Steal, StealRequest, WorkerQueue,
};

/// The most items one worker takes from the channel at once: the document's number.
const BATCH: usize = 20;

/// What all workers see: the channel, and everybody's batch.
pub struct Biased<T>(Arc<Shared<T>>);

struct Shared<T> {
    pipe: Pipe<T>,
    batches: Box<[Stealer<T>]>,
}

/// One worker's handle on the channel, and its batch.
pub struct Local<T> {
    me: usize,
    batch: Worker<T>,
    shared: Arc<Shared<T>>,
    stats: QueueStats,
}

impl<T: Send> Backend<T> for Biased<T> {
    type Worker = Local<T>;

    const NAME: &'static str = "biased";
    const ORDER: PopOrder = PopOrder::OldestFirst;

    fn build(workers: usize, _: &QueueConfig) -> (Biased<T>, Vec<Local<T>>) {
        let ends: Vec<Worker<T>> = iter::repeat_with(Worker::new_fifo).take(workers).collect();
        let batches = ends.iter().map(Worker::stealer).collect();
        let shared = Arc::new(Shared { pipe: Pipe::new(), batches });
        let local = |(me, batch)| Local {
            me,
            batch,
            shared: Arc::clone(&shared),
            stats: QueueStats::default(),
        };
        let locals = ends.into_iter().enumerate().map(local).collect();
        (Biased(shared), locals)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        self.0.pipe.send_all(batch);
    }

    fn is_empty(&self) -> bool {
        self.0.pipe.receiver.is_empty() && self.0.batches.iter().all(Stealer::is_empty)
    }

    fn backlog(&self) -> usize {
        self.0.pipe.receiver.len()
    }
}

impl<T> Local<T> {
    /// Takes the next batch from the channel: one item into the hand, the rest into the deque.
    fn refill(&self, req: StealRequest) -> Option<Steal<T>> {
        let pipe = &self.shared.pipe;
        let want = req.amount.take(pipe.receiver.len()).clamp(1, BATCH);
        let item = pipe.take()?;
        let mut moved = 0;
        for next in iter::from_fn(|| pipe.take()).take(want - 1) {
            self.batch.push(next);
            moved += 1;
        }
        Some(Steal::Item { item, moved, more: moved > 0 || !pipe.receiver.is_empty() })
    }

    /// Takes from somebody else's batch.
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

    fn sweep(&self, req: StealRequest) -> Steal<T> {
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
}

impl<T: Send> WorkerQueue<T> for Local<T> {
    /// Sends the item to all: it is popped, by this worker or another, after a steal has fetched
    /// it.
    fn push(&mut self, item: T) {
        self.stats.pushed += 1;
        self.shared.pipe.send(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.stats.pushed += batch.len() as u64;
        self.shared.pipe.send_all(batch);
    }

    fn pop(&mut self) -> Option<T> {
        let item = self.batch.pop();
        self.stats.popped += u64::from(item.is_some());
        item
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let outcome = self.sweep(req);
        self.stats.count(&outcome);
        outcome
    }

    fn surplus(&self) -> usize {
        self.batch.len() + self.shared.pipe.receiver.len()
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::num::NonZeroU8;

    use super::*;
    use crate::backend::StealAmount;

    const HALF: StealRequest = StealRequest { amount: StealAmount::HALF, start: 0 };

    fn pops(end: &mut Local<u32>) -> Vec<u32> {
        iter::from_fn(|| end.pop()).collect()
    }

    #[test]
    fn a_batch_is_twenty_at_most_and_keeps_the_order() {
        let (_queue, mut ends) = Biased::build(2, &QueueConfig::default());
        ends[0].push_batch(&mut (0..1000).collect());
        assert_eq!(ends[0].pop(), None, "what was pushed is everybody's");
        assert!(matches!(ends[1].steal(HALF), Steal::Item { item: 0, moved: 19, more: true }));
        assert!(pops(&mut ends[1]).into_iter().eq(1..20));
        assert!(matches!(ends[0].steal(HALF), Steal::Item { item: 20, moved: 19, more: true }));
        assert!(pops(&mut ends[0]).into_iter().eq(21..40));
    }

    #[test]
    fn a_short_channel_is_shared_as_asked() {
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
        // Worker 0 has its hands full with item 0; the others take what is in the channel first.
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
