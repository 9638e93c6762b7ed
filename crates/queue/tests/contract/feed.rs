//! Runs that are fed by producers.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;

use heist_queue::Stop;
use heist_queue::lab::ProducerToken;

use crate::guard::wait_until;
use crate::setup::{CONTINUE, Setup, does, walk};
use crate::tree::{Item, Ledger, star};

pub(crate) fn produced_items_run_once(setup: &Setup) {
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
        let report = setup.feed((0..3).map(producer).collect(), workers, walk).unwrap();
        assert_eq!((report.executed, report.spawned, report.stop), (3000, 3000, Stop::Done));
        let queue = report.queue;
        assert_eq!(queue.pushed + 3000, queue.popped + queue.steals, "{queue:?}");
        ledger.assert_partial(3000);
    }
}

/// The producer waits until each item has run before it makes the next one, so all workers sleep in
/// between.
pub(crate) fn produced_items_wake_the_crew(setup: &Setup) {
    for workers in [1, 3] {
        let ledger = Ledger::new(star(50));
        let watched = Arc::clone(&ledger);
        let producer = move |mut token: ProducerToken<'_, Item>| {
            for node in 1..=50 {
                token.push(watched.item(node));
                wait_until("the item", || watched.ran(node));
            }
        };
        assert_eq!(setup.feed(vec![producer], workers, walk).unwrap().executed, 50);
        ledger.assert_partial(50);
    }
}

pub(crate) fn a_producers_panic_ends_the_run(setup: &Setup) {
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
        let result = setup.feed((0..2).map(producer).collect(), workers, walk);
        let panicked = result.unwrap_err();
        assert_eq!(panicked.message(), Some("nothing left to produce"));
        assert_eq!(panicked.worker, workers + 1);
        ledger.assert_no_leak();
    }
}

pub(crate) fn producers_see_a_quit(setup: &Setup) {
    for workers in [1, 3] {
        let ledger = Ledger::new(star(1000));
        let watched = Arc::clone(&ledger);
        let producer = move |mut token: ProducerToken<'_, Item>| {
            token.push(watched.item(1));
            wait_until("the quit", || token.stopped());
            (2..=9).for_each(|node| token.push(watched.item(node)));
        };
        let quits = |_| does(|_, _| ControlFlow::Break(()));
        let report = setup.feed(vec![producer], workers, quits).unwrap();
        assert_eq!((report.executed, report.dropped, report.stop), (1, 8, Stop::Quit));
        ledger.assert_partial(1);
    }
    // Without a single item, the run ends with the producers.
    let idle = |token: ProducerToken<'_, Item>| drop(token);
    let never = |_| does(|_, _| CONTINUE);
    assert_eq!(setup.feed(vec![idle; 2], 2, never).unwrap().executed, 0);
}
