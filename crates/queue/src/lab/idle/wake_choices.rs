//! The wake choices that are not the default.

use crossbeam_utils::CachePadded;

use crate::idle::WakeChoice;
use crate::sync::{AtomicU64, Ordering};

/// Wakes the worker that has been parked longest: no bias, as in a channel where blocked receivers
/// queue up.
///
/// Each worker takes a stamp from a counter before it announces that it parks. Nothing orders the
/// stamp before the announcement, because a stamp is only a hint.
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
        // Ordering: Relaxed, only the modification order of the counter matters.
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

/// Wakes the next parked worker above the waker, wrapping around; a producer starts at worker 0.
/// Backlog climbs up a chain of workers.
///
/// After rocallahan's biased work queues (2021). Unlike there, the chain skips workers that are
/// awake and wraps, so that no worker is stranded.
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
    fn picks_the_worker_that_parked_first() {
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
        assert_eq!(choice.pick(1, None), 0, "parked without a stamp");
    }

    #[test]
    fn picks_the_next_one_above_and_then_wraps() {
        let choice = NextAbove::new(56);
        assert_eq!(choice.pick(0b10111, None), 0, "producers begin at the bottom");
        assert_eq!(choice.pick(0b10111, Some(0)), 1);
        assert_eq!(choice.pick(0b10111, Some(2)), 4, "worker 3 is awake");
        assert_eq!(choice.pick(0b10111, Some(4)), 0, "no worker is parked above");
        assert_eq!(choice.pick(0b00110, Some(55)), 1);
        assert_eq!(choice.pick(1 << 55, Some(54)), 55);
    }
}
