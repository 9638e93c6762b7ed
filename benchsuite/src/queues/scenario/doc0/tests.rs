//! A faulty backend is found out, and the document's figures come out of its harness again.

use std::time::Duration;

use heist_queue::backends::{Deque, DequeWorker};
use heist_queue::{Backend, PopOrder, QueueConfig, Steal, StealRequest, WorkerQueue};
use serde_json::json;

use super::plan::Plan;
use super::run::measure as measure_on;
use super::*;
use crate::queues::catalogue;
use crate::queues::scenario::watch::watched;

/// A case of `size` items for `threads` workers.
fn case(system: &str, threads: usize, size: u64, load: &serde_json::Value) -> Case {
    let load = load.as_object().cloned().unwrap_or_default();
    Case { system: system.to_owned(), threads, size, load, ..Case::default() }
}

/// What `case` does on `B`, if a run in which nothing gets done is soon given up.
fn planned(case: &Case) -> Plan {
    Plan { patience: Duration::from_millis(300), ..Plan::of(case).unwrap() }
}

#[test]
fn rows_that_cannot_be_run_are_errors() {
    let run = |system: &str, threads| run(&case(system, threads, 9, &json!({})), None);
    assert!(run("heap", 2).unwrap_err().contains("heap"));
    assert!(run("heap (document's harness)", 2).unwrap_err().contains("heap"));
    assert!(run("deque", 0).is_err());
    assert!(run("st3-lifo (document's harness)", 0).is_err());
    for system in ["deque", "crossbeam (document's harness)"] {
        for (scenario, name) in
            [("contention", "victims"), ("injector", "producers"), ("steal-fraction", "percent")]
        {
            let scenario = scenario.to_owned();
            let case = Case { scenario, ..case(system, 2, 9, &json!({})) };
            assert!(super::run(&case, None).unwrap_err().contains(name), "{case:?}");
        }
    }
}

/// The fault of an end at its third pop.
const LOSE: u8 = 0;
const DOUBLE: u8 = 1;
/// Loses one item and gives another one twice.
const SWAP: u8 = 2;
/// Panics when item 7 is pushed.
const PANIC: u8 = 3;

/// A deque each of whose ends makes the mistake `FAULT` once.
struct Faulty<const FAULT: u8>(Deque<u64>);

struct FaultyEnd<const FAULT: u8> {
    end: DequeWorker<u64>,
    popped: usize,
    again: Option<u64>,
}

impl<const FAULT: u8> Backend<u64> for Faulty<FAULT> {
    type Worker = FaultyEnd<FAULT>;
    const NAME: &'static str = "faulty";
    const ORDER: PopOrder = PopOrder::NewestFirst;

    fn build(workers: usize, cfg: &QueueConfig) -> (Self, Vec<Self::Worker>) {
        let (queue, ends) = Deque::build(workers, cfg);
        let faulty = |end| FaultyEnd { end, popped: 0, again: None };
        (Faulty(queue), ends.into_iter().map(faulty).collect())
    }

    fn inject(&self, batch: &mut Vec<u64>) {
        self.0.inject(batch);
    }

    fn is_empty(&self) -> bool {
        Backend::is_empty(&self.0)
    }

    fn backlog(&self) -> usize {
        self.0.backlog()
    }
}

impl<const FAULT: u8> WorkerQueue<u64> for FaultyEnd<FAULT> {
    fn push(&mut self, item: u64) {
        assert!(FAULT != PANIC || item != 7, "a panic on purpose");
        self.end.push(item);
    }

    fn push_batch(&mut self, batch: &mut Vec<u64>) {
        self.end.push_batch(batch);
    }

    fn pop(&mut self) -> Option<u64> {
        if let Some(item) = self.again.take() {
            return Some(item);
        }
        let item = self.end.pop()?;
        self.popped += 1;
        if self.popped != 3 || FAULT == PANIC {
            return Some(item);
        }
        if FAULT == LOSE {
            return self.end.pop();
        }
        self.again = Some(item);
        if FAULT == SWAP {
            self.end.pop();
        }
        Some(item)
    }

    fn steal(&mut self, req: StealRequest) -> Steal<u64> {
        self.end.steal(req)
    }

    fn surplus(&self) -> usize {
        self.end.surplus()
    }
}

/// One worker does ten items. Returns the verdicts without and with the bits.
fn verdicts<B: Backend<u64>>() -> [String; 2] {
    let plan = planned(&case("faulty", 1, 10, &json!({})));
    [None, Some(Bits::new(10))].map(|bits| {
        let sample = measure_on::<B>(&plan, bits.as_ref()).unwrap();
        assert_eq!(sample.expected, 10);
        sample.invalid.expect("the fault is found")
    })
}

#[test]
fn a_faulty_queue_is_found_out() {
    // The newest are popped first: 9, 8, and then 7 is gone.
    let [sums, bits] = watched(verdicts::<Faulty<LOSE>>);
    assert_eq!(sums, "9 of 10 items done, 1 lost; 0 left in the queues");
    assert!(bits.contains("1 items lost, the first is 7"), "{bits}");
    let [sums, bits] = watched(verdicts::<Faulty<DOUBLE>>);
    assert_eq!(sums, "11 items done, 1 more than there were: doubled; 0 left in the queues");
    assert!(bits.contains("1 items doubled, one is 7"), "{bits}");
    let [sums, bits] = watched(verdicts::<Faulty<SWAP>>);
    assert!(sums.starts_with("10 items done, but not the right ones"), "{sums}");
    assert!(bits.contains("1 items lost, the first is 6; 1 items doubled, one is 7"), "{bits}");
}

#[test]
fn faults_are_found_among_thieves_too() {
    fn contended<B: Backend<u64>>() -> Sample {
        let plan = planned(&case("faulty", 4, 20_000, &json!({ "victims": 2 })));
        measure_on::<B>(&plan, Some(&Bits::new(20_000))).unwrap()
    }
    for sample in watched(|| [contended::<Faulty<LOSE>>(), contended::<Faulty<DOUBLE>>()]) {
        assert_ne!(sample.completed, sample.expected);
        let invalid = sample.invalid.unwrap();
        assert!(invalid.contains("lost, the first is") || invalid.contains("doubled, one is"));
    }
}

#[test]
fn a_worker_that_panics_is_an_error_not_a_hang() {
    let plan = planned(&case("panicking", 2, 10, &json!({})));
    let error = watched(move || measure_on::<Faulty<PANIC>>(&plan, None).unwrap_err());
    assert_eq!(error, "a thread panicked");
}

#[test]
fn stealing_is_seen_in_the_columns() {
    let case = case("deque", 2, 1_000, &json!({ "victims": 1 }));
    let sample = watched(move || run(&case, None)).unwrap();
    // Every item leaves the victim's queue, in a thief's hand or in a batch.
    let taken = sample.columns["steals"] + sample.columns["moved"];
    assert!(taken >= 1_000.0, "{taken}");
    assert!(sample.wall_ns > 0);
}

/// A row of the document's harness as it is in the full list, with `size` items.
fn replayed(scenario: &str, library: &str, threads: usize, size: u64) -> Sample {
    let cases = catalogue::by_name(scenario).expect("it is listed").cases(false);
    let system = format!("{library}{}", published::SUFFIX);
    let mut known = cases.into_iter().filter(|case| case.system == system);
    let case = known.find(|case| case.threads == threads).expect("the document has such a row");
    let case = Case { size, ..case };
    let sample = watched(move || run(&case, Some(&Bits::new(size)))).unwrap();
    assert_eq!((&sample.invalid, sample.completed), (&None, sample.expected));
    sample
}

#[test]
fn the_harness_of_the_document_counts_4096_and_8192_again() {
    for (threads, existed, published) in [(8, 2048, 4096), (16, 4096, 8192)] {
        for _ in 0..20 {
            let sample = replayed("contention", "st3-lifo", threads, 1_000_000);
            assert_eq!(sample.as_published, Some(published));
            assert_eq!((sample.completed, sample.expected), (existed, existed));
            assert_eq!(sample.columns["dropped_by_harness"], 1e6 - existed as f64);
            assert_eq!(sample.columns["moved"], existed as f64);
        }
        let sample = replayed("contention", "crossbeam", threads, 100_000);
        assert_eq!((sample.as_published, sample.completed), (Some(100_000), 100_000));
        assert_eq!(sample.columns["dropped_by_harness"], 0.0);
    }
}

#[test]
fn what_the_harness_counts_in_excess_is_the_number_of_moves() {
    let st3 = [("balanced", "st3-lifo"), ("balanced", "st3-fifo"), ("imbalanced", "st3-lifo")];
    for (scenario, library) in st3 {
        for threads in [4, 8] {
            let sample = replayed(scenario, library, threads, 50_000);
            let excess = sample.as_published.unwrap() - sample.completed;
            assert_eq!(excess as f64, sample.columns["moved"]);
        }
    }
    for scenario in ["balanced", "imbalanced", "contention"] {
        let sample = replayed(scenario, "crossbeam", 8, 50_000);
        assert_eq!(sample.as_published, Some(sample.completed));
    }
}

#[test]
fn the_harness_drops_the_remainder_of_an_imbalanced_start() {
    // A tenth of a million by three, and by seven.
    for (threads, dropped) in [(4, 1), (8, 5)] {
        let sample = replayed("imbalanced", "crossbeam", threads, 1_000_000);
        assert_eq!(sample.completed, 1_000_000 - dropped);
        assert_eq!(sample.columns["dropped_by_harness"], dropped as f64);
    }
}
