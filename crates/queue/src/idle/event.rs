//! `Event`: sleep on a futex, wake whom a [`WakeChoice`] picks, one wake-up in flight.
//!
//! Three policies share this protocol and its proof: `biased-event` wakes the lowest index,
//! `fifo-event` the longest sleeper, `biased-chain` the next one above the waker.
//!
//! # State
//!
//! One 64-bit word says everything. Bits 0 to 55 are the *parked mask*: bit *i* is set from the
//! moment worker *i* announces that it will sleep until somebody, it or a waker, clears it. Bits 56
//! to 63 count the *searchers*: workers without an item who are looking for one. Workers in neither
//! are busy.
//!
//! ```text
//!             search_begin: +S            park: +bit −S, fence, look again
//!      busy ──────────────────> searching ───────────────────────────────> announced
//!       ^                        │     ^                             found │   │ nothing
//!       ├──── search_end: −S ────┘     │                              −bit │   v
//!       │     (last one: duty)         └─────── waker: −bit +S ────────────┼─ parked
//!       └──────────────────────────────────────────────────────────────────┘
//! ```
//!
//! A waker clears one set bit and counts the woken worker as a searcher in the same
//! compare-and-swap, before the worker even runs. So from that moment every publisher sees a
//! searcher and wakes nobody else: one wake-up in flight, no herd.
//!
//! Which bit is the [`WakeChoice`]'s business and nobody else's. The proof below asks for one thing: if
//! a waker sees a bit and no searcher, *some* bit is cleared and its owner is counted. A waker
//! picks from the word it swaps, and picks again when the swap fails, so this holds for all
//! choices, even one that knows only old news of who has slept how long. And nobody can be
//! stranded: whoever is parked can be woken by whoever wakes.
//!
//! # No wake-up is lost
//!
//! A publisher and a worker going to sleep do, each in this order:
//!
//! ```text
//! publisher                         sleeper
//!   P1 push the item                  S1 set own bit, leave the searchers (one RMW)
//!   P2 fence(SeqCst)                  S2 fence(SeqCst)
//!   P3 read the word                  S3 look into every queue
//! ```
//!
//! This is Dekker's argument: all `SeqCst` fences are in one total order. If P2 comes first, S3
//! sees the item. If S2 comes first, P3 sees the word as S1 left it, or later: the bit, unless a
//! third party has cleared it and so has woken the sleeper, who will look again. Either way
//! somebody awake knows of the item. The queue may use any orderings inside; the fences carry the
//! argument. Only fences are `SeqCst`, never accesses, because that is what the argument needs, and
//! what loom can check.
//!
//! A publisher also wakes nobody when P3 sees a searcher. Then the searcher has inherited the duty:
//!
//! * it finds *this* item: good;
//! * it finds another one and is the *last* searcher: it leaves (RMW), fences, and if any queue
//!   still holds something it wakes one more worker. The publisher saw it searching, so P3 precedes
//!   its RMW, so P2 precedes its fence, so it sees the item. Not the last: the same holds for the
//!   one who is;
//! * it finds nothing: it is S above, and P3 saw the word before S1, so P2 precedes S2 and S3 sees
//!   the item.
//!
//! So each steal that leaves something behind wakes the next worker, and the number of awake
//! workers doubles in each round instead of growing by one.
//!
//! The end of a run needs no fence on its side, because it does not mind a write: whoever ends it
//! stores why and then swaps the word (`wake_all`, Release), parked workers or not. A sleeper's S1
//! comes before the swap, which then sees the bit; or after it, and then S2 makes it see why (the
//! first thing in its second look).
//!
//! # Found something in the second look
//!
//! The worker clears its own bit. If it is already clear, a waker has picked this worker meanwhile:
//! it is counted as a searcher and has a park token on its way. It ends that search like any other.
//! The token makes a later `park` return at once, which is harmless: sleeping is a loop until the
//! own bit is clear, and this also absorbs the returns without reason that std allows.
//!
//! # A backlog that may wait
//!
//! With [`IdleConfig::backlog`] a producer also wakes nobody when P3 shows that some worker is awake
//! and few items wait (`fed`). That worker has not announced itself yet, so its S2 comes after P2,
//! and the look before it sleeps, if no earlier one, finds the item. So nothing is stranded; it only
//! waits for as long as all who are awake are busy.
//!
//! # Bounds
//!
//! `search_begin` lets at most half of the workers search that are not parked, for searchers cost those who work. Workers
//! who have never been started are not parked either, so the bound is a loose one while there is a reserve.
//! A worker it turns away goes to the second look directly, so nothing depends on it.
//!
//! Models of all this run under loom, see `tests/loom.rs`.

use crossbeam_utils::CachePadded;

use crate::idle::choice::WakeChoice;
use crate::idle::watchdog::{NAP, Watchdog};
use crate::idle::{IdleConfig, IdlePolicy, ParkEnd, Recheck, Sleeper, Wake};
use crate::sync::{AtomicU64, AtomicUsize, Ordering, Parker, fence};

/// The most workers one crew can have: there is one bit for each beside the count of searchers.
pub const MAX_WORKERS: usize = 56;

/// One searcher, in the bits above the mask.
const SEARCHER: u64 = 1 << MAX_WORKERS;
const MASK: u64 = SEARCHER - 1;

/// Sleeps on a futex and wakes whom `C` picks. The module's head has the protocol.
pub struct Event<C> {
    word: CachePadded<AtomicU64>,
    choice: C,
    parkers: Box<[CachePadded<Parker>]>,
    /// Workers whose thread runs. Those the system refused never park, and are no reason to let
    /// items wait.
    entered: AtomicUsize,
    /// [`IdleConfig::backlog`].
    backlog: usize,
}

fn searchers(word: u64) -> u64 {
    word >> MAX_WORKERS
}

fn parked(word: u64) -> u64 {
    word & MASK
}

impl<C: WakeChoice> Event<C> {
    /// Wakes a parked worker unless somebody is searching. `waker`: `None` is a producer.
    fn wake_one(&self, waker: Option<usize>) -> Wake {
        // Ordering: Relaxed, the fence of the caller comes before this load (P2 and P3 in the
        // head).
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
            let next = (word & !(1 << chosen)) + SEARCHER;
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

    /// Sleeps until the own bit is clear.
    fn sleep(&self, me: usize, sleeper: &dyn Sleeper) {
        let bit = 1 << me;
        let mut watchdog = Watchdog::new();
        loop {
            // Ordering: Acquire pairs with the Release of the waker's swap in `wake_one` and
            // `wake_all`.
            let word = self.word.load(Ordering::Acquire);
            if word & bit == 0 {
                return;
            }
            watchdog.look(me, word, searchers(word) == 0, sleeper);
            self.parkers[me].park(NAP);
        }
    }
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
        // Ordering: Relaxed, see `fed`.
        self.entered.fetch_add(1, Ordering::Relaxed);
    }

    fn published(&self, me: Option<usize>, surplus: usize, owner_busy: bool) -> Wake {
        let worth_it = if owner_busy { 1 } else { 2 };
        if surplus < worth_it {
            return Wake::NotNeeded;
        }
        // Ordering: P2 in the head, against S2 in `park` and the fence in `search_end`.
        fence(Ordering::SeqCst);
        self.wake_one(me)
    }

    fn producer_published(&self, backlog: usize) -> Wake {
        // Ordering: P2 in the head, as in `published`.
        fence(Ordering::SeqCst);
        if backlog < self.backlog {
            // Ordering: Relaxed, P3 in the head. A count of those who have entered that is behind
            // wakes one too many.
            let entered = self.entered.load(Ordering::Relaxed);
            let asleep = parked(self.word.load(Ordering::Relaxed)).count_ones() as usize;
            if asleep < entered {
                return Wake::NotNeeded;
            }
        }
        self.wake_one(None)
    }

    fn reserve_search(&self) -> bool {
        // Ordering: Relaxed, only the count matters. The new thread sees everything through its
        // being spawned.
        self.word.compare_exchange(0, SEARCHER, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn search_begin(&self, _: usize) -> bool {
        // Ordering: Relaxed, a bound on effort. A publisher who sees the count relies on
        // `search_end` or `park`.
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let awake = self.parkers.len() as u64 - u64::from(parked(word).count_ones());
            if searchers(word) >= (awake / 2).max(1) {
                return false;
            }
            let next = word + SEARCHER;
            match self.word.compare_exchange_weak(word, next, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    fn search_end(&self, me: usize, work_left: &mut dyn FnMut() -> bool) -> Wake {
        // Ordering: Relaxed, the fence below orders the leaving before the look.
        let before = self.word.fetch_sub(SEARCHER, Ordering::Relaxed);
        if searchers(before) > 1 {
            return Wake::NotNeeded;
        }
        // Ordering: against P2 in `published`. A publisher that saw this worker searching is
        // ordered before it.
        fence(Ordering::SeqCst);
        if work_left() { self.wake_one(Some(me)) } else { Wake::NotNeeded }
    }

    fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd {
        let bit: u64 = 1 << me;
        self.choice.parking(me);
        let leave = if searching { SEARCHER } else { 0 };
        // Own bit is clear and, if searching, the count is not zero: the sum changes these two
        // fields and no other.
        // Ordering: S1 in the head; Relaxed, since the fence orders it.
        self.word.fetch_add(bit.wrapping_sub(leave), Ordering::Relaxed);
        // Ordering: S2 in the head, against P2 in `published` and the fence in `wake_all`.
        fence(Ordering::SeqCst);
        let seen = sleeper.recheck();
        if seen == Recheck::Nothing {
            self.sleep(me, sleeper);
            return ParkEnd::Woken;
        }
        // Ordering: Acquire pairs with the waker's Release, as in `sleep`.
        let before = self.word.fetch_and(!bit, Ordering::Acquire);
        let searching = before & bit == 0;
        if seen == Recheck::Found {
            return ParkEnd::Found { searching };
        }
        if searching {
            // Ordering: Relaxed, the run is over and the count is kept for the sake of order.
            self.word.fetch_sub(SEARCHER, Ordering::Relaxed);
        }
        ParkEnd::Stopped
    }

    fn wake_all(&self) {
        // Ordering: Relaxed, as in `wake_one`.
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let sleeping = parked(word);
            let next = (word & !MASK) + u64::from(sleeping.count_ones()) * SEARCHER;
            // Ordering: Release pairs with S2, and with the Acquire load in `sleep`: who goes to
            // sleep after this swap, or wakes through it, sees why the run ended. So it is done
            // even if nobody is parked. All changes of the word are read-modify-writes, so that
            // later ones pass it on.
            match self.word.compare_exchange_weak(word, next, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => {
                    let all = 0..self.parkers.len();
                    all.filter(|i| sleeping & (1 << i) != 0).for_each(|i| self.parkers[i].unpark());
                    return;
                }
                Err(now) => word = now,
            }
        }
    }

    fn has_idle_workers(&self) -> bool {
        // Ordering: Relaxed, a hint.
        self.word.load(Ordering::Relaxed) != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicUsize};
    use std::thread;

    use super::*;
    use crate::idle::choice::{LongestParked, LowestIndex, NextAbove};

    /// Sees nothing until the run is over, and counts the looks.
    struct Bored<'a> {
        over: &'a AtomicBool,
        looks: &'a AtomicUsize,
    }

    impl Sleeper for Bored<'_> {
        fn recheck(&mut self) -> Recheck {
            self.looks.fetch_add(1, Ordering::Release);
            if self.over.load(Ordering::Acquire) { Recheck::Stopped } else { Recheck::Nothing }
        }

        fn work_visible(&self) -> bool {
            false
        }
    }

    /// Puts workers 5, 2, 4 and 3 of eight to sleep in this order, has `wakers` wake one each, and
    /// says who was woken. Each goes back to sleep before the next is woken.
    fn woken<C: WakeChoice>(wakers: &[Option<usize>]) -> Vec<usize> {
        let event = Event::<C>::new(8, &IdleConfig::default());
        let (over, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
        let woken = Mutex::new(Vec::new());
        let live = |me: usize| {
            event.enter(me);
            let mut bored = Bored { over: &over, looks: &looks };
            while event.park(me, false, &mut bored) == ParkEnd::Woken {
                if over.load(Ordering::Acquire) {
                    return;
                }
                woken.lock().unwrap().push(me);
                event.search_end(me, &mut || false);
            }
        };
        // Who has looked has announced its sleep, stamp and all.
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
    fn the_choice_is_what_it_says() {
        let wakers = [None, Some(2), Some(3), Some(5), Some(7), Some(0)];
        assert_eq!(woken::<LowestIndex>(&wakers), [2, 2, 2, 2, 2, 2]);
        assert_eq!(woken::<LongestParked>(&wakers), [5, 2, 4, 3, 5, 2]);
        assert_eq!(woken::<NextAbove>(&wakers), [2, 3, 4, 2, 2, 2]);
    }

    /// Whoever finds something in a chain wakes the next one above, as long as there is more, and
    /// then the chain begins anew.
    #[test]
    fn backlog_climbs_the_chain() {
        assert_eq!(woken::<NextAbove>(&[None, Some(2), Some(3), Some(4)]), [2, 3, 4, 5]);
        assert_eq!(woken::<NextAbove>(&[Some(4), Some(5), Some(6)]), [5, 2, 2]);
    }

    #[test]
    fn a_backlog_waits_only_for_who_is_awake() {
        let cfg = IdleConfig { backlog: 3, ..IdleConfig::default() };
        let event = Event::<LowestIndex>::new(3, &cfg);
        assert_eq!(
            event.producer_published(1),
            Wake::NoneParked,
            "nobody has begun, so nobody will come"
        );
        event.enter(0);
        event.enter(1);
        assert_eq!(event.producer_published(1), Wake::NotNeeded, "two are awake");
        // Worker 1 sleeps, worker 0 is awake; worker 2 was never started.
        event.word.store(0b10, Ordering::Relaxed);
        assert_eq!(event.producer_published(2), Wake::NotNeeded);
        assert_eq!(event.producer_published(3), Wake::Sent, "that is too long");
        event.word.store(0b11, Ordering::Relaxed);
        assert_eq!(event.producer_published(1), Wake::Sent, "all are asleep");
    }

    #[test]
    fn one_searcher_is_enough() {
        let event = Event::<LowestIndex>::new(4, &IdleConfig::default());
        assert!(!event.has_idle_workers());
        assert_eq!(event.published(None, 9, true), Wake::NoneParked);
        assert!(event.reserve_search() && !event.reserve_search());
        assert_eq!(event.published(None, 9, true), Wake::NotNeeded, "somebody is searching");
        assert!(event.search_begin(1), "two of four may search");
        assert!(!event.search_begin(2));
        assert_eq!(event.search_end(1, &mut || true), Wake::NotNeeded, "not the last");
        assert_eq!(event.search_end(0, &mut || true), Wake::NoneParked);
        assert!(!event.has_idle_workers());
    }
}
