//! Whole runs in which nothing goes wrong.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use heist_queue::lab::Sealable;
use heist_queue::{Backend, IdleKind, MAX_WORKERS, PopOrder, Sharing, Spawner, Stop};

use crate::guard::wait_until;
use crate::setup::{CONTINUE, Setup, does, setups, spawns, wait_sharing, walk};
use crate::sleepers::DOZE;
use crate::tree::{Item, Ledger, Tree, bushy, chain, comb, random, star};

pub(crate) fn every_tree_on_every_number_of_workers(setup: &Setup) {
    let rng = &mut fastrand::Rng::with_seed(7);
    let trees = [bushy(4, 5), bushy(2, 9), chain(300), comb(200), star(1500), random(1000, rng)];
    every_tree(setup, 1..=32, &trees);
}

/// The same with few numbers of workers, for every pair of queue and policy.
pub(crate) fn every_tree_runs(setup: &Setup) {
    let rng = &mut fastrand::Rng::with_seed(7);
    let trees = [bushy(4, 4), chain(100), comb(100), star(500), random(400, rng)];
    every_tree(setup, [2, 3, 9], &trees);
}

fn every_tree(setup: &Setup, crews: impl IntoIterator<Item = usize>, trees: &[Tree]) {
    for workers in crews {
        for tree in trees {
            let what = format!("{workers} workers, {} nodes", tree.len());
            let ledger = Ledger::new(tree.clone());
            let report = setup.walk(&ledger, workers, walk).expect(&what);
            ledger.assert_complete();
            assert_eq!(report.executed, tree.len() as u64, "{what}");
            assert_eq!((report.stop, report.dropped), (Stop::Done, 0), "{what}");
        }
    }
}

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
        let expected = match (B::ORDER, setup.cfg.sharing) {
            (PopOrder::NewestFirst, _) => &alone[..],
            (PopOrder::OldestFirst, Sharing::Eager) => &[0, 1, 2, 3, 4, 5, 6],
            // Thieves have enough with the first four, so the last two stay private.
            (PopOrder::OldestFirst, Sharing::Lazy) => &[0, 5, 6, 1, 2, 3, 4],
        };
        let refused = setup.with(|cfg| cfg.stack_size = Some(usize::MAX >> 4));
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

/// Node 1 runs first and does not return before other workers, parked by then or not, have run its
/// siblings.
pub(crate) fn siblings_of_a_long_item_run_meanwhile(setup: &Setup) {
    for (workers, doze) in [(2, Duration::ZERO), (3, DOZE)] {
        let ledger = Ledger::new(star(5));
        let job = |_| {
            does(|item, spawner| {
                thread::sleep(if item.node == 0 { doze } else { Duration::ZERO });
                item.children().for_each(|child| spawner.spawn(child));
                if item.node == 1 {
                    wait_sharing("siblings", spawner, || (2..=5).all(|node| item.ledger.ran(node)));
                }
                CONTINUE
            })
        };
        setup.walk(&ledger, workers, job).unwrap();
        ledger.assert_complete();
    }
}

/// A flush makes items visible while their parent runs.
pub(crate) fn a_flushed_item_runs_meanwhile(setup: &Setup) {
    meanwhile(setup, |spawner| spawner.flush());
}

/// So does a seal.
pub(crate) fn children_of_a_sealed_item_run_meanwhile(setup: &Setup) {
    meanwhile(setup, |spawner| Sealable::new(spawner).seal());
}

fn meanwhile(setup: &Setup, share: fn(&mut dyn Spawner<Item>)) {
    let ledger = Ledger::new(star(1));
    let job = |_| {
        spawns(|item, spawner| {
            share(spawner);
            if item.node == 0 {
                wait_sharing("the child", spawner, || item.ledger.ran(1));
            }
            CONTINUE
        })
    };
    assert_eq!(setup.walk(&ledger, 2, job).unwrap().threads_started, 1);
    ledger.assert_complete();
}

pub(crate) fn counts_add_up(setup: &Setup) {
    for workers in [2, 4, 16] {
        let tree = bushy(5, 5);
        let nodes = tree.len() as u64;
        let report = setup.walk(&Ledger::new(tree), workers, walk).unwrap();
        assert_eq!((report.executed, report.spawned, report.dropped), (nodes, nodes, 0));
        let queue = report.queue;
        assert_eq!(queue.pushed, queue.popped + queue.steals, "{queue:?}");
        if setup.cfg.sharing == Sharing::Eager {
            assert_eq!(queue.pushed, nodes, "everything goes through the queue");
        }
        let ran: u64 = report.outputs.iter().map(|(_, seen)| seen.len() as u64).sum();
        assert_eq!(ran, nodes);
        assert!(report.idle.spurious <= report.idle.parks, "{:?}", report.idle);
    }
}

/// Extra workers do not start, however much there is to do, until a job allows it.
pub(crate) fn extra_workers_start_when_allowed(setup: &Setup) {
    for (extra_workers, most) in [(3, 0), (2, 1), (9, 0)] {
        let setup = setup.with(|cfg| cfg.extra_workers = extra_workers);
        let ledger = Ledger::new(bushy(5, 4));
        let report = setup.walk(&ledger, 4, |_| spawns(|_, _| CONTINUE)).unwrap();
        assert!(report.threads_started <= most, "{} of {most}", report.threads_started);
        assert_eq!(report.outputs.len(), 4);
        ledger.assert_complete();
    }
    // Three items that end only when all have begun, which takes all three workers.
    let job = |_| {
        spawns(|item, spawner| {
            if item.node == 0 {
                spawner.flush();
                spawner.allow_extra_workers();
            } else {
                let all = || (1..=3).all(|node| item.ledger.ran(node));
                wait_sharing("the extra workers", spawner, all);
            }
            CONTINUE
        })
    };
    let setup = setup.with(|cfg| cfg.extra_workers = 2);
    let report = setup.walk(&Ledger::new(star(3)), 3, job).unwrap();
    assert_eq!(report.threads_started, 2);
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
