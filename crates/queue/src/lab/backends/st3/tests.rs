//! What is particular to rings: exact overflow, exact shares, thieves at work.

use std::iter;
use std::num::NonZeroU8;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;
use crate::config::StealAmount;
use crate::counted::Counted;
use crate::report::QueueStats;

const HALF: StealRequest = StealRequest { amount: StealAmount::HALF, start: 0 };

fn share(percent: u8) -> StealRequest {
    StealRequest { amount: StealAmount::Percent(NonZeroU8::new(percent).unwrap()), start: 0 }
}

fn build<R: Ring<u32>>(
    workers: usize,
    capacity: usize,
) -> (Rings<u32, R>, Vec<RingWorker<u32, R>>) {
    Rings::build(workers, &QueueConfig { capacity, ..QueueConfig::default() })
}

fn pops<R: Ring<u32>>(end: &mut RingWorker<u32, R>) -> Vec<u32> {
    iter::from_fn(|| end.pop()).collect()
}

/// Empties the injector, oldest first.
fn injected<R: Ring<u32>>(queue: &Rings<u32, R>) -> Vec<u32> {
    iter::from_fn(|| queue.0.injector.steal().success()).collect()
}

/// Runs a generic test for both flavours.
macro_rules! for_both {
    ($($case:ident),+ $(,)?) => {
        mod lifo {
            $(#[test] fn $case() { super::$case::<st3::lifo::Worker<u32>>(); })+
        }
        mod fifo {
            $(#[test] fn $case() { super::$case::<st3::fifo::Worker<u32>>(); })+
        }
    };
}

for_both!(
    a_full_ring_gives_its_oldest_half_away,
    a_thief_at_work_leaves_the_ring_alone,
    a_batch_beyond_the_room_overflows_exactly,
    overflow_counts_as_surplus,
    every_share_is_taken_whole,
    the_smallest_and_a_large_ring_lose_nothing,
    a_busy_ring_is_neither_stolen_from_nor_called_empty,
    a_thief_with_items_takes_one,
    injected_items_keep_their_order,
    emptiness_is_seen_without_taking_anything,
);

fn in_order<R: Ring<u32>>(mut oldest_first: Vec<u32>) -> Vec<u32> {
    if R::ORDER == PopOrder::NewestFirst {
        oldest_first.reverse();
    }
    oldest_first
}

fn a_full_ring_gives_its_oldest_half_away<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(1, 4);
    (0..4).for_each(|i| ends[0].push(i));
    assert_eq!(ends[0].overflowed(), 0);
    ends[0].push(4);
    assert_eq!(ends[0].overflowed(), 2, "half of the ring and not the new item");
    assert_eq!(injected(&queue), [0, 1]);
    assert_eq!(pops(&mut ends[0]), in_order::<R>(vec![2, 3, 4]));
}

/// The thief, which has booked items and not finished, is st3's own `Drain`, half-way.
fn a_thief_at_work_leaves_the_ring_alone<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(1, 4);
    (0..4).for_each(|i| ends[0].push(i));
    let end = &ends[0];
    let mut sent = 0;
    let mut stolen = vec![];
    let done = end.own.drain_into(
        |_| 2,
        |item| {
            if stolen.is_empty() {
                // The ring is full, since what the thief copies still takes up its room.
                sent += end.store(4);
                sent += end.store_all(&mut vec![5, 6]);
                assert_eq!(end.own.len(), 1, "a lower bound of the two left");
            }
            stolen.push(item);
        },
    );
    assert!(done.is_ok());
    assert_eq!((sent, &stolen[..]), (3, &[0, 1][..]), "only the new ones, one by one");
    assert_eq!(injected(&queue), [4, 5, 6]);
    assert_eq!(pops(&mut ends[0]), in_order::<R>(vec![2, 3]));
    // Now there is room again.
    assert_eq!(ends[0].store(7), 0);
    assert_eq!(pops(&mut ends[0]), [7]);
}

fn a_batch_beyond_the_room_overflows_exactly<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(1, 4);
    let mut end = Counted::new(ends.remove(0));
    end.push(0);
    end.push_batch(&mut vec![1, 2, 3, 4, 5]);
    assert_eq!(end.stats(), QueueStats { pushed: 6, overflowed: 2, ..QueueStats::default() });
    assert_eq!(injected(&queue), [4, 5]);
    let kept = if R::ORDER == PopOrder::NewestFirst { [1, 2, 3, 0] } else { [0, 1, 2, 3] };
    assert_eq!(
        iter::from_fn(|| end.pop()).collect::<Vec<_>>(),
        kept,
        "the first of the batch is the first popped of it"
    );
}

fn overflow_counts_as_surplus<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(2, 1);
    ends[0].push_batch(&mut vec![0, 1, 2]);
    assert_eq!(ends[0].surplus(), 3, "one in the ring, two in the injector");
    assert_eq!(pops(&mut ends[0]), [0]);
    assert_eq!(ends[0].surplus(), 2);
    assert_eq!(injected(&queue), [1, 2]);
    assert_eq!(ends[0].surplus(), 0);
}

fn every_share_is_taken_whole<R: Ring<u32>>() {
    for capacity in [64, 1024] {
        for (percent, taken) in [(25, 15), (50, 30), (75, 45), (100, 60)] {
            let (_queue, mut ends) = build::<R>(2, capacity);
            (0..60).for_each(|i| ends[0].push(i));
            let Steal::Item { item, moved, more } = ends[1].steal(share(percent)) else {
                panic!("there is something to steal and no contention");
            };
            assert_eq!((item + 1, moved + 1), (taken, taken as usize), "{percent} %");
            assert!(more);
            assert_eq!(pops(&mut ends[1]), in_order::<R>((0..item).collect()));
            assert_eq!(pops(&mut ends[0]), in_order::<R>((taken..60).collect()));
        }
    }
}

/// Every pushed item comes out once, through the ring or the injector, with a thief at work.
fn the_smallest_and_a_large_ring_lose_nothing<R: Ring<u32>>() {
    const ITEMS: u32 = 20_000;
    for capacity in [0, 1, 2, 1024] {
        let (queue, mut ends) = build::<R>(2, capacity);
        let (mut thief, done) = (ends.remove(1), AtomicBool::new(false));
        let owner = &mut ends[0];
        let (mut seen, stolen) = thread::scope(|scope| {
            let thief = scope.spawn(|| {
                let mut seen = Vec::new();
                loop {
                    let last = done.load(Ordering::Acquire);
                    match thief.steal(share(75)) {
                        Steal::Item { item, .. } => seen.push(item),
                        Steal::Empty if last => return seen,
                        Steal::Empty | Steal::Contended => thread::yield_now(),
                    }
                    seen.extend(pops(&mut thief));
                }
            });
            let mut seen = Vec::new();
            for i in (0..ITEMS).step_by(4) {
                owner.push(i);
                owner.push_batch(&mut vec![i + 1, i + 2, i + 3]);
                seen.extend(owner.pop());
                if i % 1000 == 0 {
                    seen.extend(pops(owner));
                }
            }
            done.store(true, Ordering::Release);
            seen.extend(pops(owner));
            (seen, thief.join().unwrap())
        });
        seen.extend(stolen);
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..ITEMS), "capacity {capacity}");
        assert!(queue.is_empty());
    }
}

fn a_busy_ring_is_neither_stolen_from_nor_called_empty<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(2, 4);
    (0..2).for_each(|i| ends[0].push(i));
    let mut thief = Counted::new(ends.remove(1));
    let mut looks = 0;
    // Both items are booked, so nothing is left, but a second thief cannot know.
    let done = ends[0].own.drain_into(
        |len| len,
        |item| {
            if item == 0 {
                assert!(matches!(thief.steal(HALF), Steal::Contended));
                assert!(!queue.is_empty());
                looks += 1;
            }
        },
    );
    assert_eq!((done, looks), (Ok(()), 1));
    assert!(matches!(thief.steal(HALF), Steal::Empty));
    assert!(queue.is_empty());
    let stats = QueueStats { contended: 1, empty: 1, ..QueueStats::default() };
    assert_eq!(thief.stats(), stats);
}

/// If it took more, older items would come behind newer ones.
fn a_thief_with_items_takes_one<R: Ring<u32>>() {
    let (_queue, mut ends) = build::<R>(2, 16);
    (0..8).for_each(|i| ends[0].push(i));
    ends[1].push(100);
    assert!(matches!(ends[1].steal(share(100)), Steal::Item { item: 0, moved: 0, more: true }));
    assert_eq!(pops(&mut ends[1]), [100]);
}

fn injected_items_keep_their_order<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(1, 256);
    queue.inject(&mut (0..200).collect());
    let mut taken = 0;
    for expected in [100, 50, 25] {
        // More than crossbeam moves at once.
        let found = ends[0].steal(HALF);
        assert!(matches!(found, Steal::Item { item, .. } if item == taken), "{found:?}");
        assert!(pops(&mut ends[0]).into_iter().eq(taken + 1..taken + expected));
        taken += expected;
    }
    // No more than the ring has room for.
    let (queue, mut ends) = build::<R>(1, 2);
    queue.inject(&mut (0..200).collect());
    assert!(matches!(ends[0].steal(HALF), Steal::Item { item: 0, moved: 2, more: true }));
    assert_eq!((pops(&mut ends[0]), ends[0].overflowed()), (vec![1, 2], 0));
}

fn emptiness_is_seen_without_taking_anything<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(3, 8);
    assert!(queue.is_empty());
    (0..3).for_each(|i| ends[2].push(i));
    for left in (0..3).rev() {
        assert!(!queue.is_empty() && !queue.is_empty());
        assert!(ends[2].pop().is_some());
        assert_eq!(ends[2].surplus(), left);
    }
    assert!(queue.is_empty());
    // Stolen items are seen at the thief.
    (0..4).for_each(|i| ends[0].push(i));
    assert!(matches!(ends[1].steal(share(100)), Steal::Item { moved: 3, .. }));
    assert_eq!((ends[0].surplus(), ends[1].surplus()), (0, 3));
    assert!(!queue.is_empty());
    assert_eq!(pops(&mut ends[1]).len(), 3);
    assert!(queue.is_empty());
}
