//! `Poll1ms`: no worker is woken; an idle worker sweeps again every millisecond.
//!
//! This is how ripgrep's walker waits (PR 2591, and the stack before it). It needs no protocol and
//! cannot lose a wake-up. But an idle worker uses the processor a thousand times a second while any
//! other is busy, and work waits half a millisecond on average for an idle worker.
//!
//! One number counts the workers without an item, napping or searching. Publishers need it only to
//! decide whether to start a further thread, so the only thing that could go wrong is the duty of
//! the last searcher, to have one started if there is work left. Two fences prevent that, as in
//! `Event`: a publisher that saw a searcher is ordered before that searcher leaves, and the leaving
//! worker sees its items.

use std::time::Duration;

use crossbeam_utils::CachePadded;

use crate::config::IdleConfig;
use crate::idle::{IdlePolicy, SearchBudget, Sleeper, Wake};
use crate::sync::{AtomicU64, Ordering, nap};

/// How long an idle worker naps between two sweeps.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Sweeps again every millisecond. The head of the file compares this with parking.
pub struct Poll1ms {
    idle: CachePadded<AtomicU64>,
}

impl IdlePolicy for Poll1ms {
    const NAME: &'static str = "poll-1ms";

    fn new(_: usize, _: &IdleConfig) -> Poll1ms {
        Poll1ms { idle: CachePadded::new(AtomicU64::new(0)) }
    }

    fn budget(&self, _: usize, _: usize) -> SearchBudget {
        SearchBudget { sweeps: 1, yields: 0 }
    }

    /// Does nothing: workers check for the end of the run whenever they search.
    fn wake_all(&self) {}

    fn word(&self) -> &AtomicU64 {
        &self.idle
    }

    fn searcher(&self) -> u64 {
        1
    }

    /// Whether a publisher should start a thread.
    fn wake_one(&self, _: Option<usize>) -> Wake {
        // Ordering: Relaxed, the caller's fence comes before this load.
        match self.idle.load(Ordering::Relaxed) {
            0 => Wake::NoneParked,
            _ => Wake::NotNeeded,
        }
    }

    /// A napping worker counts as a searcher.
    fn announcement(&self, _: usize) -> u64 {
        1
    }

    fn sleep(&self, _: usize, _: &dyn Sleeper) {
        nap(POLL_INTERVAL);
    }

    fn retract(&self, _: usize) -> bool {
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::idle::{ParkEnd, Recheck};

    struct Sees(Recheck);

    impl Sleeper for Sees {
        fn recheck(&mut self) -> Recheck {
            self.0
        }

        fn work_visible(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_napping_worker_counts_as_a_searcher() {
        let policy = Poll1ms::new(2, &IdleConfig::default());
        assert!(!policy.has_idle_workers());
        assert_eq!(policy.published(None, 9, true), Wake::NoneParked);
        assert_eq!(policy.park(0, false, &mut Sees(Recheck::Nothing)), ParkEnd::Woken);
        assert!(policy.has_idle_workers() && !policy.reserve_search());
        assert_eq!(
            policy.published(None, 9, true),
            Wake::NotNeeded,
            "the worker will search by itself"
        );
        assert_eq!(policy.park(0, true, &mut Sees(Recheck::Nothing)), ParkEnd::Woken);
        let end = policy.park(0, true, &mut Sees(Recheck::Found));
        assert_eq!(end, ParkEnd::Found { searching: true });
        assert_eq!(policy.search_end(0, &mut || true), Wake::NoneParked, "the last one's duty");
        assert!(!policy.has_idle_workers());
    }

    #[test]
    fn a_worker_that_returns_is_not_counted() {
        let policy = Poll1ms::new(2, &IdleConfig::default());
        assert_eq!(policy.park(0, false, &mut Sees(Recheck::Stopped)), ParkEnd::Stopped);
        assert!(!policy.has_idle_workers());
        assert!(policy.reserve_search() && policy.search_begin(1), "any number may search");
        assert_eq!(policy.search_end(1, &mut || true), Wake::NotNeeded, "not the last");
        assert_eq!(policy.search_end(0, &mut || false), Wake::NotNeeded, "nothing left");
        assert_eq!(policy.published(Some(0), 1, false), Wake::NotNeeded, "its owner takes it");
    }
}
