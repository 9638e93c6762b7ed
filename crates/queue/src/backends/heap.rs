//! [`Heap`]: one mutexed binary heap shared by all workers. Each takes the smallest item.
//!
//! For runs that put results in order: workers stay near the first unfinished result, so that few
//! results wait for it. Items must have an order, so this backend has no name by which a run of any
//! items could choose it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;

use super::single_store::{SharedStore, Store};
use crate::backend::{PopOrder, Steal};

/// The shared heap.
///
/// ```
/// use heist_queue::backends::Heap;
/// use heist_queue::{Backend, QueueConfig, WorkerQueue};
///
/// let (_queue, mut ends) = Heap::build(2, &QueueConfig::default());
/// ends[0].push_batch(&mut vec!["c", "a", "b"]);
/// assert_eq!([ends[1].pop(), ends[0].pop()], [Some("a"), Some("b")]);
/// ```
pub type Heap<T> = SharedStore<LockedHeap<T>>;

/// A heap behind a mutex.
pub struct LockedHeap<T> {
    items: CachePadded<Mutex<BinaryHeap<Reverse<T>>>>,
    /// The number of items, written under the lock and read without it. Only a hint: a thread that
    /// acts on it takes the lock.
    len: CachePadded<AtomicUsize>,
}

impl<T: Ord> Default for LockedHeap<T> {
    fn default() -> LockedHeap<T> {
        LockedHeap { items: CachePadded::default(), len: CachePadded::default() }
    }
}

impl<T: Ord> LockedHeap<T> {
    /// Runs `act` under the lock. A comparison that panics leaves the heap in an unknown order, but
    /// with all its items.
    fn with<R>(&self, act: impl FnOnce(&mut BinaryHeap<Reverse<T>>) -> R) -> R {
        let mut items: MutexGuard<'_, _> =
            self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut items);
        // Ordering: Relaxed, the lock orders everything that matters.
        self.len.store(items.len(), Ordering::Relaxed);
        result
    }
}

impl<T: Ord + Send> Store<T> for LockedHeap<T> {
    const NAME: &'static str = "heap";
    const ORDER: Option<PopOrder> = None;

    fn push(&self, item: T) {
        self.with(|items| items.push(Reverse(item)));
    }

    fn push_all(&self, batch: &mut Vec<T>) {
        self.with(|items| items.extend(batch.drain(..).map(Reverse)));
    }

    fn pop(&self) -> Option<T> {
        self.with(|items| items.pop().map(|Reverse(item)| item))
    }

    fn take(&self) -> Steal<T> {
        self.with(|items| match items.pop() {
            Some(Reverse(item)) => Steal::Item { item, moved: 0, more: !items.is_empty() },
            None => Steal::Empty,
        })
    }

    fn is_empty(&self) -> bool {
        // Under the lock: the store to `len` may not be visible yet when the caller's fence has
        // passed.
        self.with(|items| items.is_empty())
    }

    fn len(&self) -> usize {
        // Ordering: Relaxed, a hint.
        self.len.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{BiasedEvent, Job, RunConfig, Spawner, Stop, WorkerQueue, run};

    /// Spawns the numbers of a range one by one, from its end, and notes what it runs.
    struct Note(Vec<(u32, u32)>);

    impl Job<(u32, u32)> for Note {
        type Output = Vec<(u32, u32)>;

        fn run<S: Spawner<(u32, u32)>>(
            &mut self,
            (from, to): (u32, u32),
            spawner: &mut S,
        ) -> ControlFlow<()> {
            self.0.push((from, to));
            if to - from > 1 {
                (from..to).rev().for_each(|number| spawner.spawn((number, number + 1)));
                spawner.flush();
            }
            ControlFlow::Continue(())
        }

        fn finish(self) -> Self::Output {
            self.0
        }
    }

    #[test]
    fn each_worker_takes_smaller_items_first_and_each_item_runs_once() {
        for workers in 1..=4 {
            let jobs: Vec<_> = (0..workers).map(|_| Note(Vec::new())).collect();
            let config = RunConfig { lazy_spawn: false, ..RunConfig::default() };
            let roots = vec![(0, 1000)];
            let report = run::<_, Heap<_>, BiasedEvent, _>(&config, roots, jobs).expect("no panic");
            assert_eq!((report.stop, report.executed), (Stop::Done, 1001));
            for ran in &report.outputs {
                let small = ran.iter().filter(|(from, to)| to - from == 1);
                assert!(workers == 1 || small.is_sorted(), "{ran:?}");
            }
            let mut all: Vec<_> = report.outputs.into_iter().flatten().collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 1001);
        }
    }

    #[test]
    fn thieves_and_owners_take_the_same_items() {
        use crate::backend::Backend;
        let (heap, mut ends) = Heap::build(2, &crate::QueueConfig::default());
        heap.inject(&mut vec![5, 3]);
        ends[0].push(4);
        assert_eq!((heap.backlog(), ends[1].surplus(), heap.is_empty()), (3, 3, false));
        let request = crate::StealRequest { amount: crate::StealAmount::HALF, start: 0 };
        let stolen = ends[1].steal(request);
        assert!(matches!(stolen, Steal::Item { item: 3, moved: 0, more: true }), "{stolen:?}");
        assert_eq!([ends[0].pop(), ends[1].pop(), ends[0].pop()], [Some(4), Some(5), None]);
        assert!(matches!(ends[0].steal(request), Steal::Empty) && heap.is_empty());
    }
}
