//! Which of several sleepers is woken: all in which the event policies differ.
//!
//! A choice is a matter of speed and never of correctness. [`Event`](crate::Event) clears the
//! chosen bit with a compare-and-swap on the word the choice was made from, so a choice made from
//! news that has grown old wakes a worker that is parked all the same, only perhaps not the one
//! that ought to be.

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU64, Ordering};

/// Picks the worker to be woken.
pub trait WakeChoice: Send + Sync {
    /// The name of the policy with this choice.
    const NAME: &'static str;

    /// For workers `0..workers`.
    fn new(workers: usize) -> Self;

    /// Worker `me` is about to announce that it will sleep.
    fn parking(&self, me: usize) {
        let _ = me;
    }

    /// One of the workers whose bits are set in `parked`; at least one bit is. `waker` is the
    /// worker that wakes, `None` a producer.
    fn pick(&self, parked: u64, waker: Option<usize>) -> usize;
}

/// The lowest index.
///
/// It keeps few cores warm instead of many lukewarm. Rayon has the same bias by scanning for a
/// sleeper from worker 0.
pub struct LowestIndex;

impl WakeChoice for LowestIndex {
    const NAME: &'static str = "biased-event";

    fn new(_: usize) -> LowestIndex {
        LowestIndex
    }

    fn pick(&self, parked: u64, _: Option<usize>) -> usize {
        parked.trailing_zeros() as usize
    }
}

/// The one that has slept longest: no bias, what a channel does whose blocked receivers queue up.
///
/// Each worker takes a stamp from a counter before it announces that it will sleep. Nothing orders
/// the stamp before the announcement, for a stamp is a hint.
pub struct LongestParked {
    next: CachePadded<AtomicU64>,
    stamps: Box<[CachePadded<AtomicU64>]>,
}

impl WakeChoice for LongestParked {
    const NAME: &'static str = "fifo-event";

    fn new(workers: usize) -> LongestParked {
        LongestParked {
            next: CachePadded::new(AtomicU64::new(1)),
            stamps: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
        }
    }

    fn parking(&self, me: usize) {
        // Ordering: Relaxed, the modification order of the counter is all that is wanted.
        let stamp = self.next.fetch_add(1, Ordering::Relaxed);
        // Ordering: Relaxed, a hint for `pick`.
        self.stamps[me].store(stamp, Ordering::Relaxed);
    }

    fn pick(&self, parked: u64, _: Option<usize>) -> usize {
        let asleep = (0..self.stamps.len()).filter(|i| parked & (1 << i) != 0);
        // Ordering: Relaxed, a hint from `parking`.
        let oldest = asleep.min_by_key(|&i| self.stamps[i].load(Ordering::Relaxed));
        oldest.unwrap_or(parked.trailing_zeros() as usize)
    }
}

/// The next one above the waker, which for a producer is worker 0: backlog climbs up a chain.
///
/// This is rocallahan's biased work queue (`biased-work-queues`, 2021), in which worker *i* wakes
/// *i* + 1 when it has found more than it can carry. There only *i* may wake *i* + 1, so that
/// everybody above a worker with a long item, or with none, sleeps on whatever the backlog. Here
/// the chain skips workers that are awake and begins anew at the bottom, so that nobody is
/// stranded.
pub struct NextAbove;

impl WakeChoice for NextAbove {
    const NAME: &'static str = "biased-chain";

    fn new(_: usize) -> NextAbove {
        NextAbove
    }

    fn pick(&self, parked: u64, waker: Option<usize>) -> usize {
        let first = waker.map_or(0, |me| me + 1);
        let above = parked & (u64::MAX << first);
        let next = if above == 0 { parked } else { above };
        next.trailing_zeros() as usize
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_whoever_wakes() {
        let choice = LowestIndex::new(56);
        for waker in [None, Some(0), Some(3), Some(55)] {
            assert_eq!(choice.pick(0b10110, waker), 1);
            assert_eq!(choice.pick(1 << 55, waker), 55);
        }
    }

    #[test]
    fn the_one_that_parked_first() {
        let choice = LongestParked::new(56);
        for me in [4, 55, 1, 2] {
            choice.parking(me);
        }
        let all = 1 << 55 | 0b10110;
        assert_eq!(choice.pick(all, Some(0)), 4);
        assert_eq!(choice.pick(all & !(1 << 4), None), 55);
        choice.parking(4);
        assert_eq!(choice.pick(all, None), 55, "worker 4 has been awake in between");
        assert_eq!(choice.pick(0b10010, None), 1);
        assert_eq!(choice.pick(1, None), 0, "it never said it would park, but there it is");
    }

    #[test]
    fn the_next_one_above_and_then_from_the_bottom() {
        let choice = NextAbove::new(56);
        assert_eq!(choice.pick(0b10111, None), 0, "producers begin at the bottom");
        assert_eq!(choice.pick(0b10111, Some(0)), 1);
        assert_eq!(choice.pick(0b10111, Some(2)), 4, "worker 3 is awake");
        assert_eq!(choice.pick(0b10111, Some(4)), 0, "nobody is parked above");
        assert_eq!(choice.pick(0b00110, Some(55)), 1);
        assert_eq!(choice.pick(1 << 55, Some(54)), 55);
    }
}
