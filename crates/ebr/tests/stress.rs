//! Threads that share some pointers, in every stage and with both barriers. The objects are
//! canaries, which detect that they are read after their drop; a watchdog ends a case that hangs.
//!
//! `HEIST_STRESS_SECONDS=600` is how long the test of long lives runs, all collectors together.

#![cfg(not(loom))]
// Retiring is unsafe by contract.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use heist_ebr::{Barrier, Collector, Config, Guard, Handle, Reclaim};

const MAGIC: u64 = 0x5eed_cafe_f00d_beef;
const DEAD: u64 = 0xdead_dead_dead_dead;
const SLOTS: usize = 4;
/// Operations of a thread; few under Miri, which is slow.
const ROUNDS: usize = if cfg!(miri) { 60 } else { 20_000 };

struct Canary {
    magic: u64,
    /// The complement: reused memory is unlikely to have both.
    echo: u64,
    alive: Arc<AtomicUsize>,
}

impl Canary {
    fn new(alive: &Arc<AtomicUsize>) -> *mut Canary {
        alive.fetch_add(1, Ordering::Relaxed);
        Box::into_raw(Box::new(Canary { magic: MAGIC, echo: !MAGIC, alive: alive.clone() }))
    }

    fn check(&self) {
        // Volatile, so that no two reads are merged.
        // SAFETY: the pointers come from references.
        let (magic, echo) =
            unsafe { (ptr::read_volatile(&self.magic), ptr::read_volatile(&self.echo)) };
        assert_eq!((magic, echo), (MAGIC, !MAGIC), "read after it was freed");
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.check();
        // SAFETY: a reference. Volatile, so that the write is not optimised away.
        unsafe { ptr::write_volatile(&mut self.magic, DEAD) };
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Arena {
    alive: Arc<AtomicUsize>,
    slots: [AtomicPtr<Canary>; SLOTS],
    collector: Collector,
    over: AtomicBool,
}

impl Arena {
    fn new(config: Config) -> Arena {
        let alive = Arc::default();
        let slots = [(); SLOTS].map(|()| AtomicPtr::new(Canary::new(&alive)));
        Arena { alive, slots, collector: Collector::new(config), over: AtomicBool::new(false) }
    }

    fn read(&self, _: &Guard<'_>, slot: usize) {
        // Ordering: Acquire pairs with the AcqRel of `replace`, for the canary's contents.
        let canary = self.slots[slot % SLOTS].load(Ordering::Acquire);
        // SAFETY: the slots are never empty, and the guard keeps what was in one.
        unsafe { &*canary }.check();
    }

    fn replace(&self, guard: &Guard<'_>, slot: usize) {
        let new = Canary::new(&self.alive);
        // Ordering: AcqRel pairs with itself and with `read`.
        let old = self.slots[slot % SLOTS].swap(new, Ordering::AcqRel);
        // SAFETY: unlinked by the swap, and `Send`.
        unsafe { guard.retire(old) };
    }

    /// One operation of the usual load: pinned reads, nested pins, replacements.
    fn work(&self, handle: &Handle, seed: usize) {
        let guard = handle.pin();
        self.read(&guard, seed);
        if seed.is_multiple_of(3) {
            self.replace(&guard, seed / 3);
        }
        if seed.is_multiple_of(5) {
            let nested = handle.pin();
            drop(guard);
            self.read(&nested, seed + 1);
            self.replace(&nested, seed + 1);
        }
        if seed.is_multiple_of(1009) {
            handle.pin().flush();
        }
    }

    fn finish(self) {
        for slot in &self.slots {
            // SAFETY: the threads have ended, and this one is linked, so it was not retired.
            drop(unsafe { Box::from_raw(slot.load(Ordering::Acquire)) });
        }
        let stats = self.collector.stats();
        assert_eq!(stats.unreclaimed(), self.alive.load(Ordering::Relaxed) as u64, "{stats:?}");
        drop(self.collector);
        assert_eq!(self.alive.load(Ordering::Relaxed), 0, "leaked");
    }
}

/// Runs each of `roles` on a thread of its own. Sets `over` when the first `workers` have ended.
fn run(config: Config, workers: usize, roles: &[fn(&Arena, usize)]) {
    let arena = Arena::new(config);
    thread::scope(|scope| {
        let spawn = |(i, role): (usize, &fn(&Arena, usize))| {
            let (arena, role) = (&arena, *role);
            scope.spawn(move || role(arena, i))
        };
        let threads: Vec<_> = roles.iter().enumerate().map(spawn).collect();
        let ends: Vec<_> = threads.into_iter().take(workers).map(|t| t.join()).collect();
        arena.over.store(true, Ordering::Relaxed);
        ends.into_iter().for_each(|end| end.expect("a worker panicked"));
    });
    arena.finish();
}

fn steady(arena: &Arena, me: usize) {
    let handle = arena.collector.register();
    (0..ROUNDS).for_each(|round| arena.work(&handle, round * 7 + me));
}

/// Uses each handle for a few operations, and drops it with garbage in it while others are pinned.
fn coming_and_going(arena: &Arena, me: usize) {
    for round in 0..ROUNDS / 20 {
        let handle = arena.collector.register();
        (0..20).for_each(|i| arena.work(&handle, (round * 20 + i) * 3 + me));
    }
}

/// Stays pinned for long, and reads the same canary repeatedly.
fn stalling(arena: &Arena, me: usize) {
    let handle = arena.collector.register();
    while !arena.over.load(Ordering::Relaxed) {
        let _guard = handle.pin();
        let canary = arena.slots[me % SLOTS].load(Ordering::Acquire);
        for _ in 0..20 {
            // SAFETY: the guard keeps it, in the slot or not.
            unsafe { &*canary }.check();
            thread::sleep(Duration::from_micros(100));
        }
    }
}

fn guarded(body: impl FnOnce() + Send + 'static) {
    let (done, end) = channel();
    let thread = thread::spawn(move || {
        body();
        done.send(()).expect("the watchdog waits");
    });
    let limit = Duration::from_secs(if cfg!(miri) { 3600 } else { 120 });
    if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
        eprintln!("hangs");
        std::process::abort();
    }
    thread.join().expect("the case panicked");
}

fn stress(reclaim: Reclaim) {
    for &barrier in Barrier::ALL {
        let config = Config { reclaim, barrier };
        guarded(move || run(config, 3, &[steady, steady, steady]));
        guarded(move || run(config, 2, &[steady, steady, stalling]));
        guarded(move || run(config, 3, &[coming_and_going, coming_and_going, steady, stalling]));
    }
}

#[test]
fn mutex() {
    stress(Reclaim::Mutex);
}

#[test]
fn registry() {
    stress(Reclaim::Registry);
}

#[test]
fn bags() {
    stress(Reclaim::Bags { every: 256 });
    stress(Reclaim::Bags { every: 1 });
}

#[test]
fn adaptive() {
    stress(Reclaim::Adaptive);
}

/// Threads come and go, round after round. When all have ended, nothing they retired is kept.
fn live_long(config: Config, time: Duration) {
    let arena = Arena::new(config);
    let (begin, mut rounds) = (Instant::now(), 0);
    while rounds < 2 || begin.elapsed() < time {
        thread::scope(|scope| {
            for me in 0..3 {
                let arena = &arena;
                scope.spawn(move || coming_and_going(arena, me + rounds));
            }
        });
        arena.collector.register().collect();
        let stats = arena.collector.stats();
        assert_eq!(stats.unreclaimed(), 0, "round {rounds} of {config:?}: {stats:?}");
        assert_eq!(arena.alive.load(Ordering::Relaxed), SLOTS, "round {rounds} of {config:?}");
        rounds += 1;
    }
    eprintln!("{config:?}: {rounds} rounds, {:?}", arena.collector.stats());
    arena.finish();
}

#[test]
fn a_long_life_keeps_nothing() {
    let stages =
        [Reclaim::Mutex, Reclaim::Registry, Reclaim::Bags { every: 256 }, Reclaim::Adaptive];
    let seconds =
        std::env::var("HEIST_STRESS_SECONDS").map_or(0, |text| text.parse().expect("seconds"));
    let configs = stages
        .iter()
        .flat_map(|&reclaim| Barrier::ALL.iter().map(move |&barrier| Config { reclaim, barrier }));
    let configs: Vec<Config> = configs.collect();
    let time = Duration::from_secs(seconds) / configs.len() as u32;
    configs.into_iter().for_each(|config| live_long(config, time));
}
