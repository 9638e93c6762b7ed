//! Cases in which workers have parked: sleepers are woken, and the end of the run wakes all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use heist_queue::lab::ProducerToken;

use crate::guard::wait_until;
use crate::setup::{CONTINUE, Setup, does, wait_sharing};
use crate::tree::{Item, Ledger, chain, star};

/// Enough time for idle workers to park. If it is not, a case is easier than intended.
pub(crate) const DOZE: Duration = Duration::from_millis(2);

/// As many items as workers, none of which returns before all have begun, so no worker stays
/// asleep. Repeated after all workers have been idle.
pub(crate) fn no_worker_is_stranded(setup: &Setup) {
    const CREW: usize = 5;
    // A chain of three stars, each on the first leaf of the one before.
    let star_at = |first: usize| (first..first + CREW).collect::<Vec<_>>();
    let mut tree = vec![vec![]; 1 + 3 * CREW];
    tree[0] = star_at(1);
    tree[1] = star_at(1 + CREW);
    tree[1 + CREW] = star_at(1 + 2 * CREW);
    let ledger = Ledger::new(tree);
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
    setup.walk(&ledger, CREW, job).unwrap();
    ledger.assert_complete();
}

/// The end of a run, repeatedly, against workers that are parked or about to park.
pub(crate) fn the_end_wakes_all_workers(setup: &Setup) {
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
        setup.walk(&ledger, 4, job).unwrap();
        ledger.assert_complete();
    }
}

/// A producer that waits for each item, so that all workers sleep in between, and one that makes
/// many at once, with and without a backlog that waits for a worker that is awake.
pub(crate) fn producers_wake_sleepers(setup: &Setup) {
    for backlog in [0, 20] {
        let ledger = Ledger::new(star(120));
        let producer = |bulk: bool| {
            let watched = Arc::clone(&ledger);
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
        let setup = setup.with(|cfg| cfg.idle.backlog = backlog);
        let report = setup.feed(vec![producer(false), producer(true)], 3, job).unwrap();
        assert_eq!((report.executed, count.load(Ordering::Relaxed)), (120, 120));
        ledger.assert_partial(120);
    }
}
