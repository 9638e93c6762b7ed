//! Whole runs, as scripts in `scripts/runs.txt`: what jobs do with the nodes of a tree, and how the
//! run ends.
//!
//! A case is `## TITLE`, some of these lines, and `-> OUTCOME`:
//!
//! | line | meaning |
//! |---|---|
//! | `tree KIND N…` | a tree to walk from its root; the case runs with each |
//! | `workers N…` | the case runs with each number |
//! | `at N…` | `quit` and `panic` wait until so many items have begun; runs with each |
//! | `extra N`, `refused` | the number of extra workers; the system refuses threads |
//! | `policies` | the case also runs with every idle policy |
//! | `N: ACTION, …`, `each: ACTION, …` | what the job does with node N, or the others |
//!
//! Without a line for it, a job spawns the children of a node. The actions are `spawn` all
//! children, `flush`, `seal`, `allow` extra workers, `doze`, `wait N…` until these nodes have
//! begun, check that the run is `running`, wait `until-stopped`, `quit` and `panic`. The outcome
//! is `done`, `quit` or `panic MESSAGE`, perhaps followed by the number of `threads` that were
//! started, `at-most` how many, how many items were `executed`, or `drops`: some items were
//! dropped. What is true of all runs is checked of each.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use heist_queue::lab::Sealable;
use heist_queue::{RunReport, Sharing, Spawner, Stop};

use crate::guard::wait_until;
use crate::scripts::{Case, cases, numbers};
use crate::setup::{CONTINUE, REFUSED_STACK, Setup, does, wait_sharing};
use crate::sleepers::DOZE;
use crate::tree::{Item, Ledger, Tree, bushy, chain, comb, random, star};

const RUNS: &str = include_str!("scripts/runs.txt");

pub(crate) fn every_run_ends_as_scripted(setup: &Setup) {
    cases(RUNS).for_each(|case| play(&case, setup));
}

pub(crate) fn every_policy_ends_runs_as_scripted(setup: &Setup) {
    cases(RUNS).filter(|case| case.has("policies")).for_each(|case| play(&case, setup));
}

fn play(case: &Case<'_>, setup: &Setup) {
    let setup = setup.with(|cfg| {
        cfg.extra_workers = case.numbers("extra ").first().copied().unwrap_or(0);
        cfg.stack_size = case.has("refused").then_some(REFUSED_STACK);
    });
    let at: Vec<Option<usize>> = match &case.numbers("at ")[..] {
        [] => vec![None],
        at => at.iter().copied().map(Some).collect(),
    };
    for kind in case.values("tree ") {
        for workers in case.numbers("workers ") {
            for &at in &at {
                eprintln!("{}: {kind}, {workers} workers, at {at:?}", case.title);
                play_once(case, &setup, tree(kind), workers, at);
            }
        }
    }
}

fn tree(kind: &str) -> Tree {
    let (shape, size) = kind.split_once(' ').expect("a shape and numbers");
    match (shape, &numbers(size)[..]) {
        ("bushy", &[width, depth]) => bushy(width, depth as u32),
        ("chain", &[length]) => chain(length),
        ("comb", &[length]) => comb(length),
        ("star", &[leaves]) => star(leaves),
        ("random", &[nodes]) => random(nodes, &mut fastrand::Rng::with_seed(7)),
        _ => panic!("no such tree: {kind}"),
    }
}

fn play_once(case: &Case<'_>, setup: &Setup, tree: Tree, workers: usize, at: Option<usize>) {
    let ledger = Ledger::new(tree);
    let actions = case.of_nodes();
    let others = case.values("each: ").next().unwrap_or("spawn");
    let begun = AtomicUsize::new(0);
    let job = |_| {
        does(|item: Item, spawner: &mut dyn Spawner<Item>| {
            let count = begun.fetch_add(1, Ordering::Relaxed);
            let ends = at.is_none_or(|at| at == count);
            perform(actions.get(&item.node).unwrap_or(&others), &item, spawner, ends)
        })
    };
    let result = setup.walk(&ledger, workers, job);
    let outcome = case.values("-> ").next().expect("an outcome");
    match (outcome.strip_prefix("panic "), result) {
        (Some(message), Err(panicked)) => {
            assert_eq!(panicked.message(), Some(message));
            assert!(panicked.worker < workers);
            ledger.assert_no_leak();
        }
        (None, Ok(report)) => check(outcome, setup, workers, &ledger, &report),
        (_, result) => panic!("{outcome} expected: {result:?}"),
    }
}

/// Performs the actions of an item. `ends`: it is this item that quits or panics.
fn perform(
    actions: &str,
    item: &Item,
    spawner: &mut dyn Spawner<Item>,
    ends: bool,
) -> ControlFlow<()> {
    let mut spawner = Sealable::new(spawner);
    for action in actions.split(", ") {
        match action.split_once(' ').unwrap_or((action, "")) {
            ("spawn", _) => item.children().for_each(|child| spawner.spawn(child)),
            ("flush", _) => spawner.flush(),
            ("seal", _) => spawner.seal(),
            ("allow", _) => spawner.allow_extra_workers(),
            ("doze", _) => thread::sleep(DOZE),
            ("wait", nodes) => {
                let nodes = numbers(nodes);
                let all = || nodes.iter().all(|&node| item.ledger.ran(node));
                wait_sharing(action, &mut spawner, all);
            }
            ("running", _) => assert!(!spawner.stopped()),
            ("until-stopped", _) => wait_until(action, || spawner.stopped()),
            ("quit", _) if ends => return ControlFlow::Break(()),
            ("panic", _) if ends => resume_unwind(Box::new("as scripted")),
            ("quit" | "panic", _) => {}
            _ => panic!("no such action: {action}"),
        }
    }
    CONTINUE
}

/// Checks the report of a run without a panic.
fn check(outcome: &str, setup: &Setup, workers: usize, ledger: &Ledger, report: &RunReport<()>) {
    assert_eq!(report.outputs.len(), workers);
    assert_eq!(report.executed + report.dropped, report.spawned);
    assert!(report.idle.spurious <= report.idle.parks, "{:?}", report.idle);
    let mut details = outcome.split(", ");
    if details.next() == Some("done") {
        let nodes = ledger.tree.len() as u64;
        assert_eq!((report.executed, report.dropped, report.stop), (nodes, 0, Stop::Done));
        ledger.assert_complete();
        let queue = report.queue;
        assert_eq!(queue.pushed, queue.popped + queue.steals, "{queue:?}");
        if setup.cfg.sharing == Sharing::Eager && workers > 1 {
            assert_eq!(queue.pushed, nodes, "everything goes through the queue");
        }
    } else {
        assert_eq!(report.stop, Stop::Quit);
        ledger.assert_partial(report.executed);
    }
    for detail in details {
        let (what, number) = detail.split_once(' ').unwrap_or((detail, "0"));
        let number: usize = number.parse().expect("a number");
        match what {
            "threads" => assert_eq!(report.threads_started, number),
            "at-most" => assert!(report.threads_started <= number),
            "executed" => assert_eq!(report.executed, number as u64),
            "drops" => assert!(report.dropped > 0, "the workers cannot have run everything"),
            _ => panic!("no such detail: {detail}"),
        }
    }
}
