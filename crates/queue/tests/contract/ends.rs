//! The ends of a queue: the thieves' shares, and every item popped or dropped once with several
//! threads at work.

use std::num::NonZeroU8;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Barrier, Mutex};
use std::{iter, thread};

use heist_queue::{
    Backend, Counted, QueueConfig, QueueStats, Steal, StealAmount, StealRequest, WorkerQueue,
};

use crate::guard::guarded;
use crate::tree::{Item, Ledger, star};

fn percent(n: u8) -> StealAmount {
    NonZeroU8::new(n).map_or(StealAmount::One, StealAmount::Percent)
}

fn pop_all(end: &mut impl WorkerQueue<Item>) -> Vec<usize> {
    iter::from_fn(|| end.pop()).map(|item| item.node).collect()
}

pub(crate) fn a_steal_takes_no_more_than_requested<B: Backend<Item>>() {
    // From one item to everything.
    for amount in [0, 1, 25, 50, 75, 100].map(percent) {
        for len in [1, 2, 3, 10, 63, 64, 65, 200] {
            let ledger = Ledger::new(star(len));
            let cfg = QueueConfig { amount, ..QueueConfig::default() };
            let (queue, mut ends) = B::build(3, &cfg);
            (1..=len).for_each(|i| ends[0].push(ledger.item(i)));
            ends[0].expose();
            let req = StealRequest { amount, start: 0 };
            let Steal::Item { item, moved, more } = ends[2].steal(req) else {
                panic!("{amount:?} of {len} found nothing without contention");
            };
            assert!(moved < amount.take(len), "{amount:?} of {len} took {}", 1 + moved);
            assert_eq!(more, len > 1);
            let mut seen = vec![item.node];
            drop(item);
            let thiefs = pop_all(&mut ends[2]);
            assert!(thiefs.len() >= moved, "{moved} items moved, {} arrived", thiefs.len());
            seen.extend(thiefs);
            seen.extend(pop_all(&mut ends[0]));
            // Owners of some queues pop only what a steal has fetched.
            while let Steal::Item { item, .. } = ends[0].steal(req) {
                seen.push(item.node);
                seen.extend(pop_all(&mut ends[0]));
            }
            seen.sort_unstable();
            assert!(seen.into_iter().eq(1..=len), "{amount:?} of {len} lost or duplicated an item");
            assert!(queue.is_empty());
            ledger.assert_no_leak();
        }
    }
}

/// A publisher pushes, fences and reads a flag; a sleeper sets the flag, fences and looks for
/// items. At least one of them has to see what the other did, whichever way the sleeper looks.
pub(crate) fn a_push_is_seen_across_fences<B: Backend<Item>>() {
    const ROUNDS: usize = 600;
    let ledger = Ledger::new(star(ROUNDS));
    let (queue, mut ends) = B::build(2, &QueueConfig::default());
    let (mut sleeper, mut publisher) = (ends.remove(1), ends.remove(0));
    let (queue, asleep, barrier) = (&queue, &AtomicBool::new(false), &Barrier::new(2));
    let (ledger, saw_sleeper) = (&ledger, &AtomicBool::new(false));
    let req = StealRequest { amount: StealAmount::HALF, start: 0 };
    let mut missed = Vec::new();
    let pause = |round: usize| (0..round % 50).for_each(|_| std::hint::spin_loop());
    guarded(B::NAME, || {
        thread::scope(|scope| {
            scope.spawn(move || {
                for round in 1..=ROUNDS {
                    barrier.wait();
                    pause(round);
                    match round % 3 {
                        0 => publisher.push(ledger.item(round)),
                        1 => publisher.push_batch(&mut vec![ledger.item(round)]),
                        _ => queue.inject(&mut vec![ledger.item(round)]),
                    }
                    publisher.expose();
                    fence(Ordering::SeqCst);
                    saw_sleeper.store(asleep.load(Ordering::Relaxed), Ordering::Relaxed);
                    barrier.wait();
                    barrier.wait();
                }
            });
            for round in 1..=ROUNDS {
                barrier.wait();
                pause(round * 7);
                asleep.store(true, Ordering::Relaxed);
                fence(Ordering::SeqCst);
                let saw_item = match round % 2 {
                    0 => !queue.is_empty(),
                    _ => !matches!(sleeper.steal(req), Steal::Empty),
                };
                barrier.wait();
                // Asserted at the end, so that the other thread is not left at the barrier.
                if !saw_item && !saw_sleeper.load(Ordering::Relaxed) {
                    missed.push(round);
                }
                asleep.store(false, Ordering::Relaxed);
                while let Steal::Item { .. } = sleeper.steal(req) {
                    pop_all(&mut sleeper);
                }
                barrier.wait();
            }
        });
    });
    assert_eq!(missed, [], "neither saw the other in these rounds");
    assert!(queue.is_empty());
    ledger.assert_no_leak();
}

/// An owner that pushes and pops, thieves, and a thread that injects.
struct Load {
    capacity: usize,
    pushed: usize,
    injected: usize,
    /// What each thief takes, in percent; 0 is one item.
    thieves: &'static [u8],
}

const LOADS: [Load; 6] = [
    Load { capacity: 256, pushed: 30_000, injected: 3_000, thieves: &[50, 50, 50] },
    // Rings of every deque grow while thieves take one item or many.
    Load { capacity: 256, pushed: 100_000, injected: 0, thieves: &[0, 75] },
    // Bounded queues overflow at any time, or at none.
    Load { capacity: 0, pushed: 20_000, injected: 0, thieves: &[75] },
    Load { capacity: 1, pushed: 20_000, injected: 0, thieves: &[75] },
    Load { capacity: 2, pushed: 20_000, injected: 0, thieves: &[75] },
    Load { capacity: 1024, pushed: 20_000, injected: 0, thieves: &[75] },
];

pub(crate) fn owner_and_thieves_share_without_loss<B: Backend<Item>>() {
    LOADS.iter().for_each(|load| guarded(B::NAME, || share_without_loss::<B>(load)));
}

fn share_without_loss<B: Backend<Item>>(load: &Load) {
    // Few under Miri, which is slow.
    let scale = if cfg!(miri) { 100 } else { 1 };
    let (pushed, injected) = (load.pushed / scale, load.injected / scale);
    let ledger = Ledger::new(star(pushed + injected));
    let cfg = QueueConfig { capacity: load.capacity, ..QueueConfig::default() };
    let (queue, ends) = B::build(1 + load.thieves.len(), &cfg);
    let mut ends = ends.into_iter().map(Counted::new);
    let mut owner = ends.next().expect("one end per worker");
    let (left, stats) = (AtomicUsize::new(pushed + injected), Mutex::new(QueueStats::default()));
    let take = |item: Item| {
        item.record();
        left.fetch_sub(1, Ordering::Relaxed);
    };
    thread::scope(|scope| {
        for (mut end, &share) in ends.zip(load.thieves) {
            let (left, stats, take) = (&left, &stats, &take);
            scope.spawn(move || {
                while left.load(Ordering::Relaxed) > 0 {
                    match end.steal(StealRequest { amount: percent(share), start: 0 }) {
                        Steal::Item { item, .. } => take(item),
                        Steal::Empty | Steal::Contended => thread::yield_now(),
                    }
                    iter::from_fn(|| end.pop()).take(3).for_each(take);
                }
                *stats.lock().unwrap() += end.stats();
            });
        }
        scope.spawn(|| {
            for i in 1..=injected / 10 {
                let batch = (i * 10 - 9)..=(i * 10);
                queue.inject(&mut batch.map(|k| ledger.item(pushed + k)).collect());
            }
        });
        for i in (0..pushed).step_by(5) {
            owner.push(ledger.item(i + 1));
            owner.push(ledger.item(i + 2));
            owner.push_batch(&mut (i + 3..=i + 5).map(|k| ledger.item(k)).collect());
            owner.pop().into_iter().for_each(take);
            if i % 1000 == 0 {
                iter::from_fn(|| owner.pop()).for_each(take);
            }
        }
        iter::from_fn(|| owner.pop()).for_each(take);
        *stats.lock().unwrap() += owner.stats();
    });
    ledger.assert_ran(1..=pushed + injected);
    let stats = stats.into_inner().unwrap();
    assert_eq!(stats.pushed, pushed as u64);
    assert_eq!(stats.pushed + injected as u64, stats.popped + stats.steals);
    assert!(queue.is_empty());
    ledger.assert_no_leak();
}
