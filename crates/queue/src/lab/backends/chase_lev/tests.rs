//! What is particular to these deques: rings that grow, boxes, borrowed items.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::ends::{Ends, FIRST_CAPACITY};
use super::*;
use crate::config::StealAmount;

fn ends(workers: usize) -> Ends<Box<usize>> {
    deques(workers, &Collector::default())
}

fn pops(end: &mut OwnerEnd<Box<usize>>) -> Vec<usize> {
    iter::from_fn(|| end.pop()).map(|item| *item).collect()
}

/// Steals the oldest item of worker 0.
fn steals(end: &mut OwnerEnd<Box<usize>>) -> usize {
    let Taken::Item(Stolen { item, moved: 0 }) = end.steal(0, 1) else { panic!("no item") };
    *item
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
            assert_eq!(steals(&mut ends[1]), oldest);
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
        assert_eq!(steals(&mut ends[1]), i);
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
