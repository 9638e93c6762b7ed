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
use crate::idle::{IdlePolicy, ParkEnd, Recheck, SearchBudget, Sleeper, Wake};
use crate::sync::{AtomicUsize, Ordering, fence, nap};

/// How long an idle worker naps between two sweeps.
const NAP: Duration = Duration::from_millis(1);

/// Sweeps again every millisecond. The head of the file compares this with parking.
pub struct Poll1ms {
    idle: CachePadded<AtomicUsize>,
}

impl Poll1ms {
    /// Whether a publisher should start a thread. The caller has made a fence.
    fn wake(&self) -> Wake {
        // Ordering: Relaxed, the caller's fence comes before this load.
        match self.idle.load(Ordering::Relaxed) {
            0 => Wake::NoneParked,
            _ => Wake::NotNeeded,
        }
    }

    fn leave(&self) -> usize {
        // Ordering: Relaxed, `search_end` has a fence after it; elsewhere this is a hint.
        self.idle.fetch_sub(1, Ordering::Relaxed)
    }
}

impl IdlePolicy for Poll1ms {
    const NAME: &'static str = "poll-1ms";

    fn new(_: usize, _: &IdleConfig) -> Poll1ms {
        Poll1ms { idle: CachePadded::new(AtomicUsize::new(0)) }
    }

    fn enter(&self, _: usize) {}

    fn budget(&self, _: usize, _: usize) -> SearchBudget {
        SearchBudget { sweeps: 1, yields: 0 }
    }

    fn published(&self, _: Option<usize>, surplus: usize, owner_busy: bool) -> Wake {
        if surplus < if owner_busy { 1 } else { 2 } {
            return Wake::NotNeeded;
        }
        // Ordering: pairs with the fence in `search_end`.
        fence(Ordering::SeqCst);
        self.wake()
    }

    fn reserve_search(&self) -> bool {
        // Ordering: Relaxed, only the count matters. Spawning the thread orders everything else.
        self.idle.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn search_begin(&self, _: usize) -> bool {
        // Ordering: Relaxed, a publisher that sees the count relies on `search_end`.
        self.idle.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn search_end(&self, _: usize, work_left: &mut dyn FnMut() -> bool) -> Wake {
        if self.leave() > 1 {
            return Wake::NotNeeded;
        }
        // Ordering: pairs with the fence in `published`. A publisher that saw this worker idle is
        // ordered before it.
        fence(Ordering::SeqCst);
        if work_left() { self.wake() } else { Wake::NotNeeded }
    }

    /// Takes one nap. The worker remains counted, so it is a searcher when it returns.
    fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd {
        // This policy admits every searcher.
        let counted = searching || self.search_begin(me);
        debug_assert!(counted);
        match sleeper.recheck() {
            Recheck::Nothing => {
                nap(NAP);
                ParkEnd::Woken
            }
            Recheck::Found => ParkEnd::Found { searching: true },
            Recheck::Stopped => {
                self.leave();
                ParkEnd::Stopped
            }
        }
    }

    /// Does nothing: workers check for the end of the run whenever they search.
    fn wake_all(&self) {}

    fn has_idle_workers(&self) -> bool {
        // Ordering: Relaxed, a hint.
        self.idle.load(Ordering::Relaxed) != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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
