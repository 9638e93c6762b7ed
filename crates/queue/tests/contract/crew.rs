//! What a run owes its caller when nothing goes wrong.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use heist_queue::{
    Backend, BiasedEvent, Job, MAX_WORKERS, PopOrder, RunConfig, Sharing, Spawner, Stop, run,
};

use crate::guard::{Random, guarded, wait_until};
use crate::tree::{
    Anywhere, Does, Item, Ledger, bushy, chain, comb, random, setups, star, wait_sharing, walk,
    walks,
};

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

pub(crate) fn every_tree_on_every_number_of_workers<B: Backend<Item>>() {
    let trees =
        [bushy(4, 5), bushy(2, 9), chain(300), comb(200), star(1500), random(1000, &mut Random(7))];
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

/// The order of a sequence of spawns and flushes is known: alone, and in a crew when no thread can be
/// had. With a newest-first queue the two are the same. An oldest-first queue runs what was shared
/// in the order of sharing, after what the worker has kept to itself.
pub(crate) fn flush_keeps_the_order<B: Backend<Item>>() {
    let order = |cfg: &RunConfig, workers: usize| {
        let ledger = Ledger::new(star(6));
        let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
        let jobs = (0..workers).map(|_| {
            let seen = Arc::clone(&seen);
            Does(move |item: Item, sink: &mut dyn Anywhere| {
                seen.lock().unwrap().push(item.node);
                for child in item.children() {
                    let flush = child.node == 2 || child.node == 4;
                    sink.spawn(child);
                    if flush {
                        sink.flush();
                    }
                }
                GO_ON
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
        fn run<S: Spawner<Item>>(&mut self, item: Item, sink: &mut S) -> ControlFlow<()> {
            item.note();
            item.children().for_each(|child| sink.spawn(child));
            GO_ON
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
        assert_eq!(report.threads_started, 0, "there never were two items at once, {sharing:?}");
        let cfg = RunConfig { lazy_spawn: false, ..cfg };
        let report = walk::<B, _>(&cfg, &Ledger::new(chain(20)), walks(8)).unwrap();
        assert_eq!(report.threads_started, 7, "all were asked for, {sharing:?}");
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

/// Node 1 is run first and does not return before its siblings have run: somebody else has to.
pub(crate) fn siblings_of_a_long_item_run_meanwhile<B: Backend<Item>>() {
    for cfg in setups() {
        let ledger = Ledger::new(star(5));
        let job = || {
            Does(|item: Item, sink: &mut dyn Anywhere| {
                item.children().for_each(|child| sink.spawn(child));
                if item.node == 1 {
                    wait_sharing("siblings", sink, || (2..=5).all(|node| item.ledger.ran(node)));
                }
                GO_ON
            })
        };
        guarded("siblings", || walk::<B, _>(&cfg, &ledger, vec![job(), job()])).unwrap();
        ledger.assert_complete();
    }
}

/// A flush makes items visible while their parent runs.
pub(crate) fn a_flushed_item_runs_meanwhile<B: Backend<Item>>() {
    meanwhile::<B>(|sink| sink.flush());
}

/// So does a seal.
pub(crate) fn children_of_a_sealed_item_run_meanwhile<B: Backend<Item>>() {
    meanwhile::<B>(|sink| sink.seal());
}

fn meanwhile<B: Backend<Item>>(share: fn(&mut dyn Anywhere)) {
    for cfg in setups() {
        let ledger = Ledger::new(star(1));
        let job = || {
            Does(|item: Item, sink: &mut dyn Anywhere| {
                item.children().for_each(|child| sink.spawn(child));
                share(sink);
                if item.node == 0 {
                    wait_sharing("the child", sink, || item.ledger.ran(1));
                }
                GO_ON
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

/// Workers in reserve do not begin, however much there is to do, until somebody calls them.
pub(crate) fn a_reserve_comes_when_it_is_called<B: Backend<Item>>() {
    for cfg in setups() {
        for (reserve, begun) in [(3, 0), (2, 1), (9, 0)] {
            let cfg = RunConfig { extra_workers: reserve, ..cfg.clone() };
            let ledger = Ledger::new(bushy(5, 4));
            let job = || {
                Does(|item: Item, sink: &mut dyn Anywhere| {
                    item.children().for_each(|child| sink.spawn(child));
                    GO_ON
                })
            };
            let jobs = vec![job(), job(), job(), job()];
            let report = guarded("reserve", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap();
            assert!(report.threads_started <= begun, "{} of {begun}", report.threads_started);
            assert_eq!(report.outputs.len(), 4);
            ledger.assert_complete();
        }
        let cfg = RunConfig { extra_workers: 2, ..cfg };
        // Three items that are done when all have begun: it takes all three workers.
        let ledger = Ledger::new(star(3));
        let job = || {
            Does(|item: Item, sink: &mut dyn Anywhere| {
                item.children().for_each(|child| sink.spawn(child));
                if item.node == 0 {
                    sink.flush();
                    sink.allow_extra_workers();
                } else {
                    let all = || (1..=3).all(|node| item.ledger.ran(node));
                    wait_sharing("the reserve", sink, all);
                }
                GO_ON
            })
        };
        let jobs = vec![job(), job(), job()];
        let report = guarded("called", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap();
        assert_eq!(report.threads_started, 2);
    }
}

/// While worker 0 is busy, worker 1 goes to sleep, having been asked for what it holds back; worker
/// 0 sees it is has_idle_workers.
pub(crate) fn a_sleeper_is_asked_before_and_hungry_tells<B: Backend<Item>>() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    struct Waits(Arc<AtomicBool>);
    impl Job<Item> for Waits {
        type Output = ();
        fn run<S: Spawner<Item>>(&mut self, item: Item, sink: &mut S) -> ControlFlow<()> {
            item.note();
            wait_until("a sleeper", || self.0.load(Ordering::Acquire) && sink.has_idle_workers());
            GO_ON
        }
        fn before_park(&mut self) -> ControlFlow<()> {
            ASKED.fetch_add(1, Ordering::Relaxed);
            self.0.store(true, Ordering::Release);
            GO_ON
        }
        fn finish(self) {}
    }
    let cfg = RunConfig { lazy_spawn: false, ..RunConfig::default() };
    let (asked, ledger) = (Arc::new(AtomicBool::new(false)), Ledger::new(star(0)));
    let jobs = vec![Waits(Arc::clone(&asked)), Waits(asked)];
    guarded("asked", || walk::<B, _>(&cfg, &ledger, jobs)).unwrap();
    assert!(ASKED.load(Ordering::Relaxed) > 0);

    let alone = Does(|_: Item, sink: &mut dyn Anywhere| {
        assert!(!sink.has_idle_workers() && !sink.stopped(), "there is nobody else");
        GO_ON
    });
    walk::<B, _>(&cfg, &Ledger::new(star(0)), vec![alone]).unwrap();
}
