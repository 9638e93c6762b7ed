//! What is particular to rings: thieves at work.

use std::iter;

use super::*;
use crate::config::StealAmount;
use crate::counted::Counted;
use crate::report::QueueStats;

const STEAL_HALF: StealRequest = StealRequest { amount: StealAmount::HALF, start: 0 };

fn build<R: Ring<u32>>(workers: usize) -> (Rings<u32, R>, Vec<RingWorker<u32, R>>) {
    Rings::build(workers, &QueueConfig { capacity: 4, ..QueueConfig::default() })
}

fn pops<R: Ring<u32>>(end: &mut RingWorker<u32, R>) -> Vec<u32> {
    iter::from_fn(|| end.pop()).collect()
}

#[test]
fn a_thief_at_work_leaves_the_ring_alone() {
    thief_at_work::<st3::lifo::Worker<u32>>(&[3, 2]);
    thief_at_work::<st3::fifo::Worker<u32>>(&[2, 3]);
}

#[test]
fn a_busy_ring_is_neither_stolen_from_nor_called_empty() {
    busy_ring::<st3::lifo::Worker<u32>>();
    busy_ring::<st3::fifo::Worker<u32>>();
}

/// The thief, which has booked items and not finished, is st3's own `Drain`, half-way.
fn thief_at_work<R: Ring<u32>>(left: &[u32]) {
    let (queue, mut ends) = build::<R>(1);
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
    let injected: Vec<u32> = iter::from_fn(|| queue.0.injector.steal().success()).collect();
    assert_eq!(injected, [4, 5, 6]);
    assert_eq!(pops(&mut ends[0]), left);
    // Now there is room again.
    assert_eq!(ends[0].store(7), 0);
    assert_eq!(pops(&mut ends[0]), [7]);
}

fn busy_ring<R: Ring<u32>>() {
    let (queue, mut ends) = build::<R>(2);
    (0..2).for_each(|i| ends[0].push(i));
    let mut thief = Counted::new(ends.remove(1));
    let mut looks = 0;
    // Both items are booked, so nothing is left, but a second thief cannot know.
    let done = ends[0].own.drain_into(
        |len| len,
        |item| {
            if item == 0 {
                assert!(matches!(thief.steal(STEAL_HALF), Steal::Contended));
                assert!(!queue.is_empty());
                looks += 1;
            }
        },
    );
    assert_eq!((done, looks), (Ok(()), 1));
    assert!(matches!(thief.steal(STEAL_HALF), Steal::Empty));
    assert!(queue.is_empty());
    let stats = QueueStats { contended: 1, empty: 1, ..QueueStats::default() };
    assert_eq!(thief.stats(), stats);
}
