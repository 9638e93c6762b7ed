//! Whole runs that no script describes: orders, numbers of jobs, the calls before parking and at
//! the end.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use heist_queue::{Backend, IdleKind, MAX_WORKERS, PopOrder, Sharing, Spawner, Stop};

use crate::guard::wait_until;
use crate::setup::{CONTINUE, REFUSED_STACK, Setup, does, setups, spawns, walk};
use crate::tree::{Item, Ledger, bushy, chain, star};

pub(crate) fn roots_run_in_order_on_one_worker(setup: &Setup) {
    //      0        4
    //    1   3      5
    //    2
    let ledger = Ledger::new(vec![vec![1, 3], vec![2], vec![], vec![], vec![5], vec![]]);
    let report = setup.run(vec![ledger.item(0), ledger.item(4)], 1, walk).unwrap();
    assert_eq!(report.outputs[0].1, [0, 1, 2, 3, 4, 5], "depth first, in the order of spawning");
    assert_eq!(report.threads_started, 0);
}

/// The order of a sequence of spawns and flushes is known for one worker, and for a crew whose
/// threads the system refuses. With a newest-first queue the two are the same. An oldest-first
/// queue runs shared items in the order of sharing, after the worker's private ones.
pub(crate) fn flush_keeps_the_order<B: Backend<Item>>() {
    let order = |setup: &Setup, workers: usize| {
        let ledger = Ledger::new(star(6));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let job = |_| {
            let seen = Arc::clone(&seen);
            does(move |item: Item, spawner: &mut dyn Spawner<Item>| {
                seen.lock().unwrap().push(item.node);
                for child in item.children() {
                    let flush = child.node == 2 || child.node == 4;
                    spawner.spawn(child);
                    if flush {
                        spawner.flush();
                    }
                }
                CONTINUE
            })
        };
        setup.walk(&ledger, workers, job).unwrap();
        ledger.assert_complete();
        seen.lock().unwrap().clone()
    };
    for setup in setups(B::NAME.parse().unwrap(), IdleKind::default()) {
        let alone = order(&setup, 1);
        assert_eq!(alone, [0, 5, 6, 3, 4, 1, 2]);
        let order_of_pops = B::ORDER.expect("the backend decides");
        let expected = match (order_of_pops, setup.cfg.sharing) {
            (PopOrder::NewestFirst, _) => &alone[..],
            (PopOrder::OldestFirst, Sharing::Eager) => &[0, 1, 2, 3, 4, 5, 6],
            // Thieves have enough with the first four, so the last two stay private.
            (PopOrder::OldestFirst, _) => &[0, 5, 6, 1, 2, 3, 4],
        };
        let refused = setup.with(|cfg| cfg.stack_size = Some(REFUSED_STACK));
        assert_eq!(order(&refused, 2), expected);
    }
}

pub(crate) fn outputs_come_in_the_order_of_jobs(setup: &Setup) {
    let report = setup.walk(&Ledger::new(star(50)), 9, walk).unwrap();
    assert!(report.outputs.into_iter().map(|(me, _)| me).eq(0..9));
}

/// There are never two items at once, so only a setup that starts all threads has any.
pub(crate) fn a_tiny_run_starts_no_thread(setup: &Setup) {
    let report = setup.walk(&Ledger::new(chain(20)), 8, walk).unwrap();
    assert_eq!(report.threads_started, if setup.cfg.lazy_spawn { 0 } else { 7 });
}

pub(crate) fn no_roots_no_jobs_and_too_many_jobs(setup: &Setup) {
    for workers in [1, 2, 5] {
        let report = setup.run(vec![], workers, walk).unwrap();
        assert_eq!((report.executed, report.stop), (0, Stop::Done));
        assert_eq!(report.outputs.len(), workers);
    }
    let ledger = Ledger::new(star(3));
    let report = setup.walk(&ledger, 0, walk).unwrap();
    assert_eq!((report.executed, report.dropped, report.stop), (0, 1, Stop::Quit));
    ledger.assert_partial(0);

    let ledger = Ledger::new(bushy(3, 5));
    let report = setup.walk(&ledger, MAX_WORKERS + 4, walk).unwrap();
    ledger.assert_complete();
    assert_eq!(report.outputs.len(), MAX_WORKERS + 4);
    assert!(report.threads_started < MAX_WORKERS);
}

/// While worker 0 is busy, worker 1 parks, after a call of `before_park`; worker 0 sees that it is
/// idle.
pub(crate) fn before_park_is_called_and_idle_workers_are_seen(setup: &Setup) {
    let called = AtomicBool::new(false);
    let job = |_| {
        let seen = || called.load(Ordering::Acquire);
        let long = does(move |_, spawner| {
            wait_until("a sleeper", || seen() && spawner.has_idle_workers());
            CONTINUE
        });
        long.before_park(|| {
            called.store(true, Ordering::Release);
            CONTINUE
        })
    };
    let all_threads = setup.with(|cfg| cfg.lazy_spawn = false);
    all_threads.walk(&Ledger::new(star(0)), 2, job).unwrap();
    assert!(called.load(Ordering::Acquire));

    let alone = |_| {
        does(|_, spawner| {
            assert!(!spawner.has_idle_workers() && !spawner.stopped(), "there is no other worker");
            CONTINUE
        })
    };
    setup.walk(&Ledger::new(star(0)), 1, alone).unwrap();
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

/// Panics without the message on stderr that `panic!` would print.
fn throw(message: &'static str) -> ! {
    resume_unwind(Box::new(message))
}

/// In `finish`, and in `before_park`.
pub(crate) fn a_panic_at_the_end_counts_too(setup: &Setup) {
    for workers in [1, 2, 4] {
        let ledger = Ledger::new(star(3));
        let job = |_| spawns().at_the_end(|| throw("at the end"));
        let result = setup.walk(&ledger, workers, job);
        assert_eq!(result.unwrap_err().message(), Some("at the end"));
        ledger.assert_complete();
    }
    let setup = setup.with(|cfg| cfg.lazy_spawn = false);
    let ledger = Ledger::new(star(0));
    // Whether a worker gets as far as parking is a race. In either case none hangs, and there is no
    // other panic.
    let job = |_| spawns().before_park(|| throw("before parking"));
    if let Err(panicked) = setup.walk(&ledger, 2, job) {
        assert_eq!(panicked.message(), Some("before parking"));
    }
    ledger.assert_no_leak();
}
