//! Models of the idle protocol under loom.
//!
//! A lost wake-up shows as a deadlock, which loom reports. Each model lists what it was seen to
//! guard: with that removed from the policy it fails. The event policies differ only in the worker
//! they wake, so one of them goes through all models and the others through those with a choice.
//!
//! The queue of these models is made of relaxed atomics, weaker than any real backend. It must not
//! be a mutex: a mutex orders publisher and sleeper by itself and would hide a missing fence.

use std::sync::Arc;

use loom::thread::{self, JoinHandle};

use crate::config::IdleConfig;
use crate::idle::{BiasedEvent, IdlePolicy, ParkEnd, Recheck, Sleeper, Wake};
use crate::lab::{BiasedChain, FifoEvent, Poll1ms, YieldCondvar};
use crate::model::{check, models};
use crate::sync::{AtomicUsize, Ordering};

/// What the threads of one model share: a policy, slots for two items, and the end of the run.
struct Scene<P> {
    policy: P,
    slots: [AtomicUsize; 2],
    over: AtomicUsize,
}

impl<P: IdlePolicy> Scene<P> {
    fn new(workers: usize) -> Arc<Scene<P>> {
        Scene::with(workers, &IdleConfig::default())
    }

    fn with(workers: usize, cfg: &IdleConfig) -> Arc<Scene<P>> {
        Arc::new(Scene {
            policy: P::new(workers, cfg),
            slots: [AtomicUsize::new(0), AtomicUsize::new(0)],
            over: AtomicUsize::new(0),
        })
    }

    /// Makes an item visible and notifies the policy.
    fn publish(&self, slot: usize) -> Wake {
        self.slots[slot].store(1, Ordering::Relaxed);
        self.policy.published(None, 1, true)
    }

    fn take(&self) -> bool {
        let taken = |slot: &AtomicUsize| {
            slot.load(Ordering::Relaxed) == 1 && slot.swap(0, Ordering::Relaxed) == 1
        };
        self.slots.iter().any(taken)
    }

    fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.load(Ordering::Relaxed) == 0)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) == 1
    }

    fn end(&self) {
        self.over.store(1, Ordering::Relaxed);
        self.policy.wake_all();
    }

    fn assert_all_busy(&self) {
        let idle = self.policy.has_idle_workers();
        assert!(!idle, "a worker is still counted as parked or searching");
    }

    /// Runs `act` on a thread of its own.
    fn spawn<R: 'static>(
        self: &Arc<Self>,
        act: impl FnOnce(&Scene<P>) -> R + 'static,
    ) -> JoinHandle<R>
    where
        P: 'static,
    {
        let scene = Arc::clone(self);
        thread::spawn(move || act(&scene))
    }

    /// Runs worker `me`, which looks for one item.
    fn spawn_finder(self: &Arc<Self>, me: usize) -> JoinHandle<bool>
    where
        P: 'static,
    {
        self.spawn(move |scene| {
            scene.policy.enter(me);
            scene.find(me)
        })
    }

    /// Finds one item as the crew does, with one sweep. `false` if the run was over first.
    fn find(&self, me: usize) -> bool {
        let mut searching = self.policy.search_begin(me);
        loop {
            if searching && self.take() {
                self.policy.search_end(me, &mut || !self.is_empty());
                return true;
            }
            match self.policy.park(me, searching, &mut ParkAttempt(self)) {
                ParkEnd::Woken if self.is_over() => return false,
                ParkEnd::Woken => searching = true,
                ParkEnd::Found { searching: true } => {
                    self.policy.search_end(me, &mut || !self.is_empty());
                    return true;
                }
                ParkEnd::Found { searching: false } => {
                    if !self.is_empty() {
                        self.policy.published(None, 1, true);
                    }
                    return true;
                }
                ParkEnd::Stopped => return false,
            }
        }
    }
}

struct ParkAttempt<'a, P>(&'a Scene<P>);

impl<P: IdlePolicy> Sleeper for ParkAttempt<'_, P> {
    fn recheck(&mut self) -> Recheck {
        if self.0.is_over() {
            return Recheck::Stopped;
        }
        if self.0.take() { Recheck::Found } else { Recheck::Nothing }
    }

    fn work_visible(&self) -> bool {
        !self.0.is_empty()
    }
}

/// Checks that each of `finders` workers finds an item, in a crew of `workers`, while `act` runs.
fn each_finds<P>(workers: usize, finders: usize, act: fn(&Arc<Scene<P>>))
where
    P: IdlePolicy + 'static,
{
    check(2, move || {
        let scene = Scene::<P>::new(workers);
        let finders: Vec<_> = (0..finders).map(|me| scene.spawn_finder(me)).collect();
        act(&scene);
        for finder in finders {
            assert!(finder.join().unwrap(), "the run ended early");
        }
        assert!(scene.is_empty());
        scene.assert_all_busy();
    });
}

/// A publisher against a worker that parks: the worker always gets the item.
///
/// Guards both fences (in `published` and `park`) and the re-check.
fn publish_against_park<P: IdlePolicy + 'static>() {
    each_finds::<P>(2, 1, |scene| {
        scene.publish(0);
    });
}

/// Two items, one wake-up in flight: the worker that is woken, or that the publisher saw searching,
/// wakes the other.
///
/// Guards the duty of the last searcher, in `search_end`, and the one after a re-check.
fn last_searcher_has_the_duty<P: IdlePolicy + 'static>() {
    each_finds::<P>(3, 2, |scene| {
        scene.publish(0);
        scene.publish(1);
    });
}

/// Two items at once, for which one worker is woken: that one wakes the other.
///
/// Guards the same duty as the test above, with a batch. In `yield-condvar` this is the only reason
/// for it, because publishers rely on no searcher there.
fn a_batch_wakes_one_after_another<P: IdlePolicy + 'static>() {
    each_finds::<P>(3, 2, |scene| {
        scene.slots.iter().for_each(|slot| slot.store(1, Ordering::Relaxed));
        scene.policy.published(None, 2, true);
    });
}

/// Two items from two publishers. The searcher may see them in any order.
///
/// Guards the fence in `search_end`.
fn two_publishers_two_sleepers<P: IdlePolicy + 'static>() {
    each_finds::<P>(4, 2, |scene| {
        let other = scene.spawn(|scene| scene.publish(0));
        scene.publish(1);
        other.join().unwrap();
    });
}

/// A thread that could not be started was counted as a searcher meanwhile: a publisher that relied
/// on it loses nothing.
///
/// Guards that such a search ends like a real one.
fn failed_start_against_publish<P: IdlePolicy + 'static>() {
    each_finds::<P>(3, 1, |scene| {
        let starter = scene.spawn(|scene| {
            if scene.policy.reserve_search() {
                scene.policy.search_end(1, &mut || !scene.is_empty());
            }
        });
        scene.publish(0);
        starter.join().unwrap();
    });
}

/// A producer that wakes no worker while one is awake, and a worker that parks after its first item
/// or before: it gets both.
///
/// Guards the fence in `producer_published`, and that a backlog waits only for workers that have
/// not announced that they park.
fn a_backlog_waits_for_one_awake<P: IdlePolicy + 'static>() {
    check(2, || {
        let scene = Scene::<P>::with(2, &IdleConfig { backlog: 5, ..IdleConfig::default() });
        let worker = scene.spawn(|scene| {
            scene.policy.enter(0);
            scene.find(0) && scene.find(0)
        });
        for slot in &scene.slots {
            slot.store(1, Ordering::Relaxed);
            scene.policy.producer_published(1);
        }
        assert!(worker.join().unwrap(), "the run ended early");
        scene.assert_all_busy();
    });
}

/// The end of the run against two workers that park: both return.
///
/// Guards the swap in `wake_all`: that it is made even if no worker is parked, and its Release. In
/// `yield-condvar` also that it is a swap: adding what was read before would miss an announcement
/// in between.
fn end_against_park<P: IdlePolicy + 'static>() {
    check(2, || {
        let scene = Scene::<P>::new(3);
        let workers = [scene.spawn_finder(0), scene.spawn_finder(1)];
        scene.end();
        for worker in workers {
            assert!(!worker.join().unwrap(), "there was no item");
        }
    });
}

/// An item, and the end right after it, from two threads: the worker returns with the item or
/// without it.
fn end_against_publish<P: IdlePolicy + 'static>() {
    check(2, || {
        let scene = Scene::<P>::new(3);
        let worker = scene.spawn_finder(0);
        let publisher = scene.spawn(|scene| scene.publish(0));
        scene.end();
        publisher.join().unwrap();
        let found = worker.join().unwrap();
        assert_eq!(found, scene.is_empty(), "the item was taken by the worker or not at all");
    });
}

/// One item for a lone searcher and one more: one of the two threads gets `NoneParked`, and would
/// start a thread.
///
/// Guards the fences in `published` and `search_end`, and the duty of the last searcher once more.
fn a_thread_is_started_for_what_is_left<P: IdlePolicy + 'static>() {
    check(2, || {
        let scene = Scene::<P>::new(3);
        scene.slots[0].store(1, Ordering::Relaxed);
        let searcher = scene.spawn(|scene| {
            assert!(scene.policy.search_begin(0));
            assert!(scene.take(), "it has seen the first item");
            scene.policy.search_end(0, &mut || !scene.is_empty())
        });
        let wakes = [scene.publish(1), searcher.join().unwrap()];
        assert!(wakes.contains(&Wake::NoneParked), "{wakes:?}");
        assert!(!wakes.contains(&Wake::Sent), "{wakes:?}");
        scene.assert_all_busy();
    });
}

models! {
    biased_event: BiasedEvent => publish_against_park, last_searcher_has_the_duty,
        a_batch_wakes_one_after_another, two_publishers_two_sleepers, end_against_park,
        end_against_publish, failed_start_against_publish, a_thread_is_started_for_what_is_left,
        a_backlog_waits_for_one_awake;
    fifo_event: FifoEvent => publish_against_park, last_searcher_has_the_duty, end_against_park;
    biased_chain: BiasedChain => publish_against_park, last_searcher_has_the_duty, end_against_park;
    yield_condvar: YieldCondvar => publish_against_park, last_searcher_has_the_duty,
        a_batch_wakes_one_after_another, two_publishers_two_sleepers, end_against_park,
        end_against_publish, failed_start_against_publish, a_thread_is_started_for_what_is_left;
    // It has no wake-ups to lose.
    poll_1ms: Poll1ms => a_thread_is_started_for_what_is_left;
}
