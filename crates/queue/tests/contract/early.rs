//! Runs that end early, and threads that the system refuses.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use heist_queue::lab::Sealable;
use heist_queue::{Spawner, Stop};

use crate::guard::wait_until;
use crate::setup::{CONTINUE, Setup, does, spawns, wait_sharing, walk};
use crate::tree::{Ledger, bushy, chain, star};

/// Panics without the message on stderr that `panic!` would print.
fn throw(message: &'static str) -> ! {
    resume_unwind(Box::new(message))
}

pub(crate) fn a_quit_drops_the_rest_and_counts_it(setup: &Setup) {
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
            let report = setup.walk(&ledger, workers, job).unwrap();
            assert_eq!(report.stop, Stop::Quit);
            assert!(report.dropped > 0, "{workers} workers cannot have run everything by then");
            assert_eq!(report.executed + report.dropped, report.spawned);
            assert_eq!(report.outputs.len(), workers);
            ledger.assert_partial(report.executed);
        }
    }
}

/// Node 1 quits; node 2, on another worker, goes on until it sees the quit.
pub(crate) fn other_workers_see_a_quit(setup: &Setup) {
    let job = |_| {
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
    let report = setup.walk(&Ledger::new(star(2)), 2, job).unwrap();
    assert_eq!((report.stop, report.executed), (Stop::Quit, 3));
}

/// A worker without an item quits; the other one, which runs a long item, sees the quit.
pub(crate) fn a_quit_before_parking_counts_too(setup: &Setup) {
    let begun = AtomicBool::new(false);
    let job = |_| {
        let long = does(|_, spawner| {
            begun.store(true, Ordering::Release);
            wait_until("the quit", || spawner.stopped());
            CONTINUE
        });
        long.before_park(|| {
            wait_until("the item", || begun.load(Ordering::Acquire));
            ControlFlow::Break(())
        })
    };
    let setup = setup.with(|cfg| cfg.lazy_spawn = false);
    let report = setup.walk(&Ledger::new(star(0)), 2, job).unwrap();
    assert_eq!((report.stop, report.executed), (Stop::Quit, 1));
}

pub(crate) fn a_panic_ends_the_run_with_that_panic(setup: &Setup) {
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
            let result = setup.walk(&ledger, workers, job);
            let panicked = result.expect_err("a panic must not pass unnoticed");
            assert_eq!(panicked.message(), Some("dropped the item"));
            assert!(panicked.worker < workers);
            ledger.assert_no_leak();
        }
    }
}

/// In `finish`, and in `before_park`.
pub(crate) fn a_panic_at_the_end_counts_too(setup: &Setup) {
    for workers in [1, 2, 4] {
        let ledger = Ledger::new(star(3));
        let job = |_| spawns(|_, _| CONTINUE).at_the_end(|| throw("at the end"));
        let result = setup.walk(&ledger, workers, job);
        assert_eq!(result.unwrap_err().message(), Some("at the end"));
        ledger.assert_complete();
    }
    let setup = setup.with(|cfg| cfg.lazy_spawn = false);
    let ledger = Ledger::new(star(0));
    // Whether a worker gets as far as parking is a race. In either case none hangs, and there is no
    // other panic.
    let job = |_| spawns(|_, _| CONTINUE).before_park(|| throw("before parking"));
    if let Err(panicked) = setup.walk(&ledger, 2, job) {
        assert_eq!(panicked.message(), Some("before parking"));
    }
    ledger.assert_no_leak();
}

pub(crate) fn spawning_after_a_seal_panics(setup: &Setup) {
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
        let result = setup.walk(&ledger, workers, job);
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
    setup.walk(&ledger, 3, job).unwrap();
    ledger.assert_complete();
}

/// No thread can have a stack of this size, so none can be started.
pub(crate) fn refused_threads_do_not_matter(setup: &Setup) {
    let setup = setup.with(|cfg| cfg.stack_size = Some(usize::MAX >> 4));
    let ledger = Ledger::new(bushy(4, 5));
    let report = setup.walk(&ledger, 6, walk).unwrap();
    ledger.assert_complete();
    assert_eq!(report.threads_started, 0);
    assert_eq!(report.outputs.len(), 6, "jobs without a thread are finished too");
}
