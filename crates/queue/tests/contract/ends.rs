//! The ends of a queue: the owner's order, the thieves' shares, every item popped or dropped once.

use std::collections::HashSet;
use std::num::NonZeroU8;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Barrier, Mutex};
use std::thread;

use heist_queue::{
    Backend, Counted, PopOrder, QueueConfig, QueueStats, Steal, StealAmount, StealRequest,
    WorkerQueue,
};

use crate::guard::guarded;
use crate::tree::{Item, Ledger, star};

/// Amounts from the least to everything.
fn amounts() -> impl Iterator<Item = StealAmount> {
    let shares = [1, 25, 50, 75, 100].into_iter().filter_map(NonZeroU8::new);
    shares.map(StealAmount::Percent).chain([StealAmount::One])
}

fn build<B: Backend<Item>>(workers: usize, amount: StealAmount) -> (B, Vec<B::Worker>) {
    B::build(workers, &QueueConfig { amount, ..QueueConfig::default() })
}

fn nodes(items: impl IntoIterator<Item = Item>) -> Vec<usize> {
    items.into_iter().map(|item| item.node).collect()
}

fn pop_all(end: &mut impl WorkerQueue<Item>) -> Vec<usize> {
    nodes(std::iter::from_fn(|| end.pop()))
}

/// Backends whose owners push into a shared store and pop only what a steal has fetched from there.
const POPS_ONLY_WHAT_WAS_FETCHED: &[&str] = &["biased"];

/// All items of an end, in the order in which its owner would run them. If the owner has to fetch
/// them first, all items of the queue.
fn run_all<B: Backend<Item>>(end: &mut B::Worker) -> Vec<usize> {
    let mut seen = pop_all(end);
    if POPS_ONLY_WHAT_WAS_FETCHED.contains(&B::NAME) {
        assert_eq!(seen, [], "nothing has been fetched yet");
        let req = StealRequest { amount: StealAmount::HALF, start: 0 };
        while let Steal::Item { item, .. } = end.steal(req) {
            seen.push(item.node);
            seen.extend(pop_all(end));
        }
    }
    seen
}

pub(crate) fn a_batch_pops_in_its_order<B: Backend<Item>>() {
    let ledger = Ledger::new(star(8));
    let (_queue, mut ends) = build::<B>(1, StealAmount::HALF);
    let mut batch: Vec<Item> = (1..4).map(|i| ledger.item(i)).collect();
    ends[0].push_batch(&mut batch);
    assert!(batch.is_empty(), "the batch is left empty");
    let mut batch: Vec<Item> = (4..7).map(|i| ledger.item(i)).collect();
    ends[0].push_batch(&mut batch);
    assert_eq!(ends[0].surplus(), 6);
    let expected = match B::ORDER {
        PopOrder::NewestFirst => [4, 5, 6, 1, 2, 3],
        PopOrder::OldestFirst => [1, 2, 3, 4, 5, 6],
    };
    assert_eq!(run_all::<B>(&mut ends[0]), expected);
    assert_eq!(ends[0].surplus(), 0);
}

pub(crate) fn an_owner_pops_in_the_declared_order<B: Backend<Item>>() {
    let ledger = Ledger::new(star(8));
    let (_queue, mut ends) = build::<B>(2, StealAmount::HALF);
    (1..4).for_each(|i| ends[1].push(ledger.item(i)));
    // A single item joins a batch like a batch of one.
    ends[1].push_batch(&mut vec![ledger.item(4), ledger.item(5)]);
    ends[1].push(ledger.item(6));
    let expected = match B::ORDER {
        PopOrder::NewestFirst => [6, 4, 5, 3, 2, 1],
        PopOrder::OldestFirst => [1, 2, 3, 4, 5, 6],
    };
    assert_eq!(run_all::<B>(&mut ends[1]), expected);
}

pub(crate) fn a_steal_takes_no_more_than_requested<B: Backend<Item>>() {
    for amount in amounts() {
        for len in [1, 2, 3, 10, 63, 64, 65, 200] {
            let ledger = Ledger::new(star(len));
            let (queue, mut ends) = build::<B>(3, amount);
            (1..=len).for_each(|i| ends[0].push(ledger.item(i)));
            let Steal::Item { item, moved, more } =
                ends[2].steal(StealRequest { amount, start: 0 })
            else {
                panic!("{amount:?} of {len} found nothing without contention");
            };
            assert!(moved < amount.take(len), "{amount:?} of {len} took {}", 1 + moved);
            assert_eq!(more, len > 1);
            let mut seen = vec![item.node];
            drop(item);
            let thiefs = pop_all(&mut ends[2]);
            assert!(thiefs.len() >= moved, "{moved} items moved, {} arrived", thiefs.len());
            seen.extend(thiefs);
            seen.extend(run_all::<B>(&mut ends[0]));
            seen.sort_unstable();
            assert!(seen.into_iter().eq(1..=len), "{amount:?} of {len} lost or duplicated an item");
            assert!(queue.is_empty());
            ledger.assert_no_leak();
        }
    }
}

pub(crate) fn one_item_can_be_stolen_at_any_share<B: Backend<Item>>() {
    for amount in amounts() {
        let ledger = Ledger::new(star(1));
        let (_queue, mut ends) = build::<B>(2, amount);
        ends[0].push(ledger.item(1));
        let stolen = ends[1].steal(StealRequest { amount, start: 0 });
        assert!(
            matches!(stolen, Steal::Item { moved: 0, more: false, .. }),
            "{amount:?}: {}",
            name(&stolen)
        );
    }
}

fn name(outcome: &Steal<Item>) -> &'static str {
    match outcome {
        Steal::Item { .. } => "an item",
        Steal::Empty => "empty",
        Steal::Contended => "contended",
    }
}

pub(crate) fn injected_items_are_found_by_all<B: Backend<Item>>() {
    let ledger = Ledger::new(star(100));
    let (queue, mut ends) = build::<B>(3, StealAmount::HALF);
    assert!(queue.is_empty());
    let mut batch: Vec<Item> = (1..=100).map(|i| ledger.item(i)).collect();
    queue.inject(&mut batch);
    assert!(batch.is_empty() && !queue.is_empty());
    let mut seen = HashSet::new();
    let req = StealRequest { amount: StealAmount::HALF, start: 0 };
    // Each end in turn, so that each finds something. What moved to an end is popped there.
    for turn in 0.. {
        let end = &mut ends[turn % 3];
        let Steal::Item { item, .. } = end.steal(req) else {
            break;
        };
        assert!(seen.insert(item.node));
        pop_all(end).into_iter().for_each(|node| assert!(seen.insert(node)));
    }
    assert_eq!(seen.len(), 100);
    assert!(queue.is_empty());
}

pub(crate) fn empty_queues_are_reported_and_counted<B: Backend<Item>>() {
    let (queue, mut ends) = build::<B>(2, StealAmount::HALF);
    let mut end = Counted::new(ends.remove(0));
    let req = StealRequest { amount: StealAmount::HALF, start: 1 };
    assert!(queue.is_empty());
    assert!(end.pop().is_none());
    assert!(matches!(end.steal(req), Steal::Empty));
    assert_eq!(end.stats(), QueueStats { empty: 1, ..QueueStats::default() });
}

pub(crate) fn leftovers_are_dropped_with_the_queue<B: Backend<Item>>() {
    let ledger = Ledger::new(star(1000));
    let (queue, mut ends) = build::<B>(2, StealAmount::HALF);
    (1..600).for_each(|i| ends[i % 2].push(ledger.item(i)));
    queue.inject(&mut (600..=1000).map(|i| ledger.item(i)).collect());
    drop((queue, ends));
    ledger.assert_no_leak();
}

/// A publisher pushes, fences and reads a flag; a sleeper sets the flag, fences and looks for
/// items. At least one of them has to see what the other did, whichever way the sleeper looks.
pub(crate) fn a_push_is_seen_across_fences<B: Backend<Item>>() {
    const ROUNDS: usize = 600;
    let ledger = Ledger::new(star(ROUNDS));
    let (queue, mut ends) = build::<B>(2, StealAmount::HALF);
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

/// One owner that pushes and pops, three thieves, and a thread that injects.
pub(crate) fn owner_and_thieves_share_without_loss<B: Backend<Item>>() {
    const PUSHED: usize = 30_000;
    const INJECTED: usize = 3_000;
    let ledger = Ledger::new(star(PUSHED + INJECTED));
    let (queue, mut ends) = build::<B>(4, StealAmount::HALF);
    let (left, stats) = (AtomicUsize::new(PUSHED + INJECTED), Mutex::new(QueueStats::default()));
    let sum = AtomicU64::new(0);
    let take = |item: Item| {
        item.record();
        sum.fetch_add(item.node as u64, Ordering::Relaxed);
        left.fetch_sub(1, Ordering::Relaxed);
    };
    let owner = ends.remove(0);
    guarded(B::NAME, || {
        thread::scope(|scope| {
            for end in ends {
                let mut end = Counted::new(end);
                let (left, stats, take) = (&left, &stats, &take);
                scope.spawn(move || {
                    while left.load(Ordering::Relaxed) > 0 {
                        match end.steal(StealRequest { amount: StealAmount::HALF, start: 0 }) {
                            Steal::Item { item, .. } => take(item),
                            Steal::Empty | Steal::Contended => thread::yield_now(),
                        }
                        std::iter::from_fn(|| end.pop()).take(3).for_each(take);
                    }
                    *stats.lock().unwrap() += end.stats();
                });
            }
            scope.spawn(|| {
                for i in 1..=INJECTED / 10 {
                    let batch = (i * 10 - 9)..=(i * 10);
                    queue.inject(&mut batch.map(|k| ledger.item(PUSHED + k)).collect());
                }
            });
            let mut owner = Counted::new(owner);
            for i in 1..=PUSHED {
                owner.push(ledger.item(i));
                if i % 3 == 0 {
                    owner.pop().into_iter().for_each(take);
                }
            }
            std::iter::from_fn(|| owner.pop()).for_each(take);
            *stats.lock().unwrap() += owner.stats();
        });
    });
    let all = (PUSHED + INJECTED) as u64;
    assert_eq!(sum.into_inner(), all * (all + 1) / 2);
    let stats = stats.into_inner().unwrap();
    assert_eq!(stats.pushed, PUSHED as u64);
    assert_eq!(stats.pushed + INJECTED as u64, stats.popped + stats.steals);
    ledger.assert_no_leak();
}
