//! Collectors on one thread: when objects are freed, what is counted, what panicking and re-entrant
//! deleters do. Every case runs in all stages and with both barriers.

#![cfg(not(loom))]
// Retiring is unsafe by contract.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use heist_ebr::{Barrier, Collector, Config, Guard, Handle, Reclaim};

/// Counts itself while it lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(alive: &Arc<AtomicUsize>) -> Counted {
        alive.fetch_add(1, SeqCst);
        Counted(alive.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

fn retire<T: Send>(guard: &Guard<'_>, value: T) {
    // SAFETY: no other thread has seen the box, and every type used here outlives the collector.
    unsafe { guard.retire(Box::into_raw(Box::new(value))) };
}

/// Runs `case` in every configuration, with a counter of living objects and a new collector.
fn for_each_config(mut case: impl FnMut(Config, &Arc<AtomicUsize>, Collector)) {
    for &reclaim in Reclaim::ALL {
        for &barrier in Barrier::ALL {
            let config = Config { reclaim, barrier };
            case(config, &Arc::default(), Collector::new(config));
        }
    }
}

#[test]
fn collecting_frees_everything_without_pins() {
    for_each_config(|config, alive, collector| {
        let handle = collector.register();
        for _ in 0..10 {
            retire(&handle.pin(), Counted::new(alive));
        }
        handle.collect();
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
        let stats = collector.stats();
        let bytes = 10 * size_of::<Counted>() as u64;
        assert_eq!((stats.retired, stats.retired_bytes), (10, bytes), "{config:?}");
        assert_eq!((stats.reclaimed, stats.reclaimed_bytes), (10, bytes), "{config:?}");
        assert_eq!((stats.high_water, stats.high_water_bytes), (10, bytes), "{config:?}");
        assert_eq!((stats.unreclaimed(), stats.unreclaimed_bytes()), (0, 0), "{config:?}");
    });
}

#[test]
fn nothing_is_freed_while_an_earlier_pin_lives() {
    for_each_config(|config, alive, collector| {
        let (reader, writer) = (collector.register(), collector.register());
        let outer = reader.pin();
        let inner = reader.pin();
        retire(&writer.pin(), Counted::new(alive));
        writer.collect();
        drop(outer);
        writer.collect();
        assert_eq!(alive.load(SeqCst), 1, "the inner guard still counts: {config:?}");
        drop(inner);
        writer.collect();
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
    });
}

#[test]
fn the_last_handle_or_clone_frees_what_is_left() {
    for_each_config(|config, alive, collector| {
        let clone = collector.clone();
        let (first, last) = (collector.register(), collector.register());
        for handle in [&first, &last] {
            (0..100).for_each(|_| retire(&handle.pin(), Counted::new(alive)));
        }
        let pin = last.pin();
        drop((first, collector, clone));
        assert!(alive.load(SeqCst) >= 100, "garbage of a handle outlives it: {config:?}");
        drop(pin);
        drop(last);
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
    });
}

#[test]
fn others_free_what_a_dropped_handle_left() {
    for_each_config(|config, alive, collector| {
        let (first, heir) = (collector.register(), collector.register());
        (0..70).for_each(|_| retire(&first.pin(), Counted::new(alive)));
        drop(first);
        heir.collect();
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
        assert_eq!(collector.stats().unreclaimed(), 0, "{config:?}");
    });
}

/// No handle lives long enough to fill a bag or to make an attempt of its own.
#[test]
fn registrations_free_what_short_lived_handles_leave() {
    for_each_config(|config, alive, collector| {
        for _ in 0..1000 {
            retire(&collector.register().pin(), Counted::new(alive));
            assert!(alive.load(SeqCst) <= 128, "{config:?}");
        }
        assert!(collector.stats().reclaimed > 800, "{config:?}");
    });
}

#[test]
fn without_stalls_the_adaptive_stage_holds_at_most_four_bags() {
    for &barrier in Barrier::ALL {
        let collector = Collector::new(Config { reclaim: Reclaim::Adaptive, barrier });
        let handles = [(); 3].map(|()| collector.register());
        for round in 0..20_000 {
            retire(&handles[round % 3].pin(), round);
        }
        handles.iter().for_each(Handle::collect);
        let stats = collector.stats();
        assert_eq!((stats.retired, stats.unreclaimed()), (20_000, 0));
        assert!(stats.high_water <= 3 * 4 * 64, "{barrier:?}: {stats:?}");
    }
}

#[test]
fn without_garbage_the_adaptive_stage_scans_nothing() {
    for_each_config(|config, _, collector| {
        let handle = collector.register();
        (0..10_000).for_each(|_| drop(handle.pin()));
        handle.collect();
        handle.pin().flush();
        let scans = collector.stats().scans;
        assert_eq!(scans == 0, config.reclaim == Reclaim::Adaptive, "{config:?}: {scans}");
    });
}

#[test]
fn large_objects_do_not_wait_for_a_full_bag() {
    let collector = Collector::default();
    let handle = collector.register();
    for _ in 0..100 {
        // SAFETY: the deleter does nothing.
        unsafe { handle.pin().retire_with(std::ptr::null_mut(), 1 << 20, |_| ()) };
    }
    let stats = collector.stats();
    assert!(stats.high_water_bytes <= 8 << 20, "{stats:?}");
}

#[test]
fn a_stalled_pin_makes_attempts_rare() {
    let collector = Collector::default();
    let (stalled, busy) = (collector.register(), collector.register());
    let pin = stalled.pin();
    (0..100_000).for_each(|i| retire(&busy.pin(), i));
    let stats = collector.stats();
    assert!(stats.unreclaimed() >= 99_000, "{stats:?}");
    assert!(stats.tries < 200, "backing off: {stats:?}");
    drop(pin);
    (0..10_000).for_each(|i| retire(&busy.pin(), i));
    assert!(collector.stats().unreclaimed() <= 256, "{:?}", collector.stats());
}

#[test]
fn a_forgotten_guard_stalls_only_until_its_handle_is_dropped() {
    for_each_config(|config, alive, collector| {
        let (forgetful, other) = (collector.register(), collector.register());
        std::mem::forget(forgetful.pin());
        retire(&other.pin(), Counted::new(alive));
        other.collect();
        assert_eq!(alive.load(SeqCst), 1, "{config:?}");
        drop(forgetful);
        other.collect();
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
    });
}

#[test]
fn objects_may_borrow_what_outlives_the_collector() {
    struct Adds<'a>(&'a AtomicUsize);
    impl Drop for Adds<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    let sum = AtomicUsize::new(0);
    let collector = Collector::default();
    retire(&collector.register().pin(), Adds(&sum));
    drop(collector);
    assert_eq!(sum.load(SeqCst), 1);
}

struct Panics(Counted);

impl Drop for Panics {
    fn drop(&mut self) {
        assert!(self.0.0.load(SeqCst) == 0, "a deleter panicked, as it should");
    }
}

#[test]
fn a_panicking_deleter_keeps_no_other_from_running() {
    for_each_config(|config, alive, collector| {
        let handle = collector.register();
        for _ in 0..5 {
            let guard = handle.pin();
            retire(&guard, Counted::new(alive));
            retire(&guard, Panics(Counted::new(alive)));
        }
        let end = catch_unwind(AssertUnwindSafe(|| handle.collect()));
        assert!(end.is_err(), "{config:?}");
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
        retire(&handle.pin(), Counted::new(alive));
        handle.collect();
        assert_eq!(alive.load(SeqCst), 0, "the handle still works: {config:?}");

        retire(&handle.pin(), Panics(Counted::new(alive)));
        retire(&handle.pin(), Counted::new(alive));
        drop(handle);
        let end = catch_unwind(AssertUnwindSafe(|| drop(collector)));
        assert!(end.is_err(), "{config:?}");
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
    });
}

thread_local! {
    static OWN: RefCell<Option<&'static Handle>> = const { RefCell::new(None) };
}

/// Retires one more, with a smaller number, on the handle of the thread that frees it.
struct Spawns(u32, Counted);

impl Drop for Spawns {
    fn drop(&mut self) {
        let own = OWN.with_borrow(|own| *own);
        if let (Some(handle), 1..) = (own, self.0) {
            let guard = handle.pin();
            let more = Spawns(self.0 - 1, Counted::new(&self.1.0));
            retire(&guard, more);
            guard.flush();
        }
    }
}

#[test]
fn a_deleter_may_pin_and_retire_on_the_handle_that_runs_it() {
    for_each_config(|config, alive, collector| {
        let handle: *mut Handle = Box::into_raw(Box::new(collector.register()));
        drop(collector);
        // SAFETY: freed at the end of the case, after `OWN` was cleared.
        let shared: &'static Handle = unsafe { &*handle };
        OWN.set(Some(shared));
        for _ in 0..1000 {
            retire(&shared.pin(), Spawns(3, Counted::new(alive)));
        }
        (0..10).for_each(|_| shared.collect());
        assert_eq!(alive.load(SeqCst), 0, "{config:?}");
        OWN.set(None);
        // SAFETY: the reference is no longer used.
        drop(unsafe { Box::from_raw(handle) });
    });
}

#[test]
fn the_barrier_in_use_is_reported() {
    let wanted = Config { barrier: Barrier::Membarrier, ..Config::default() };
    let collector = Collector::new(wanted);
    assert_eq!(collector.config(), wanted);
    if !cfg!(target_os = "linux") || cfg!(miri) {
        assert_eq!(collector.barrier(), Barrier::Fence);
    }
    assert_eq!(Collector::default().barrier(), Barrier::Fence);
}

#[test]
fn handles_move_between_threads() {
    fn is_send<T: Send>() {}
    is_send::<Handle>();
    let alive = Arc::default();
    let collector = Collector::default();
    let handle = collector.register();
    retire(&handle.pin(), Counted::new(&alive));
    std::thread::spawn(move || handle.collect()).join().expect("no panic");
    assert_eq!(alive.load(SeqCst), 0);
}
