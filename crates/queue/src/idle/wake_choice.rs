//! Which of several parked workers is woken: the only difference between the event policies.
//!
//! A choice affects speed, never correctness. [`Event`](crate::Event) clears the chosen bit with a
//! compare-and-swap on the word that the choice was made from, so even a choice made from stale
//! hints wakes a worker that is parked, only perhaps not the preferred one.

/// Picks the worker to be woken.
pub trait WakeChoice: Send + Sync {
    /// The name of the policy with this choice.
    const NAME: &'static str;

    /// A choice among workers `0..workers`.
    fn new(workers: usize) -> Self;

    /// Called before worker `me` announces that it parks.
    fn parking(&self, me: usize) {
        let _ = me;
    }

    /// Returns one of the workers that `parked` has a bit for. At least one bit is set. `waker` is
    /// the worker that wakes, or `None` for a producer.
    fn pick(&self, parked: u64, waker: Option<usize>) -> usize;
}

/// Wakes the lowest index, which keeps few cores warm instead of many lukewarm. rayon has the same
/// bias: it scans for a sleeper from worker 0.
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn picks_the_lowest_index_whichever_worker_wakes() {
        let choice = LowestIndex::new(56);
        for waker in [None, Some(0), Some(3), Some(55)] {
            assert_eq!(choice.pick(0b10110, waker), 1);
            assert_eq!(choice.pick(1 << 55, waker), 55);
        }
    }
}
