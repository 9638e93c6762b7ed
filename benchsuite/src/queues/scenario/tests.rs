//! Every case of every scenario in miniature: it ends, does everything exactly once and reports its
//! figures.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};

use super::*;
use crate::queues::catalogue;

/// Longer than any test takes.
const CHILD_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs `test` on a thread and fails instead of hanging.
pub(super) fn watched<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(test()));
    match receiver.recv_timeout(CHILD_TIMEOUT) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("the test hangs"),
        Err(RecvTimeoutError::Disconnected) => {
            resume_unwind(thread.join().expect_err("it ended without a result"))
        }
    }
}

const HARNESS: &str = "(document's harness)";

/// The figures that a row has.
fn figures(case: &Case) -> &'static [&'static str] {
    match case.scenario.as_str() {
        _ if case.system.ends_with(HARNESS) => &["published_ns_per_op", "dropped_by_harness"],
        "biased" => &["switches_per_unit", "additions"],
        "reclaim" => &["mean_ns", "p50_ns", "p99_ns", "max_ns", "unreclaimed_bytes", "left"],
        "idle" => &["idle_cpu_percent", "parks"],
        "fault" => &["hangs", "lost", "tried"],
        "tree" if case.system == "rayon" => &[],
        _ => &["steals", "moved", "empty", "contended", "overflowed"],
    }
}

/// The numbers without which a row would be one of another scenario.
fn needed(case: &Case) -> &'static [&'static str] {
    match case.scenario.as_str() {
        "contention" => &["victims"],
        "injector" | "multi-producer" => &["producers"],
        "steal-fraction" => &["percent"],
        "biased" => &["make", "process"],
        _ => &[],
    }
}

/// `case` with little work. Sizes leave a remainder when they are divided among threads.
fn miniature(mut case: Case) -> Case {
    let most = if case.system.ends_with(HARNESS) { 20_003 } else { 3_001 };
    case.size = case.size.min(most);
    let few = [("make", 50), ("process", 100), ("cost_ns", 0), ("cost_us", 0), ("seeds", 5)];
    for (name, few) in few.into_iter().chain([("millis", 20), ("coarse", 300)]) {
        if let Some(number) = case.load.get_mut(name) {
            *number = few.into();
        }
    }
    case
}

/// How many items are to be done, of which the document's harness drops some.
fn expected(case: &Case, sample: &Sample) -> u64 {
    let dropped = sample.columns.get("dropped_by_harness").map_or(0, |dropped| *dropped as u64);
    match case.scenario.as_str() {
        "reclaim" => case.size * case.threads as u64,
        "biased" => case.size / case.number("pools") * case.number("pools"),
        "fault" => case.number("seeds"),
        _ => case.size - dropped,
    }
}

/// What holds for some scenarios only.
fn check_further(case: &Case, sample: &Sample) {
    let column = |name: &str| sample.columns.get(name).copied();
    let is_replay = case.system.ends_with(HARNESS) || case.system == "rayon";
    let is_published = is_replay && case.scenario != "tree";
    assert_eq!(sample.as_published.is_some(), is_published);
    match case.scenario.as_str() {
        "contention" if case.system == "deque" => {
            // Every item leaves the victim's queue, in a thief's hand or in a batch.
            let taken = sample.columns["steals"] + sample.columns["moved"];
            assert!(taken >= case.size as f64 && sample.wall_ns > 0, "{taken}");
        }
        "idle" => assert!(column("idle_cpu_percent") <= Some(100.0)),
        "reclaim" => {
            assert!(column("mean_ns") > Some(0.0));
            assert_eq!(column("clock1us_p50_ns").is_some(), case.load.contains_key("coarse"));
            let is_pin = case.load["work"] == "pin";
            assert_eq!(column("unreclaimed") == Some(0.0), is_pin);
            if case.load["work"] == "stall" && case.system.starts_with("heist-ebr") {
                // Half of what two threads retire, all of it under the pin.
                let half = case.size / 2 * 2;
                assert_eq!(column("stalled"), Some(half as f64));
            }
        }
        _ => {}
    }
}

fn check(case: Case) {
    let mut case = miniature(case);
    // An odd item less under a pin, so that both halves are alike.
    if case.load.get("work").is_some_and(|work| work == "stall") {
        case.size -= 1;
    }
    let which = format!("{case:?}");
    let outcome = watched(move || {
        let sample = measure(&case)?;
        check_further(&case, &sample);
        Ok::<_, String>((expected(&case, &sample), sample, case))
    });
    let (expected, sample, case) = match outcome {
        Err(error) if error == "the kernel refuses membarrier" => return,
        outcome => outcome.expect(&which),
    };
    assert_eq!(sample.fault(), None, "{which}");
    assert_eq!((sample.completed, sample.expected), (expected, expected), "{which}");
    let mut names = figures(&case).iter().chain(&["user", "system", "voluntary", "involuntary"]);
    assert!(names.all(|name| sample.columns.contains_key(*name)), "{which}: {sample:?}");
}

#[test]
fn every_case_in_miniature_is_exact() {
    for scenario in catalogue::listed() {
        // A thousand trees would take a minute.
        let quick = scenario.name == "tree";
        scenario.cases(quick).into_iter().for_each(check);
    }
}

#[test]
fn a_verifying_run_is_exact_as_well() {
    let tree = catalogue::by_name("tree").expect("it is listed");
    for case in tree.cases(true).into_iter().filter(|case| case.threads == 2) {
        check(Case { verify: true, ..case });
    }
}

#[test]
fn cases_are_always_the_same_and_of_their_scenario() {
    for scenario in catalogue::listed() {
        for quick in [true, false] {
            let cases = scenario.cases(quick);
            assert_eq!(cases, scenario.cases(quick), "the same on the next call");
            for case in cases {
                assert_eq!(case.scenario, scenario.name);
                let has = |name: &&str| case.number(name) > 0;
                assert!(case.threads > 0 && needed(&case).iter().all(has), "{case:?}");
                // The document's harness leaves nine tenths to the first of several workers.
                let is_balanced = !case.load.contains_key("imbalanced");
                assert!(case.threads > 1 || is_balanced || !case.system.ends_with(HARNESS));
                let is_document_1 = case.setup.starts_with("3 pools of 8 threads, batch");
                assert!(quick || !is_document_1 || case.size == 3 * 8 * 50, "{case:?}");
            }
        }
    }
}
