//! `Event`: park on a futex, wake the worker that a [`WakeChoice`] picks, one wake-up in flight.
//!
//! Three policies share this protocol and its proof: `biased-event` wakes the lowest index,
//! `fifo-event` the longest sleeper, `biased-chain` the next worker above the waker. The steps that
//! publishers and sleepers of all policies make are in [`IdlePolicy`].
//!
//! # State
//!
//! All state is one 64-bit word. Bits 0 to 55 are the *parked mask*: bit *i* is set from the moment
//! worker *i* announces that it parks until it or a waker clears the bit. Bits 56 to 63 count the
//! *searchers*, workers without an item that are looking for one. Workers in neither are busy.
//!
//! ```text
//!             search_begin: +S            park: +bit −S, fence, re-check
//!      busy ──────────────────> searching ───────────────────────────────> announced
//!       ^                        │     ^                             found │   │ nothing
//!       ├──── search_end: −S ────┘     │                              −bit │   v
//!       │     (the last one: duty)     └─────── waker: −bit +S ────────────┼─ parked
//!       └──────────────────────────────────────────────────────────────────┘
//! ```
//!
//! A waker clears one bit and counts the woken worker as a searcher in the same compare-and-swap,
//! before that worker even runs. From then on every publisher sees a searcher and wakes no other
//! worker: one wake-up in flight, no thundering herd.
//!
//! The [`WakeChoice`] decides which bit. The proof below needs only this: if a waker sees a bit and
//! no searcher, *some* bit is cleared and its owner counted. A waker picks from the word it swaps,
//! and picks again if the swap fails, so this holds for every choice, even one based on stale
//! hints. No worker can be stranded, because every waker can wake every parked worker.
//!
//! # No wake-up is lost
//!
//! A publisher and a worker that parks each do the following, in this order:
//!
//! ```text
//! publisher                         sleeper
//!   P1 push the item                  S1 set own bit, leave the searchers (one RMW)
//!   P2 fence(SeqCst)                  S2 fence(SeqCst)
//!   P3 read the word                  S3 re-check: look into every queue
//! ```
//!
//! This is Dekker's argument: all `SeqCst` fences are in one total order. If P2 comes first, S3
//! sees the item. If S2 comes first, P3 sees the word as S1 left it, or later: with the bit, unless
//! a third party has cleared it and thereby woken the sleeper, which will search again. Either way
//! a worker that is awake knows of the item. The queue may use any orderings inside, because the
//! fences carry the argument. Only fences are `SeqCst`, never accesses: that is what the argument
//! needs, and what loom can check.
//!
//! A publisher also wakes no worker if P3 shows a searcher. Then the searcher has inherited the
//! duty to wake. There are three cases:
//!
//! * It finds *this* item. Nothing is left to do.
//! * It finds another item and is the *last* searcher. It leaves (RMW), fences, and if any queue
//!   still holds an item it wakes one more worker. The publisher saw it searching, so P3 precedes
//!   its RMW, so P2 precedes its fence, so it sees the item. If it is not the last searcher, the
//!   same holds for the one that is.
//! * It finds nothing. Then it does S1 to S3, and P3 saw the word before S1, so P2 precedes S2 and
//!   S3 sees the item.
//!
//! So each steal that leaves something behind wakes the next worker, and the number of awake
//! workers doubles in each round instead of growing by one.
//!
//! The end of a run needs no fence on its side because it can afford a write: the worker that ends
//! the run stores the reason and then swaps the word (`wake_all`, Release), whether or not workers
//! are parked. A sleeper's S1 comes before that swap, which then sees the bit; or after it, and
//! then S2 makes the sleeper see the reason, the first thing it checks in S3.
//!
//! # An item found in the re-check
//!
//! The worker clears its own bit. If the bit is already clear, a waker has picked this worker
//! meanwhile: it is counted as a searcher and a park token is on its way. The worker ends that
//! search like any other. The token makes a later `park` return at once, which is harmless: `sleep`
//! loops until the own bit is clear, which also absorbs spurious returns of std's `park`.
//!
//! # A backlog that may wait
//!
//! With [`IdleConfig::backlog`] a producer also wakes no worker if P3 shows that some worker is
//! awake and few items wait (`producer_published`). That worker has not announced itself yet, so
//! its S2 comes after P2, and its re-check, if no earlier sweep, finds the item. So no item is
//! stranded; it waits for as long as all awake workers are busy.
//!
//! # Bounds
//!
//! `search_begin` admits at most half of the workers that are not parked, because searchers cost
//! working threads time. Workers that were never started are not parked either, so the bound is
//! loose while there are extra workers. A worker that is turned away goes on to the re-check, so
//! the proof does not depend on the bound.
//!
//! The models in `idle/model.rs` check all of this.

use crossbeam_utils::CachePadded;

use crate::config::IdleConfig;
use crate::idle::policy::{IdlePolicy, Sleeper, Wake};
use crate::idle::wake_choice::WakeChoice;
use crate::idle::watchdog::{MAX_SLEEP, Watchdog};
use crate::sync::{AtomicU64, AtomicUsize, Ordering, Parker, fence};

/// The most workers a crew can have: each has one bit in a word that also counts the searchers.
pub const MAX_WORKERS: usize = 56;

/// One searcher, in the bits above the mask.
const ONE_SEARCHER: u64 = 1 << MAX_WORKERS;
const PARKED_MASK: u64 = ONE_SEARCHER - 1;

/// Parks on a futex and wakes the worker that `C` picks. The head of the file has the protocol.
pub struct Event<C> {
    word: CachePadded<AtomicU64>,
    choice: C,
    parkers: Box<[CachePadded<Parker>]>,
    /// Workers with a running thread. If the system refused a worker its thread, it never parks,
    /// and is no reason to let items wait.
    entered: AtomicUsize,
    /// [`IdleConfig::backlog`].
    backlog: usize,
}

fn searchers(word: u64) -> u64 {
    word >> MAX_WORKERS
}

fn parked(word: u64) -> u64 {
    word & PARKED_MASK
}

impl<C: WakeChoice> IdlePolicy for Event<C> {
    const NAME: &'static str = C::NAME;

    fn new(workers: usize, cfg: &IdleConfig) -> Event<C> {
        assert!(
            workers <= MAX_WORKERS,
            "{workers} workers, but there are {MAX_WORKERS} bits for them"
        );
        Event {
            word: CachePadded::new(AtomicU64::new(0)),
            choice: C::new(workers),
            parkers: (0..workers).map(|_| CachePadded::default()).collect(),
            entered: AtomicUsize::new(0),
            backlog: cfg.backlog,
        }
    }

    fn enter(&self, me: usize) {
        self.parkers[me].adopt();
        // Ordering: Relaxed, see `producer_published`.
        self.entered.fetch_add(1, Ordering::Relaxed);
    }

    fn producer_published(&self, backlog: usize) -> Wake {
        // Ordering: P2, as in `published`.
        fence(Ordering::SeqCst);
        if backlog < self.backlog {
            // Ordering: Relaxed, P3. A stale count of entered workers wakes one too many.
            let entered = self.entered.load(Ordering::Relaxed);
            let asleep = parked(self.word.load(Ordering::Relaxed)).count_ones() as usize;
            if asleep < entered {
                return Wake::NotNeeded;
            }
        }
        self.wake_one(None)
    }

    fn search_begin(&self, _: usize) -> bool {
        let admitted = |word| {
            let awake = self.parkers.len() as u64 - u64::from(parked(word).count_ones());
            (searchers(word) < (awake / 2).max(1)).then_some(word + ONE_SEARCHER)
        };
        // Ordering: Relaxed, a bound on effort. A publisher that sees the count relies on the
        // fences in `search_end` or `park`.
        self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admitted).is_ok()
    }

    fn wake_all(&self) {
        let woken =
            |word| (word & !PARKED_MASK) + u64::from(parked(word).count_ones()) * ONE_SEARCHER;
        // Ordering: Release pairs with S2 and with the Acquire load in `sleep`: a worker that parks
        // after this swap, or is woken by it, sees why the run ended. So the swap is made even if
        // no worker is parked. All changes of the word are read-modify-writes, so that later ones
        // continue the release sequence. Relaxed in the load, as in `wake_one`.
        let swap =
            self.word.fetch_update(Ordering::Release, Ordering::Relaxed, |word| Some(woken(word)));
        let (Ok(before) | Err(before)) = swap;
        let sleeping = (0..self.parkers.len()).filter(|i| parked(before) & (1 << i) != 0);
        sleeping.for_each(|i| self.parkers[i].unpark());
    }

    fn word(&self) -> &AtomicU64 {
        &self.word
    }

    fn searcher(&self) -> u64 {
        ONE_SEARCHER
    }

    /// Wakes the worker that the choice picks, unless some worker is searching.
    fn wake_one(&self, waker: Option<usize>) -> Wake {
        // Ordering: Relaxed, the caller's fence comes before this load (P2 and P3).
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            if searchers(word) > 0 {
                return Wake::NotNeeded;
            }
            if parked(word) == 0 {
                return Wake::NoneParked;
            }
            let chosen = self.choice.pick(parked(word), waker);
            debug_assert!(word & (1 << chosen) != 0, "worker {chosen} is not parked");
            let next = (word & !(1 << chosen)) + ONE_SEARCHER;
            // Ordering: Release pairs with the Acquire load in `sleep`: the woken worker sees what
            // the waker has seen.
            match self.word.compare_exchange_weak(word, next, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => {
                    self.parkers[chosen].unpark();
                    return Wake::Sent;
                }
                Err(now) => word = now,
            }
        }
    }

    fn announcement(&self, me: usize) -> u64 {
        self.choice.parking(me);
        1 << me
    }

    /// Sleeps until the bit of worker `me` is clear.
    fn sleep(&self, me: usize, sleeper: &dyn Sleeper) {
        let bit = 1 << me;
        let mut watchdog = Watchdog::new();
        loop {
            // Ordering: Acquire pairs with the Release swaps in `wake_one` and `wake_all`.
            let word = self.word.load(Ordering::Acquire);
            if word & bit == 0 {
                return;
            }
            watchdog.look(me, word, searchers(word) == 0, sleeper);
            self.parkers[me].park(MAX_SLEEP);
        }
    }

    fn retract(&self, me: usize) -> bool {
        let bit = 1 << me;
        // Ordering: Acquire pairs with the waker's Release, as in `sleep`.
        self.word.fetch_and(!bit, Ordering::Acquire) & bit == 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicUsize};
    use std::thread;

    use super::*;
    use crate::idle::policy::{ParkEnd, Recheck};
    use crate::idle::wake_choice::LowestIndex;
    use crate::lab::{LongestParked, NextAbove};

    /// Finds nothing until the run is over, and counts the re-checks.
    struct FindsNothing<'a> {
        over: &'a AtomicBool,
        looks: &'a AtomicUsize,
    }

    impl Sleeper for FindsNothing<'_> {
        fn recheck(&mut self) -> Recheck {
            self.looks.fetch_add(1, Ordering::Release);
            if self.over.load(Ordering::Acquire) { Recheck::Stopped } else { Recheck::Nothing }
        }

        fn work_visible(&self) -> bool {
            false
        }
    }

    /// Parks workers 5, 2, 4 and 3 of eight in this order, lets each of `wakers` wake one, and
    /// returns the woken workers. Each parks again before the next is woken.
    fn woken<C: WakeChoice>(wakers: &[Option<usize>]) -> Vec<usize> {
        let event = Event::<C>::new(8, &IdleConfig::default());
        let (over, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
        let woken = Mutex::new(Vec::new());
        let live = |me: usize| {
            event.enter(me);
            let mut sleeper = FindsNothing { over: &over, looks: &looks };
            while event.park(me, false, &mut sleeper) == ParkEnd::Woken {
                if over.load(Ordering::Acquire) {
                    return;
                }
                woken.lock().unwrap().push(me);
                event.search_end(me, &mut || false);
            }
        };
        // A worker re-checks after it has taken its stamp and announced that it parks.
        let wait_for = |count: usize| {
            while looks.load(Ordering::Acquire) < count {
                thread::yield_now();
            }
        };
        thread::scope(|scope| {
            for (already, me) in [5, 2, 4, 3].into_iter().enumerate() {
                scope.spawn(move || live(me));
                wait_for(already + 1);
            }
            assert_eq!(parked(event.word.load(Ordering::Acquire)), 0b11_1100);
            assert!(event.has_idle_workers());
            let unneeded = event.published(Some(0), 1, false);
            assert_eq!(unneeded, Wake::NotNeeded, "the owner takes it itself");
            for (already, &waker) in wakers.iter().enumerate() {
                assert_eq!(event.published(waker, 1, true), Wake::Sent);
                wait_for(5 + already);
            }
            over.store(true, Ordering::Release);
            event.wake_all();
        });
        woken.into_inner().unwrap()
    }

    #[test]
    fn each_choice_wakes_the_worker_it_promises() {
        let wakers = [None, Some(2), Some(3), Some(5), Some(7), Some(0)];
        assert_eq!(woken::<LowestIndex>(&wakers), [2, 2, 2, 2, 2, 2]);
        assert_eq!(woken::<LongestParked>(&wakers), [5, 2, 4, 3, 5, 2]);
        assert_eq!(woken::<NextAbove>(&wakers), [2, 3, 4, 2, 2, 2]);
    }

    /// Each worker of a chain that finds work wakes the next one above while there is more; then
    /// the chain wraps.
    #[test]
    fn backlog_climbs_the_chain() {
        assert_eq!(woken::<NextAbove>(&[None, Some(2), Some(3), Some(4)]), [2, 3, 4, 5]);
        assert_eq!(woken::<NextAbove>(&[Some(4), Some(5), Some(6)]), [5, 2, 2]);
    }

    #[test]
    fn a_backlog_waits_only_for_workers_that_are_awake() {
        let cfg = IdleConfig { backlog: 3, ..IdleConfig::default() };
        let event = Event::<LowestIndex>::new(3, &cfg);
        assert_eq!(
            event.producer_published(1),
            Wake::NoneParked,
            "no worker has started, so none will come"
        );
        event.enter(0);
        event.enter(1);
        assert_eq!(event.producer_published(1), Wake::NotNeeded, "two are awake");
        // Worker 1 sleeps, worker 0 is awake; worker 2 was never started.
        event.word.store(0b10, Ordering::Relaxed);
        assert_eq!(event.producer_published(2), Wake::NotNeeded);
        assert_eq!(event.producer_published(3), Wake::Sent, "the backlog is at its limit");
        event.word.store(0b11, Ordering::Relaxed);
        assert_eq!(event.producer_published(1), Wake::Sent, "all are asleep");
    }

    #[test]
    fn one_searcher_is_enough() {
        let event = Event::<LowestIndex>::new(4, &IdleConfig::default());
        assert!(!event.has_idle_workers());
        assert_eq!(event.published(None, 9, true), Wake::NoneParked);
        assert!(event.reserve_search() && !event.reserve_search());
        assert_eq!(event.published(None, 9, true), Wake::NotNeeded, "a worker is searching");
        assert!(event.search_begin(1), "two of four may search");
        assert!(!event.search_begin(2));
        assert_eq!(event.search_end(1, &mut || true), Wake::NotNeeded, "not the last");
        assert_eq!(event.search_end(0, &mut || true), Wake::NoneParked);
        assert!(!event.has_idle_workers());
    }
}
