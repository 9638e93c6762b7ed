//! Runs that end early, and threads that the system refuses.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use heist_queue::lab::Sealable;
use heist_queue::{Backend, Job, RunConfig, Spawner, Stop};

use crate::guard::{guarded, wait_until};
use crate::tree::{
    CONTINUE, Item, Ledger, bushy, chain, does, setups, spawns, star, wait_sharing, walk, walks,
};

/// Panics without the message on stderr that `panic!` would print.
fn throw(message: &'static str) -> ! {
    resume_unwind(Box::new(message))
}

pub(crate) fn a_quit_drops_the_rest_and_counts_it<B: Backend<Item>>() {
    for cfg in setups() {
        for workers in [1, 2, 3, 8] {
            for quit_at in [0, 1, 7, 100] {
                let ledger = Ledger::new(bushy(5, 4));
                let count = AtomicU64::new(0);
                let job = |_| {
                    spawns(|_, _| {
                        if count.fetch_add(1, Ordering::Relaxed) == quit_at {
                            return ControlFlow::Break(());
                        }
                        CONTINUE
                    })
                };
                let report = guarded("quit", || {
                    walk::<B, _>(&cfg, &ledger, (0..workers).map(job).collect())
                });
                let report = report.unwrap();
                assert_eq!(report.stop, Stop::Quit);
                assert!(report.dropped > 0, "{workers} workers cannot have run everything by then");
                assert_eq!(report.executed + report.dropped, report.spawned);
                assert_eq!(report.outputs.len(), workers);
                ledger.assert_partial(report.executed);
            }
        }
    }
}

/// Node 1 quits; node 2, on another worker, goes on until it sees the quit.
pub(crate) fn other_workers_see_a_quit<B: Backend<Item>>() {
    for cfg in setups() {
        let ledger = Ledger::new(star(2));
        let job = || {
            spawns(|item, spawner| {
                match item.node {
                    1 => {
                        wait_sharing("the other", spawner, || item.ledger.ran(2));
                        return ControlFlow::Break(());
                    }
                    2 => wait_until("the quit", || spawner.stopped()),
                    _ => assert!(!spawner.stopped()),
                }
                CONTINUE
            })
        };
        let report = guarded("quit", || walk::<B, _>(&cfg, &ledger, vec![job(), job()])).unwrap();
        assert_eq!((report.stop, report.executed), (Stop::Quit, 3));
    }
}

/// A worker without an item quits; the other one, which runs a long item, sees the quit.
pub(crate) fn a_quit_before_parking_counts_too<B: Backend<Item>>() {
    struct Quits(Arc<AtomicBool>);
    impl Job<Item> for Quits {
        type Output = ();
        fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
            item.record();
            self.0.store(true, Ordering::Release);
            wait_until("the quit", || spawner.stopped());
            CONTINUE
        }
        fn before_park(&mut self) -> ControlFlow<()> {
            wait_until("the item", || self.0.load(Ordering::Acquire));
            ControlFlow::Break(())
        }
        fn finish(self) {}
    }
    let cfg = RunConfig { lazy_spawn: false, ..RunConfig::default() };
    let (begun, ledger) = (Arc::new(AtomicBool::new(false)), Ledger::new(star(0)));
    let jobs = vec![Quits(Arc::clone(&begun)), Quits(begun)];
    let report = guarded("quit before parking", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap();
    assert_eq!((report.stop, report.executed), (Stop::Quit, 1));
}

pub(crate) fn a_panic_ends_the_run_with_that_panic<B: Backend<Item>>() {
    for cfg in setups() {
        for workers in [1, 2, 3, 8, 32] {
            for at in [0, 1, 50] {
                let ledger = Ledger::new(bushy(5, 4));
                let count = AtomicU64::new(0);
                let job = |_| {
                    spawns(|_, _| {
                        if count.fetch_add(1, Ordering::Relaxed) == at {
                            throw("dropped the item");
                        }
                        CONTINUE
                    })
                };
                let result = guarded("panic", || {
                    walk::<B, _>(&cfg, &ledger, (0..workers).map(job).collect())
                });
                let panicked = result.expect_err("a panic must not pass unnoticed");
                assert_eq!(panicked.message(), Some("dropped the item"));
                assert!(panicked.worker < workers);
                ledger.assert_no_leak();
            }
        }
    }
}

/// In `finish`, and in `before_park`.
pub(crate) fn a_panic_at_the_end_counts_too<B: Backend<Item>>() {
    struct Fails(bool);
    impl Job<Item> for Fails {
        type Output = ();
        fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
            item.record();
            item.children().for_each(|child| spawner.spawn(child));
            CONTINUE
        }
        fn before_park(&mut self) -> ControlFlow<()> {
            if self.0 {
                throw("before parking");
            }
            CONTINUE
        }
        fn finish(self) {
            if !self.0 {
                throw("at the end");
            }
        }
    }
    for cfg in setups() {
        for workers in [1, 2, 4] {
            let ledger = Ledger::new(star(3));
            let jobs = (0..workers).map(|_| Fails(false)).collect();
            let panicked = guarded("finish", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap_err();
            assert_eq!(panicked.message(), Some("at the end"));
            ledger.assert_complete();
        }
        let cfg = RunConfig { lazy_spawn: false, ..cfg };
        let ledger = Ledger::new(star(0));
        let long = |job| {
            guarded("before_park", || walk::<B, _>(&cfg, &ledger, vec![Fails(job), Fails(job)]))
        };
        // Whether a worker gets as far as parking is a race. In either case none hangs, and there
        // is no other panic.
        if let Err(panicked) = long(true) {
            assert_eq!(panicked.message(), Some("before parking"));
        }
        ledger.assert_no_leak();
    }
}

pub(crate) fn spawning_after_a_seal_panics<B: Backend<Item>>() {
    for cfg in setups() {
        for workers in [1, 3] {
            let ledger = Ledger::new(star(2));
            let job = |_| {
                does(|item, spawner| {
                    let mut spawner = Sealable::new(spawner);
                    spawner.seal();
                    item.children().for_each(|child| spawner.spawn(child));
                    CONTINUE
                })
            };
            let result =
                guarded("seal", || walk::<B, _>(&cfg, &ledger, (0..workers).map(job).collect()));
            let panicked = result.expect_err("a sealed item must not spawn");
            assert_eq!(panicked.message(), Some("an item was spawned by one that was sealed"));
            ledger.assert_no_leak();
        }
        // A seal holds for one item only.
        let ledger = Ledger::new(chain(9));
        let job = |_| {
            does(|item, spawner| {
                let mut spawner = Sealable::new(spawner);
                item.children().for_each(|child| spawner.spawn(child));
                spawner.seal();
                spawner.flush();
                CONTINUE
            })
        };
        guarded("seal", || walk::<B, _>(&cfg, &ledger, (0..3).map(job).collect())).unwrap();
        ledger.assert_complete();
    }
}

/// No thread can have a stack of this size, so none can be started.
pub(crate) fn refused_threads_do_not_matter<B: Backend<Item>>() {
    for cfg in setups() {
        let cfg = RunConfig { stack_size: Some(usize::MAX >> 4), ..cfg };
        let ledger = Ledger::new(bushy(4, 5));
        let report = guarded("refused", || walk::<B, _>(&cfg, &ledger, walks(6))).unwrap();
        ledger.assert_complete();
        assert_eq!(report.threads_started, 0);
        assert_eq!(report.outputs.len(), 6, "jobs without a thread are finished too");
    }
}
