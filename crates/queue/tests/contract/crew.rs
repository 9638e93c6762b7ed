//! Whole runs in which nothing goes wrong.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use heist_queue::lab::Sealable;
use heist_queue::{
    Backend, BiasedEvent, Job, MAX_WORKERS, PopOrder, RunConfig, Sharing, Spawner, Stop, run,
};

use crate::guard::{guarded, wait_until};
use crate::tree::{
    CONTINUE, Item, Ledger, bushy, chain, comb, does, random, setups, spawns, star, wait_sharing,
    walk, walks,
};

pub(crate) fn every_tree_on_every_number_of_workers<B: Backend<Item>>() {
    let trees = [
        bushy(4, 5),
        bushy(2, 9),
        chain(300),
        comb(200),
        star(1500),
        random(1000, &mut fastrand::Rng::with_seed(7)),
    ];
    for workers in 1..=32 {
        for cfg in setups() {
            for tree in &trees {
                let ledger = Ledger::new(tree.clone());
                let what = format!("{} workers, {} nodes, {cfg:?}", workers, tree.len());
                let report = guarded(&what, || walk::<B, _>(&cfg, &ledger, walks(workers)));
                let report = report.expect(&what);
                ledger.assert_complete();
                assert_eq!(report.executed, tree.len() as u64, "{what}");
                assert_eq!((report.stop, report.dropped), (Stop::Done, 0), "{what}");
            }
        }
    }
}

pub(crate) fn roots_run_in_order_on_one_worker<B: Backend<Item>>() {
    //      0        4
    //    1   3      5
    //    2
    let tree = vec![vec![1, 3], vec![2], vec![], vec![], vec![5], vec![]];
    let ledger = Ledger::new(tree);
    let roots = vec![ledger.item(0), ledger.item(4)];
    let report = run::<_, B, BiasedEvent, _>(&RunConfig::default(), roots, walks(1)).unwrap();
    assert_eq!(report.outputs, [[0, 1, 2, 3, 4, 5]], "depth first, in the order of spawning");
    assert_eq!(report.threads_started, 0);
}

/// The order of a sequence of spawns and flushes is known for one worker, and for a crew whose
/// threads the system refuses. With a newest-first queue the two are the same. An oldest-first
/// queue runs shared items in the order of sharing, after the worker's private ones.
pub(crate) fn flush_keeps_the_order<B: Backend<Item>>() {
    let order = |cfg: &RunConfig, workers: usize| {
        let ledger = Ledger::new(star(6));
        let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
        let jobs = (0..workers).map(|_| {
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
        });
        walk::<B, _>(cfg, &ledger, jobs.collect()).unwrap();
        ledger.assert_complete();
        seen.lock().unwrap().clone()
    };
    let alone = order(&RunConfig::default(), 1);
    assert_eq!(alone, [0, 5, 6, 3, 4, 1, 2]);
    for cfg in setups() {
        let cfg = RunConfig { stack_size: Some(usize::MAX >> 4), ..cfg };
        let expected = match (B::ORDER, cfg.sharing) {
            (PopOrder::NewestFirst, _) => &alone[..],
            (PopOrder::OldestFirst, Sharing::Eager) => &[0, 1, 2, 3, 4, 5, 6],
            // Thieves have enough with the first four, so the last two stay private.
            (PopOrder::OldestFirst, Sharing::Lazy) => &[0, 5, 6, 1, 2, 3, 4],
        };
        assert_eq!(order(&cfg, 2), expected, "{cfg:?}");
    }
}

pub(crate) fn outputs_come_in_the_order_of_jobs<B: Backend<Item>>() {
    struct Numbered(usize);
    impl Job<Item> for Numbered {
        type Output = usize;
        fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
            item.record();
            item.children().for_each(|child| spawner.spawn(child));
            CONTINUE
        }
        fn finish(self) -> usize {
            self.0
        }
    }
    for cfg in setups() {
        let ledger = Ledger::new(star(50));
        let report = walk::<B, _>(&cfg, &ledger, (0..9).map(Numbered).collect()).unwrap();
        assert!(report.outputs.into_iter().eq(0..9));
    }
}

pub(crate) fn a_tiny_run_starts_no_thread<B: Backend<Item>>() {
    for sharing in [Sharing::Lazy, Sharing::Eager] {
        let cfg = RunConfig { sharing, ..RunConfig::default() };
        let ledger = Ledger::new(chain(20));
        let report = walk::<B, _>(&cfg, &ledger, walks(8)).unwrap();
        assert_eq!(report.threads_started, 0, "there were never two items at once, {sharing:?}");
        let cfg = RunConfig { lazy_spawn: false, ..cfg };
        let report = walk::<B, _>(&cfg, &Ledger::new(chain(20)), walks(8)).unwrap();
        assert_eq!(report.threads_started, 7, "all threads start at once, {sharing:?}");
    }
}

pub(crate) fn no_roots_no_jobs_and_too_many_jobs<B: Backend<Item>>() {
    for cfg in setups() {
        for workers in [1, 2, 5] {
            let report = run::<Item, B, BiasedEvent, _>(&cfg, vec![], walks(workers)).unwrap();
            assert_eq!((report.executed, report.stop), (0, Stop::Done));
            assert_eq!(report.outputs.len(), workers);
        }
        let ledger = Ledger::new(star(3));
        let report = walk::<B, _>(&cfg, &ledger, walks(0)).unwrap();
        assert_eq!((report.executed, report.dropped, report.stop), (0, 1, Stop::Quit));
        ledger.assert_partial(0);

        let ledger = Ledger::new(bushy(3, 5));
        let report = walk::<B, _>(&cfg, &ledger, walks(MAX_WORKERS + 4)).unwrap();
        ledger.assert_complete();
        assert_eq!(report.outputs.len(), MAX_WORKERS + 4);
        assert!(report.threads_started < MAX_WORKERS);
    }
}

/// Node 1 runs first and does not return before another worker has run its siblings.
pub(crate) fn siblings_of_a_long_item_run_meanwhile<B: Backend<Item>>() {
    for cfg in setups() {
        let ledger = Ledger::new(star(5));
        let job = || {
            spawns(|item, spawner| {
                if item.node == 1 {
                    wait_sharing("siblings", spawner, || (2..=5).all(|node| item.ledger.ran(node)));
                }
                CONTINUE
            })
        };
        guarded("siblings", || walk::<B, _>(&cfg, &ledger, vec![job(), job()])).unwrap();
        ledger.assert_complete();
    }
}

/// A flush makes items visible while their parent runs.
pub(crate) fn a_flushed_item_runs_meanwhile<B: Backend<Item>>() {
    meanwhile::<B>(|spawner| spawner.flush());
}

/// So does a seal.
pub(crate) fn children_of_a_sealed_item_run_meanwhile<B: Backend<Item>>() {
    meanwhile::<B>(|spawner| Sealable::new(spawner).seal());
}

fn meanwhile<B: Backend<Item>>(share: fn(&mut dyn Spawner<Item>)) {
    for cfg in setups() {
        let ledger = Ledger::new(star(1));
        let job = || {
            spawns(|item, spawner| {
                share(spawner);
                if item.node == 0 {
                    wait_sharing("the child", spawner, || item.ledger.ran(1));
                }
                CONTINUE
            })
        };
        let report = guarded("shared early", || walk::<B, _>(&cfg, &ledger, vec![job(), job()]));
        assert_eq!(report.unwrap().threads_started, 1);
        ledger.assert_complete();
    }
}

pub(crate) fn counts_add_up<B: Backend<Item>>() {
    for cfg in setups() {
        for workers in [2, 4, 16] {
            let tree = bushy(5, 5);
            let nodes = tree.len() as u64;
            let ledger = Ledger::new(tree);
            let report = walk::<B, _>(&cfg, &ledger, walks(workers)).unwrap();
            assert_eq!((report.executed, report.spawned, report.dropped), (nodes, nodes, 0));
            let queue = report.queue;
            assert_eq!(queue.pushed, queue.popped + queue.steals, "{queue:?}");
            if cfg.sharing == Sharing::Eager {
                assert_eq!(queue.pushed, nodes, "everything goes through the queue");
            }
            let ran: u64 = report.outputs.iter().map(|seen| seen.len() as u64).sum();
            assert_eq!(ran, nodes);
            assert!(report.idle.spurious <= report.idle.parks, "{:?}", report.idle);
        }
    }
}

/// Extra workers do not start, however much there is to do, until a job allows it.
pub(crate) fn extra_workers_start_when_allowed<B: Backend<Item>>() {
    for cfg in setups() {
        for (extra_workers, most) in [(3, 0), (2, 1), (9, 0)] {
            let cfg = RunConfig { extra_workers, ..cfg.clone() };
            let ledger = Ledger::new(bushy(5, 4));
            let job = || spawns(|_, _| CONTINUE);
            let jobs = vec![job(), job(), job(), job()];
            let report = guarded("extra workers", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap();
            assert!(report.threads_started <= most, "{} of {most}", report.threads_started);
            assert_eq!(report.outputs.len(), 4);
            ledger.assert_complete();
        }
        let cfg = RunConfig { extra_workers: 2, ..cfg };
        // Three items that end only when all have begun, which takes all three workers.
        let ledger = Ledger::new(star(3));
        let job = || {
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
        let jobs = vec![job(), job(), job()];
        let report = guarded("called", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap();
        assert_eq!(report.threads_started, 2);
    }
}

/// While worker 0 is busy, worker 1 parks, after a call of `before_park`; worker 0 sees that it is
/// idle.
pub(crate) fn before_park_is_called_and_idle_workers_are_seen<B: Backend<Item>>() {
    static CALLED: AtomicUsize = AtomicUsize::new(0);
    struct Waits(Arc<AtomicBool>);
    impl Job<Item> for Waits {
        type Output = ();
        fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
            item.record();
            wait_until("a sleeper", || {
                self.0.load(Ordering::Acquire) && spawner.has_idle_workers()
            });
            CONTINUE
        }
        fn before_park(&mut self) -> ControlFlow<()> {
            CALLED.fetch_add(1, Ordering::Relaxed);
            self.0.store(true, Ordering::Release);
            CONTINUE
        }
        fn finish(self) {}
    }
    let cfg = RunConfig { lazy_spawn: false, ..RunConfig::default() };
    let (called, ledger) = (Arc::new(AtomicBool::new(false)), Ledger::new(star(0)));
    let jobs = vec![Waits(Arc::clone(&called)), Waits(called)];
    guarded("before_park", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap();
    assert!(CALLED.load(Ordering::Relaxed) > 0);

    let alone = does(|_, spawner| {
        assert!(!spawner.has_idle_workers() && !spawner.stopped(), "there is no other worker");
        CONTINUE
    });
    walk::<B, _>(&cfg, &Ledger::new(star(0)), vec![alone]).unwrap();
}
