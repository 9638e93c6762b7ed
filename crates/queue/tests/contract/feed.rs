//! Runs that are fed by producers.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;

use heist_queue::lab::{ProducerToken, run_with_producers};
use heist_queue::{Backend, BiasedEvent, Job, Panicked, RunReport, Stop};

use crate::guard::{guarded, wait_until};
use crate::tree::{CONTINUE, Item, Ledger, does, setups, star, walks};

fn fed<B, J, F>(producers: Vec<F>, jobs: Vec<J>) -> Result<RunReport<J::Output>, Panicked>
where
    B: Backend<Item>,
    J: Job<Item> + Send,
    F: FnOnce(ProducerToken<'_, Item>) + Send,
{
    let cfg = setups().next().expect("there is a setup");
    guarded("fed", || run_with_producers::<_, B, BiasedEvent, _, _>(&cfg, producers, jobs))
}

pub(crate) fn produced_items_run_once<B: Backend<Item>>() {
    for workers in [1, 2, 5] {
        let ledger = Ledger::new(star(3000));
        let producer = |p: usize| {
            let ledger = Arc::clone(&ledger);
            move |mut token: ProducerToken<'_, Item>| {
                // Node 0 spawns no children here: all are produced.
                (1 + p * 1000..).take(500).for_each(|node| token.push(ledger.item(node)));
                let mut rest = (501 + p * 1000..).take(500).map(|node| ledger.item(node)).collect();
                token.push_batch(&mut rest);
                assert!(rest.is_empty() && !token.stopped());
            }
        };
        let result = fed::<B, _, _>((0..3).map(producer).collect(), walks(workers));
        let report = result.unwrap();
        assert_eq!((report.executed, report.spawned, report.stop), (3000, 3000, Stop::Done));
        let queue = report.queue;
        assert_eq!(queue.pushed + 3000, queue.popped + queue.steals, "{queue:?}");
        ledger.assert_partial(3000);
    }
}

/// The producer waits until each item has run before it makes the next one, so all workers sleep in
/// between.
pub(crate) fn produced_items_wake_the_crew<B: Backend<Item>>() {
    for workers in [1, 3] {
        let ledger = Ledger::new(star(50));
        let watched = Arc::clone(&ledger);
        let producer = move |mut token: ProducerToken<'_, Item>| {
            for node in 1..=50 {
                token.push(watched.item(node));
                wait_until("the item", || watched.ran(node));
            }
        };
        let result = fed::<B, _, _>(vec![producer], walks(workers));
        assert_eq!(result.unwrap().executed, 50);
        ledger.assert_partial(50);
    }
}

pub(crate) fn a_producers_panic_ends_the_run<B: Backend<Item>>() {
    for workers in [1, 3] {
        let ledger = Ledger::new(star(5));
        let producer = |p: usize| {
            let ledger = Arc::clone(&ledger);
            move |mut token: ProducerToken<'_, Item>| {
                token.push(ledger.item(1 + p));
                if p == 1 {
                    resume_unwind(Box::new("nothing left to produce"));
                }
                wait_until("the end", || token.stopped());
            }
        };
        let result = fed::<B, _, _>((0..2).map(producer).collect(), walks(workers));
        let panicked = result.unwrap_err();
        assert_eq!(panicked.message(), Some("nothing left to produce"));
        assert_eq!(panicked.worker, workers + 1);
        ledger.assert_no_leak();
    }
}

pub(crate) fn producers_see_a_quit<B: Backend<Item>>() {
    for workers in [1, 3] {
        let ledger = Ledger::new(star(1000));
        let watched = Arc::clone(&ledger);
        let producer = move |mut token: ProducerToken<'_, Item>| {
            token.push(watched.item(1));
            wait_until("the quit", || token.stopped());
            (2..=9).for_each(|node| token.push(watched.item(node)));
        };
        let quits = |_| does(|_, _| ControlFlow::Break(()));
        let result = fed::<B, _, _>(vec![producer], (0..workers).map(quits).collect());
        let report = result.unwrap();
        assert_eq!((report.executed, report.dropped, report.stop), (1, 8, Stop::Quit));
        ledger.assert_partial(1);
    }
    // Without a single item, the run ends with the producers.
    let idle = |token: ProducerToken<'_, Item>| drop(token);
    let never = |_| does(|_, _| CONTINUE);
    let result = fed::<B, _, _>(vec![idle; 2], (0..2).map(never).collect());
    assert_eq!(result.unwrap().executed, 0);
}
