//! The contract of the ends, on one thread and on several; small enough for Miri.

use std::num::NonZeroU8;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::ends::{Ends, FIRST_CAPACITY};
use super::*;
use crate::config::StealAmount;

fn ends(workers: usize) -> Ends<Box<usize>> {
    deques(workers, &Collector::default())
}

fn pops(end: &mut OwnerEnd<Box<usize>>) -> Vec<usize> {
    iter::from_fn(|| end.pop()).map(|item| *item).collect()
}

/// The items of one steal: the one to run, then the rest in the order of popping.
fn steals(end: &mut OwnerEnd<Box<usize>>, victim: usize, most: usize) -> Vec<usize> {
    let Taken::Item(Stolen { item, moved }) = end.steal(victim, most) else {
        return Vec::new();
    };
    let rest = pops(end);
    assert_eq!(rest.len(), moved);
    iter::once(*item).chain(rest).collect()
}

#[test]
fn owners_pop_the_newest_and_thieves_take_the_oldest() {
    let (all, mut ends) = ends(2);
    assert!(all.is_empty() && ends[0].pop().is_none() && steals(&mut ends[1], 0, 5).is_empty());
    (0..8).for_each(|i| ends[0].push(Box::new(i)));
    assert_eq!((all.len(0), all.len(1)), (8, 0));
    assert_eq!(steals(&mut ends[1], 0, 1), [0]);
    assert_eq!(steals(&mut ends[1], 0, 4), [4, 3, 2, 1]);
    assert_eq!(pops(&mut ends[0]), [7, 6, 5]);
    assert!(all.is_empty());
    // An empty deque is as good as new.
    ends[0].push(Box::new(8));
    assert_eq!(steals(&mut ends[1], 0, 9), [8]);
    assert!(ends[0].pop().is_none());
}

#[test]
fn rings_grow_and_wrap() {
    let (_all, mut ends) = ends(2);
    let (mut next, mut oldest) = (0, 0);
    // The front advances between growths, so that items wrap around in rings of all sizes.
    for round in 1..=4 {
        for _ in 0..FIRST_CAPACITY * round {
            ends[0].push(Box::new(next));
            next += 1;
        }
        for _ in 0..FIRST_CAPACITY / 2 {
            assert_eq!(steals(&mut ends[1], 0, 1), [oldest]);
            oldest += 1;
        }
    }
    let left: Vec<usize> = (oldest..next).rev().collect();
    assert!(left.len() > 4 * FIRST_CAPACITY);
    assert_eq!(pops(&mut ends[0]), left);
}

#[test]
fn a_ring_that_never_holds_much_stays_small() {
    let (_all, mut ends) = ends(2);
    for i in 0..10 * FIRST_CAPACITY {
        ends[0].push(Box::new(i));
        ends[0].push(Box::new(i));
        assert_eq!(steals(&mut ends[1], 0, 1), [i]);
        assert_eq!(pops(&mut ends[0]), [i]);
    }
    assert_eq!(ends[0].capacity(), FIRST_CAPACITY as u64);
}

/// Items may borrow, because a retired ring does not touch them.
#[test]
fn items_are_dropped_once_and_may_borrow() {
    struct Counts<'a>(&'a AtomicUsize);
    impl Drop for Counts<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let dropped = AtomicUsize::new(0);
    {
        let (_queue, mut ends) = ChaseLev::build(2, &QueueConfig::default());
        (0..3 * FIRST_CAPACITY).for_each(|_| ends[0].push(Counts(&dropped)));
        let req = StealRequest { amount: StealAmount::HALF, start: 0 };
        assert!(matches!(ends[1].steal(req), Steal::Item { .. }));
        drop((ends[0].pop(), ends[1].pop()));
        assert_eq!(dropped.load(Ordering::Relaxed), 3);
    }
    assert_eq!(dropped.load(Ordering::Relaxed), 3 * FIRST_CAPACITY);
}

#[test]
fn items_without_size_are_counted_all_the_same() {
    let (_all, mut ends) = deques(2, &Collector::default());
    (0..FIRST_CAPACITY + 1).for_each(|_| ends[0].push(()));
    assert!(matches!(ends[1].steal(0, 3), Taken::Item(Stolen { moved: 2, .. })));
    assert_eq!(iter::from_fn(|| ends[0].pop()).count(), FIRST_CAPACITY - 2);
}

#[test]
fn shares_of_any_size_come_in_one_steal() {
    for (percent, taken) in [(1, 1), (50, 4), (75, 6), (100, 8)] {
        let amount = NonZeroU8::new(percent).map_or(StealAmount::One, StealAmount::Percent);
        let (queue, mut ends) = ChaseLev::build(2, &QueueConfig::default());
        (0..8).for_each(|i| ends[0].push(i));
        let stolen = ends[1].steal(StealRequest { amount, start: 0 });
        let Steal::Item { item, moved, .. } = stolen else {
            panic!("there is something to steal");
        };
        assert_eq!((item + 1, moved + 1), (taken, taken), "{percent}% of 8");
        drop(queue);
    }
}

#[test]
fn injected_items_are_popped_oldest_first() {
    let (queue, mut ends) = ChaseLev::build(2, &QueueConfig::default());
    queue.inject(&mut (0..8).collect());
    let req = StealRequest { amount: StealAmount::HALF, start: 0 };
    // The injector's compare-and-swaps may fail spuriously, which Miri makes them do.
    let mut sweeps = iter::from_fn(|| Some(ends[1].steal(req)));
    let stolen = sweeps.find(|outcome| !matches!(outcome, Steal::Contended));
    let Some(Steal::Item { item: 0, moved, more: true }) = stolen else {
        panic!("the oldest is first: {stolen:?}");
    };
    assert!(if cfg!(miri) { moved <= 3 } else { moved == 3 }, "{moved} moved");
    assert!(iter::from_fn(|| ends[1].pop()).eq(1..=moved));
}

#[test]
fn the_last_good_victim_comes_first() {
    let (_queue, mut ends) = ChaseLev::build(3, &QueueConfig::default());
    let req = StealRequest { amount: StealAmount::One, start: 0 };
    ends[1].push(10);
    assert!(matches!(ends[2].steal(req), Steal::Item { item: 10, .. }));
    ends[0].push(0);
    ends[1].push(11);
    assert!(matches!(ends[2].steal(req), Steal::Item { item: 11, .. }));
    assert!(matches!(ends[2].steal(req), Steal::Item { item: 0, .. }));
}

/// Several thieves and one owner whose ring grows meanwhile take each item once.
#[test]
fn threads_share_each_item_once() {
    const THIEVES: usize = 2;
    const ITEMS: usize = if cfg!(miri) { 300 } else { 100_000 };
    let (_all, mut ends) = ends(1 + THIEVES);
    let runs: Vec<AtomicUsize> = (0..ITEMS).map(|_| AtomicUsize::new(0)).collect();
    let left = AtomicUsize::new(ITEMS);
    let record = |item: usize| {
        assert_eq!(runs[item].fetch_add(1, Ordering::Relaxed), 0, "item {item} was taken twice");
        left.fetch_sub(1, Ordering::Relaxed);
    };
    let mut owner = ends.remove(0);
    thread::scope(|scope| {
        for (mut end, most) in ends.into_iter().zip([1, 16]) {
            let (left, record) = (&left, &record);
            scope.spawn(move || {
                while left.load(Ordering::Relaxed) > 0 {
                    match end.steal(0, most) {
                        Taken::Item(stolen) => record(*stolen.item),
                        Taken::Empty | Taken::Lost => thread::yield_now(),
                    }
                    pops(&mut end).into_iter().for_each(record);
                }
            });
        }
        for item in 0..ITEMS {
            owner.push(Box::new(item));
            if item % 3 == 0 {
                owner.pop().into_iter().for_each(|item| record(*item));
            }
        }
        pops(&mut owner).into_iter().for_each(record);
    });
    assert_eq!(left.into_inner(), 0);
}
