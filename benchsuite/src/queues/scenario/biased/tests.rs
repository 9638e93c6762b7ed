//! Every system does every unit once.

use super::*;
use crate::queues::scenario::biased::pool::Units;
use crate::queues::scenario::watch::watched;

/// Three pools with little work.
fn small(system: System, threads: usize, units: u64, batch: u64) -> Result<Sample, String> {
    run(Task { system, pools: 3, threads, units, batch, load: SMALL })
}

const SMALL: Load = Load { make: 50, process: 100 };

#[test]
fn every_system_does_every_unit_once() {
    for system in systems() {
        for (threads, units, batch) in [(1, 1, 1), (2, 100, 1), (3, 150, 20), (8, 401, 20)] {
            let sample = watched(move || small(system, threads, units, batch));
            let sample = sample.expect("threads can be had");
            let which = format!("{system:?}, {threads} threads, {units} units, batch {batch}");
            assert_eq!(sample.invalid, None, "{which}");
            assert_eq!((sample.completed, sample.expected), (3 * units, 3 * units), "{which}");
            let is_rayon = system == System::Program("rayon");
            assert_eq!(sample.as_published.is_some(), is_rayon, "{which}");
            assert!(sample.as_published.is_none_or(|done| done <= 3 * units), "{which}");
            if std::path::Path::new("/proc/thread-self/sched").exists() {
                assert!(sample.migrations.is_some(), "some thread did not report: {which}");
            }
        }
    }
}

#[test]
fn crews_take_each_unit_from_the_queue_once() {
    for system in systems() {
        if let System::Crew(_, _, 0) = system {
            let sample = watched(move || small(system, 4, 200, 1)).expect("threads");
            let taken = sample.columns["popped"] + sample.columns["steals"];
            assert_eq!(taken, 600.0, "{system:?}");
        }
    }
}

#[test]
fn rows_are_told_apart_and_can_be_measured() {
    for quick in [false, true] {
        let rows = Biased.cases(quick);
        let mut apart = rows.clone();
        apart.sort();
        apart.dedup();
        assert_eq!(apart.len(), rows.len(), "no row twice");
        assert_eq!(rows, Biased.cases(quick), "the same when asked again");
        for row in &rows {
            let system = System::of(row).expect("a known system");
            assert_eq!(system.names(), (row.system.as_str(), row.policy.as_deref()));
            let each = if row.setup.contains("20 µs") { 1000 } else { 50 };
            assert_eq!(row.size, each * 3 * row.number("pool_threads"));
            assert!(row.number("make") > 0 && row.number("process") > 0);
        }
        let answers = |policy: Option<&str>, system: Option<&str>| {
            rows.iter().any(|row| {
                row.setup == "3 pools of 8 threads, batch 1"
                    && row.policy.as_deref() == policy
                    && system.is_none_or(|system| system == row.system)
            })
        };
        assert!(answers(None, Some("crossbeam")) && answers(Some("biased-event"), None));
    }
}

#[test]
fn a_row_that_nobody_knows_is_an_error() {
    let setup = Setup { pools: 3, threads: 2, keeping_pace: 2, grain: Grain::Coarse };
    let mut row = row(setup, System::Program("crossbeam"), 1, 10);
    assert!(
        watched({
            let row = row.clone();
            move || Biased.measure(&row)
        })
        .is_ok_and(|sample| sample.invalid.is_none() && sample.completed == 300)
    );
    row.system = "pigeons".to_owned();
    assert_eq!(Biased.measure(&row), Err("no program 'pigeons'".to_owned()));
    row.policy = Some("biased-event".to_owned());
    assert!(Biased.measure(&row).is_err_and(|error| error.contains("pigeons")));
    row.numbers.remove("batch");
    row.system = "stack".to_owned();
    assert_eq!(Biased.measure(&row), Err("a row without 'batch'".to_owned()));
}

#[test]
fn messages_cover_all_units() {
    let ledgers = [Ledger::new(0)];
    let exits = Exits::new(&ledgers);
    let meter = Meter::start().expect("getrusage");
    for (units, batch, last) in
        [(0, 1, None), (3, 1, Some(1)), (40, 20, Some(20)), (45, 20, Some(5))]
    {
        let pool = Pool {
            threads: 1,
            units,
            batch,
            load: SMALL,
            ledger: &ledgers[0],
            meter: &meter,
            exits: &exits,
        };
        let messages: Vec<Units> = pool.messages().collect();
        assert_eq!(messages.last().map(|units| units.count), last);
        let all = messages.iter().flat_map(|units| units.first..units.first + units.count);
        assert!(all.eq(0..units));
    }
}

#[test]
fn all_units_once_are_right_and_nothing_else() {
    let after = |units: u64, noted: &[u64]| {
        let ledger = Ledger::new(units);
        noted.iter().for_each(|&unit| ledger.note(unit));
        ledger.fault()
    };
    let all: Vec<u64> = (0..70).collect();
    for units in [0, 1, 63, 64, 65, 70] {
        assert_eq!(after(units, &all[..units as usize]), None, "{units}");
    }
    assert!(after(70, &[]).is_some_and(|fault| fault.contains("70 lost")));
    assert!(after(70, &all[..69]).is_some_and(|fault| fault.contains("the first is 69")));
    for stranger in [3, 69, 70, 127, 128, u64::MAX] {
        assert!(after(70, &[&all[..], &[stranger]].concat()).is_some(), "{stranger}");
    }
    assert!(
        after(70, &[&all[..69], &[3]].concat()).is_some_and(|fault| fault.contains("one is 3"))
    );
}
