//! Every system does every unit once, whatever the numbers of threads and units.

use std::collections::BTreeSet;

use super::*;
use crate::queues::catalogue;
use crate::queues::scenario::biased::pool::round;
use crate::queues::scenario::tests::watched;

/// Three pools with little work, on each system.
fn small(threads: usize, units: u64, batch: u64) -> Vec<Case> {
    let mut cases = catalogue::by_name("biased").expect("it is listed").cases(false);
    let mut seen = BTreeSet::new();
    cases.retain(|case| seen.insert((case.system.clone(), case.policy.clone())));
    let consumers = ("consumers", threads as u64);
    let numbers = [("pools", 3), consumers, ("batch", batch), ("make", 50), ("process", 100)];
    for case in &mut cases {
        case.load.extend(numbers.map(|(name, number)| (name.to_owned(), number.into())));
        case.size = 3 * units;
    }
    cases
}

#[test]
fn half_of_the_threads_keep_up() {
    for case in catalogue::by_name("biased").expect("it is listed").cases(false) {
        let [make, process, pace] = ["make", "process", "pace"].map(|name| case.number(name));
        assert!(((make * pace)..(make * pace + pace)).contains(&(2 * process)), "{case:?}");
    }
}

#[test]
fn every_system_does_every_unit_once() {
    for (threads, units, batch) in [(1, 1, 1), (2, 100, 1), (3, 150, 20), (8, 401, 20)] {
        for case in small(threads, units, batch) {
            let which = format!("{case:?}");
            let is_crew = case.policy.is_some() && !case.system.ends_with(BACKLOG_VARIANT.0);
            let sample = watched(move || measure(&case)).expect("threads can be had");
            assert_eq!(sample.invalid, None, "{which}");
            assert_eq!((sample.completed, sample.expected), (3 * units, 3 * units), "{which}");
            assert!(sample.as_published.is_none_or(|done| done <= 3 * units), "{which}");
            if is_crew {
                let taken = sample.columns["popped"] + sample.columns["steals"];
                assert_eq!(taken, 3.0 * units as f64, "each is taken from the queue once: {which}");
            }
            if std::path::Path::new("/proc/thread-self/sched").exists() {
                let is_known = sample.columns.contains_key("migrations");
                assert!(is_known, "some thread did not report: {which}");
            }
        }
    }
}

#[test]
fn a_row_of_an_unknown_system_is_an_error() {
    let mut case = small(2, 100, 1).remove(0);
    case.system = "pigeons".to_owned();
    assert_eq!(measure(&case), Err("no program 'pigeons'".to_owned()));
    case.policy = Some("biased-event".to_owned());
    assert!(measure(&case).is_err_and(|error| error.contains("pigeons")));
    case.load.remove("batch");
    assert!(measure(&case).is_err_and(|error| error.contains("missing field `batch`")));
}

#[test]
fn batches_cover_all_units() {
    let site = &Site::new(0, 1).expect("getrusage");
    let cases = [(0, 1, None), (3, 1, Some(1)), (40, 20, Some(20)), (45, 20, Some(5))];
    for (units, batch, last) in cases {
        let parts = PoolLoad { pools: 1, consumers: 1, batch, make: 0, process: 0 };
        let pool = Pool { parts, units, first: 7, site };
        assert_eq!(pool.batches().last().map(|units| units.end - units.start), last);
        assert!(pool.batches().flatten().eq(7..7 + units));
    }
}

#[test]
fn numbers_are_rounded_to_two_digits() {
    let rounded = [0, 7, 99, 104, 105, 449_999, 450_001, 995_000].map(round);
    assert_eq!(rounded, [0, 7, 99, 100, 110, 450_000, 450_000, 1_000_000]);
    let additions = additions_in(Duration::from_millis(2));
    assert!(additions > 0);
    assert_eq!(additions, additions_in(Duration::from_millis(2)), "measured once");
}
