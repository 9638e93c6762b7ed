//! Every system does every unit once, whatever the numbers of threads and units.

use std::collections::BTreeSet;

use super::*;
use crate::queues::catalogue;
use crate::queues::scenario::biased::pool::Units;
use crate::queues::scenario::watch::watched;

const SMALL: Load = Load { make: 50, process: 100 };

/// Three pools with little work, on each system.
fn small(threads: usize, units: u64, batch: u64) -> Vec<Case> {
    let mut cases = catalogue::by_name("biased").expect("it is listed").cases(false);
    let mut seen = BTreeSet::new();
    cases.retain(|case| seen.insert((case.system.clone(), case.policy.clone())));
    for case in &mut cases {
        let Load { make, process } = SMALL;
        let numbers = [("pools", 3), ("consumers", threads as u64), ("batch", batch)];
        for (name, number) in numbers.into_iter().chain([("make", make), ("process", process)]) {
            case.load.insert(name.to_owned(), number.into());
        }
        case.size = 3 * units;
    }
    cases
}

#[test]
fn every_system_does_every_unit_once() {
    for (threads, units, batch) in [(1, 1, 1), (2, 100, 1), (3, 150, 20), (8, 401, 20)] {
        for case in small(threads, units, batch) {
            let which = format!("{case:?}");
            let sample = watched(move || measure(&case)).expect("threads can be had");
            assert_eq!(sample.invalid, None, "{which}");
            assert_eq!((sample.completed, sample.expected), (3 * units, 3 * units), "{which}");
            assert!(sample.as_published.is_none_or(|done| done <= 3 * units), "{which}");
            if std::path::Path::new("/proc/thread-self/sched").exists() {
                assert!(sample.migrations.is_some(), "some thread did not report: {which}");
            }
        }
    }
}

#[test]
fn crews_take_each_unit_from_the_queue_once() {
    for case in small(4, 200, 1) {
        let which = format!("{case:?}");
        if matches!(System::of(&case), Ok(System::Crew(_, _, 0))) {
            let sample = watched(move || measure(&case)).expect("threads can be had");
            let taken = sample.columns["popped"] + sample.columns["steals"];
            assert_eq!(taken, 600.0, "{which}");
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
fn messages_cover_all_units() {
    let ledgers = [Ledger::new(0)];
    let (ledger, exits) = (&ledgers[0], &Exits::new(&ledgers));
    let meter = &Meter::start().expect("getrusage");
    for (units, batch, last) in
        [(0, 1, None), (3, 1, Some(1)), (40, 20, Some(20)), (45, 20, Some(5))]
    {
        let pool = Pool { threads: 1, units, batch, load: SMALL, ledger, meter, exits };
        let messages: Vec<Units> = pool.messages().collect();
        assert_eq!(messages.last().map(|units| units.count), last);
        let all = messages.iter().flat_map(|units| units.first..units.first + units.count);
        assert!(all.eq(0..units));
    }
}
