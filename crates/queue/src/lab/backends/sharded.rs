//! `sharded` and `sharded-lifo`: a mutexed deque per worker and a mutexed global queue.
//!
//! `sharded` is the work-stealing pool of Phanes, part 3 (`jnyfah/phanes`, commit cfd59d8). The
//! owner pops the front and pushes to the back, so a walk goes breadth first; thieves take half of
//! a victim from the back, the newest items, and run the newest of them at once. `sharded-lifo` is
//! the reverse: the owner works at the back, depth first, and thieves take the front, oldest first.
//! The two differ in nothing else, so the order of a walk can be measured alone.
//!
//! A thief never waits for a lock, and no thread ever holds two: stolen items go to a list first,
//! and to the thief's deque after the victim's lock has been released. Differences from Phanes:
//! `docs/decisions/0012-departures-from-published-queues.md`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use crossbeam_utils::CachePadded;

use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::{QueueConfig, StealAmount};

/// Owners take the oldest item, thieves the newest: Phanes as published.
pub type Sharded<T> = Shards<T, false>;

/// Owners take the newest item, thieves the oldest.
pub type ShardedLifo<T> = Shards<T, true>;

/// The deque of every worker and the global queue. Items are always pushed to the back; owners pop
/// there if `LIFO`, otherwise in front, and thieves take from the other end.
pub struct Shards<T, const LIFO: bool>(Arc<AllShards<T>>);

struct AllShards<T> {
    /// Injected items, the oldest in front.
    global: Shard<T>,
    /// The deque of worker *i* at index *i*, the oldest item in front.
    own: Box<[Shard<T>]>,
}

/// One mutexed deque.
struct Shard<T>(CachePadded<ShardInner<T>>);

struct ShardInner<T> {
    items: Mutex<VecDeque<T>>,
    /// The number of items, written under the lock and read without it.
    len: AtomicUsize,
}

impl<T> Shard<T> {
    fn new() -> Shard<T> {
        let items = Mutex::new(VecDeque::new());
        Shard(CachePadded::new(ShardInner { items, len: AtomicUsize::new(0) }))
    }

    /// The number of items, now or a moment ago.
    fn len(&self) -> usize {
        // Ordering: Relaxed. All writes happen under the lock, so each value was true once. A
        // thread that has to see a push is ordered after it by fences on both sides, and so sees
        // that value or a later one.
        self.0.len.load(Ordering::Relaxed)
    }

    /// Runs `act` under the lock. No user code runs there, so a poisoned lock still guards a sound
    /// deque.
    fn with<R>(&self, act: impl FnOnce(&mut VecDeque<T>) -> R) -> R {
        self.run(self.0.items.lock().unwrap_or_else(PoisonError::into_inner), act)
    }

    /// Like `with`, or `None` if another thread holds the lock.
    fn try_with<R>(&self, act: impl FnOnce(&mut VecDeque<T>) -> R) -> Option<R> {
        match self.0.items.try_lock() {
            Ok(items) => Some(self.run(items, act)),
            Err(TryLockError::Poisoned(error)) => Some(self.run(error.into_inner(), act)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn run<R>(
        &self,
        mut items: MutexGuard<'_, VecDeque<T>>,
        act: impl FnOnce(&mut VecDeque<T>) -> R,
    ) -> R {
        let result = act(&mut items);
        // Ordering: Relaxed, see `len`.
        self.0.len.store(items.len(), Ordering::Relaxed);
        result
    }
}

/// One worker's end.
pub struct ShardWorker<T, const LIFO: bool> {
    me: usize,
    shared: Arc<AllShards<T>>,
    /// Further stolen items, between the release of the victim's lock and taking the own one.
    stolen: Vec<T>,
}

impl<T: Send, const LIFO: bool> Backend<T> for Shards<T, LIFO> {
    type Worker = ShardWorker<T, LIFO>;

    const NAME: &'static str = if LIFO { "sharded-lifo" } else { "sharded" };
    const ORDER: Option<PopOrder> =
        Some(if LIFO { PopOrder::NewestFirst } else { PopOrder::OldestFirst });

    fn build(workers: usize, _: &QueueConfig) -> (Shards<T, LIFO>, Vec<ShardWorker<T, LIFO>>) {
        let own = (0..workers).map(|_| Shard::new()).collect();
        let shared = Arc::new(AllShards { global: Shard::new(), own });
        let worker = |me| ShardWorker { me, shared: Arc::clone(&shared), stolen: Vec::new() };
        let workers = (0..workers).map(worker).collect();
        (Shards(shared), workers)
    }

    fn inject(&self, batch: &mut Vec<T>) {
        self.0.global.with(|items| items.extend(batch.drain(..)));
    }

    fn is_empty(&self) -> bool {
        self.0.global.len() == 0 && self.0.own.iter().all(|shard| shard.len() == 0)
    }

    fn backlog(&self) -> usize {
        self.0.global.len()
    }
}

impl<T, const LIFO: bool> ShardWorker<T, LIFO> {
    fn shard(&self) -> &Shard<T> {
        &self.shared.own[self.me]
    }

    /// Takes a share of `source` unless another thread holds its lock. A victim gives the first
    /// item from the thieves' end, then the others oldest first; the injected items come oldest
    /// first in either flavour. All but the first go to the own deque, after the lock has been
    /// released.
    fn take(&mut self, victim: Option<usize>, amount: StealAmount) -> Steal<T> {
        let ShardWorker { shared, stolen, me, .. } = self;
        let source = victim.map_or(&shared.global, |victim| &shared.own[victim]);
        if source.len() == 0 {
            return Steal::Empty;
        }
        let taken = source.try_with(|items| {
            let take = amount.take(items.len());
            let first = if victim.is_some() && !LIFO {
                let first = items.pop_back()?;
                stolen.extend(items.drain(items.len() - (take - 1)..));
                first
            } else {
                let first = items.pop_front()?;
                stolen.extend(items.drain(..take - 1));
                first
            };
            Some((first, !items.is_empty()))
        });
        let (item, left_behind) = match taken {
            Some(Some(first)) => first,
            Some(None) => return Steal::Empty,
            None => return Steal::Contended,
        };
        // They have to be popped in the order of injection.
        if victim.is_none() && LIFO {
            stolen.reverse();
        }
        let moved = stolen.len();
        if moved > 0 {
            shared.own[*me].with(|items| items.extend(stolen.drain(..)));
        }
        Steal::Item { item, moved, more: moved > 0 || left_behind }
    }
}

impl<T: Send, const LIFO: bool> WorkerQueue<T> for ShardWorker<T, LIFO> {
    fn push(&mut self, item: T) {
        self.shard().with(|items| items.push_back(item));
    }

    fn push_batch(&mut self, batch: &mut Vec<T>) {
        self.shard().with(|items| {
            if LIFO {
                items.extend(batch.drain(..).rev());
            } else {
                items.extend(batch.drain(..));
            }
        });
    }

    fn pop(&mut self) -> Option<T> {
        self.shard().with(if LIFO { VecDeque::pop_back } else { VecDeque::pop_front })
    }

    fn steal(&mut self, req: StealRequest) -> Steal<T> {
        let crew = self.shared.own.len();
        req.sweep(self.me, crew, self.me, |source| self.take(source, req.amount))
    }

    fn surplus(&self) -> usize {
        self.shard().len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::counted::Counted;
    use crate::report::QueueStats;

    const STEAL_HALF: StealRequest = StealRequest { amount: StealAmount::HALF, start: 0 };

    #[test]
    fn a_thief_passes_over_a_locked_victim_without_calling_it_empty() {
        let (queue, mut ends) = Sharded::build(3, &QueueConfig::default());
        let mut thief = Counted::new(ends.remove(2));
        ends[0].push(0);
        let shared = Arc::clone(&queue.0);
        let held = shared.own[0].0.items.lock().unwrap();
        assert!(matches!(thief.steal(STEAL_HALF), Steal::Contended));
        ends[1].push(1);
        assert!(
            matches!(thief.steal(STEAL_HALF), Steal::Item { item: 1, .. }),
            "other victims are tried"
        );
        drop(held);
        assert!(matches!(thief.steal(STEAL_HALF), Steal::Item { item: 0, .. }));
        assert!(matches!(thief.steal(STEAL_HALF), Steal::Empty));
        let stats = QueueStats { steals: 2, contended: 1, empty: 1, ..QueueStats::default() };
        assert_eq!(thief.stats(), stats);
    }

    #[test]
    fn the_global_queue_being_locked_is_contention_too() {
        let (queue, mut ends) = ShardedLifo::build(1, &QueueConfig::default());
        queue.inject(&mut vec![0]);
        let shared = Arc::clone(&queue.0);
        let held = shared.global.0.items.lock().unwrap();
        assert!(matches!(ends[0].steal(STEAL_HALF), Steal::Contended));
        drop(held);
        assert!(matches!(
            ends[0].steal(STEAL_HALF),
            Steal::Item { item: 0, moved: 0, more: false }
        ));
    }
}
