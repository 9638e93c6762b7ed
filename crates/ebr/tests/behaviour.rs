//! What one thread can see of a collector: when objects are freed, what is counted, what panicking
//! and re-entrant deleters do. Every case runs in all stages and with both barriers.

#![cfg(not(loom))]
// Retiring is unsafe by contract.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use heist_ebr::{Barrier, Collector, Config, Guard, Reclaim};

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
    // SAFETY: nobody else has ever seen the box, and every type used here is 'static or outlives
    // the collector.
    unsafe { guard.retire(Box::into_raw(Box::new(value))) };
}

fn for_each_config(mut case: impl FnMut(Config)) {
    for &reclaim in Reclaim::ALL {
        for &barrier in Barrier::ALL {
            case(Config { reclaim, barrier });
        }
    }
}

#[test]
fn collecting_frees_everything_when_nobody_is_pinned() {
    for_each_config(|config| {
        let alive = Arc::default();
        let collector = Collector::new(config);
        let handle = collector.register();
        for _ in 0..10 {
            retire(&handle.pin(), Counted::new(&alive));
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
