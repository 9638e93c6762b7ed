//! Every idle policy with every queue: sleepers are woken, and the end of the run wakes all.
//!
//! The other modules test the queues with the default policy, and `stress` draws pairs at random;
//! these are the cases in which workers have parked.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use heist_queue::lab::ProducerToken;
use heist_queue::{
    IdleConfig, IdleKind, Job, Panicked, QueueKind, RunConfig, RunReport, Stop, run_on,
    run_with_producers_on,
};

use crate::guard::{guarded, wait_until};
use crate::tree::{
    CONTINUE, Item, Ledger, bushy, chain, comb, does, random, setups, star, wait_sharing, walks,
};

/// Enough time for idle workers to park. If it is not, a case is easier than intended.
const DOZE: Duration = Duration::from_millis(2);

/// Every queue in every setup, with `policy`.
fn runs(policy: IdleKind) -> impl Iterator<Item = (QueueKind, RunConfig)> {
    let idle = IdleConfig { policy, ..IdleConfig::default() };
    let with = move |cfg: RunConfig| RunConfig { idle: idle.clone(), ..cfg };
    QueueKind::ALL.iter().flat_map(move |&queue| {
        let with = with.clone();
        setups().map(move |cfg| (queue, with(cfg)))
    })
}

/// Runs the tree of `ledger` from its root; names the pair if that hangs.
fn run<J: Job<Item> + Send>(
    case: impl Display,
    queue: QueueKind,
    cfg: &RunConfig,
    ledger: &Arc<Ledger>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked> {
    let what = format!("{case}: {queue}, {cfg:?}");
    guarded(what, || run_on(queue, cfg, vec![ledger.item(0)], jobs))
}

fn every_tree_runs(policy: IdleKind) {
    let trees = [
        bushy(4, 4),
        chain(100),
        comb(100),
        star(500),
        random(400, &mut fastrand::Rng::with_seed(7)),
    ];
    for (queue, cfg) in runs(policy) {
        for tree in &trees {
            for workers in [2, 3, 9] {
                let ledger = Ledger::new(tree.clone());
                let report = run("tree", queue, &cfg, &ledger, walks(workers)).unwrap();
                ledger.assert_complete();
                assert_eq!((report.executed, report.stop), (tree.len() as u64, Stop::Done));
            }
        }
    }
}

/// Node 1 does not return before its siblings have run.
fn siblings_of_a_long_item_run_meanwhile(policy: IdleKind) {
    for (queue, cfg) in runs(policy) {
        let ledger = Ledger::new(star(5));
        let job = |_| {
            does(|item, spawner| {
                thread::sleep(if item.node == 0 { DOZE } else { Duration::ZERO });
                item.children().for_each(|child| spawner.spawn(child));
                if item.node == 1 {
                    wait_sharing("siblings", spawner, || (2..=5).all(|node| item.ledger.ran(node)));
                }
                CONTINUE
            })
        };
        run("siblings", queue, &cfg, &ledger, (0..3).map(job).collect()).unwrap();
        ledger.assert_complete();
    }
}

/// As many items as workers, none of which returns before all have begun, so no worker stays
/// asleep. Repeated after all workers have been idle.
fn no_worker_is_stranded(policy: IdleKind) {
    const CREW: usize = 5;
    // A chain of three stars, each on the first leaf of the one before.
    let star_at = |first: usize| (first..first + CREW).collect::<Vec<_>>();
    let mut tree = vec![vec![]; 1 + 3 * CREW];
    tree[0] = star_at(1);
    tree[1] = star_at(1 + CREW);
    tree[1 + CREW] = star_at(1 + 2 * CREW);
    for (queue, cfg) in runs(policy) {
        let ledger = Ledger::new(tree.clone());
        let job = |_| {
            does(|item, spawner| {
                if item.node > 0 {
                    let first = item.node - (item.node - 1) % CREW;
                    let began = || (first..first + CREW).all(|node| item.ledger.ran(node));
                    wait_sharing("the meeting", spawner, began);
                }
                // By now the others are idle until this worker spawns.
                if item.children().count() > 0 {
                    thread::sleep(DOZE);
                    item.children().for_each(|child| spawner.spawn(child));
                }
                CONTINUE
            })
        };
        run("stranded", queue, &cfg, &ledger, (0..CREW).map(job).collect()).unwrap();
        ledger.assert_complete();
    }
}

/// The end of a run, repeatedly, against workers that are parked or about to park.
fn the_end_wakes_all_workers(policy: IdleKind) {
    for (queue, cfg) in runs(policy) {
        for round in 0..24 {
            let doze = [Duration::ZERO, Duration::from_micros(round * 20)];
            let ledger = Ledger::new(chain(2));
            let job = |_| {
                does(|item, spawner| {
                    thread::sleep(doze[item.node]);
                    item.children().for_each(|child| spawner.spawn(child));
                    CONTINUE
                })
            };
            run("the end", queue, &cfg, &ledger, (0..4).map(job).collect()).unwrap();
            ledger.assert_complete();
        }
    }
}

fn a_quit_or_a_panic_wakes_the_sleepers(policy: IdleKind) {
    for (queue, cfg) in runs(policy) {
        for panics in [false, true] {
            let ledger = Ledger::new(star(3));
            let job = |_| {
                does(|item, spawner| {
                    thread::sleep(DOZE);
                    item.children().for_each(|child| spawner.spawn(child));
                    if panics {
                        resume_unwind(Box::new("rudely"));
                    }
                    ControlFlow::Break(())
                })
            };
            match run("early end", queue, &cfg, &ledger, (0..4).map(job).collect()) {
                Ok(report) => assert_eq!((report.stop, panics), (Stop::Quit, false)),
                Err(panicked) => assert_eq!((panicked.message(), panics), (Some("rudely"), true)),
            }
            ledger.assert_no_leak();
        }
    }
}

/// A producer that waits for each item, so that all workers sleep in between, and one that makes
/// many at once. Half of the runs let a backlog wait for a worker that is awake.
fn producers_wake_sleepers(policy: IdleKind) {
    for (turn, (queue, mut cfg)) in runs(policy).enumerate() {
        cfg.idle.backlog = if (turn / 2) % 2 == 0 { 0 } else { 20 };
        let ledger = Ledger::new(star(120));
        let watched = Arc::clone(&ledger);
        let producer = |bulk: bool| {
            let watched = Arc::clone(&watched);
            move |mut token: ProducerToken<'_, Item>| {
                if bulk {
                    thread::sleep(DOZE);
                    token.push_batch(&mut (21..=120).map(|node| watched.item(node)).collect());
                }
                let one_by_one = if bulk { 0 } else { 20 };
                for node in 1..=one_by_one {
                    token.push(watched.item(node));
                    wait_until("the item", || watched.ran(node));
                }
            }
        };
        let count = AtomicUsize::new(0);
        let job = |_| {
            does(|_, _| {
                count.fetch_add(1, Ordering::Relaxed);
                CONTINUE
            })
        };
        let producers = vec![producer(false), producer(true)];
        let jobs = (0..3).map(job).collect();
        let report = guarded(format!("fed: {queue}, {cfg:?}"), || {
            run_with_producers_on(queue, &cfg, producers, jobs)
        });
        assert_eq!(report.unwrap().executed, 120);
        assert_eq!(count.load(Ordering::Relaxed), 120);
        ledger.assert_partial(120);
    }
}

/// Makes a test module of each policy, with the same cases in each.
macro_rules! policies {
    ($($name:ident: $kind:ident),+ $(,)?) => {
        const UNDER_CONTRACT: &[&str] = &[$(stringify!($name)),+];

        $(
            mod $name {
                policies! { @cases $kind:
                    every_tree_runs, siblings_of_a_long_item_run_meanwhile, no_worker_is_stranded,
                    the_end_wakes_all_workers, a_quit_or_a_panic_wakes_the_sleepers,
                    producers_wake_sleepers
                }
            }
        )+
    };
    (@cases $kind:ident: $($case:ident),+) => {
        $(
            #[test]
            fn $case() {
                super::$case(heist_queue::IdleKind::$kind);
            }
        )+
    };
}

policies!(
    biased_event: BiasedEvent,
    fifo_event: FifoEvent,
    biased_chain: BiasedChain,
    yield_condvar: YieldCondvar,
    poll_1ms: Poll1ms,
);

#[test]
fn every_policy_is_under_contract() {
    let names: Vec<String> = UNDER_CONTRACT.iter().map(|name| name.replace('_', "-")).collect();
    assert_eq!(names, IdleKind::NAMES);
}

#[test]
fn policies_and_kinds_have_the_same_name() {
    use heist_queue::lab::{BiasedChain, FifoEvent, Poll1ms, YieldCondvar};
    use heist_queue::{BiasedEvent, IdlePolicy};
    let names =
        [BiasedEvent::NAME, FifoEvent::NAME, BiasedChain::NAME, YieldCondvar::NAME, Poll1ms::NAME];
    assert_eq!(names, IdleKind::NAMES);
    for kind in IdleKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(*kind));
    }
    let unknown = "doze".parse::<IdleKind>().unwrap_err().to_string();
    assert!(unknown.starts_with("unknown idle policy 'doze', expected one of: "), "{unknown}");
}
