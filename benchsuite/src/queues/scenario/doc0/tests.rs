//! Every scenario is exact on every backend, a faulty backend is found out, and the document's
//! figures come out of its harness again.

use std::time::Duration;

use heist_queue::backends::{Deque, DequeWorker};
use heist_queue::{
    Backend, PopOrder, QueueConfig, QueueKind, Steal, StealRequest, WorkerQueue, with_backend,
};

use super::plan::Plan;
use super::published::system;
use super::run::{Measure, measure};
use super::*;
use crate::queues::scenario::watch::watched;

const ALL: [&Document0; 6] =
    [&BALANCED, &IMBALANCED, &CONTENTION, &INJECTOR, &MULTI_PRODUCER, &STEAL_FRACTION];

/// A row of the scenario's own, with few items.
fn small_rows(scenario: &Document0, system: &str) -> Vec<Case> {
    let mut rows = scenario.cases(false);
    rows.retain(|row| row.system == system);
    rows.iter_mut().for_each(|row| row.size = row.size.min(3_001));
    rows
}

fn assert_exact(row: &Case, sample: &Sample) {
    assert_eq!(sample.invalid, None, "{row:?}");
    assert_eq!(sample.completed, sample.expected, "{row:?}");
}

#[test]
fn every_scenario_is_exact_on_every_backend() {
    for &kind in QueueKind::ALL {
        watched(move || {
            for scenario in ALL {
                for row in small_rows(scenario, kind.name()) {
                    for bits in [Some(Bits::new(row.size)), None] {
                        let sample = scenario.run(&row, bits.as_ref()).unwrap();
                        assert_exact(&row, &sample);
                        assert_eq!(sample.expected, row.size);
                        assert_eq!(sample.columns.len(), 5);
                    }
                }
            }
        });
    }
}

#[test]
fn every_row_names_its_scenario_and_is_unlike_any_other() {
    for scenario in ALL {
        for quick in [true, false] {
            let rows = scenario.cases(quick);
            assert!(
                rows.iter().all(|row| row.scenario == scenario.name() && !row.setup.is_empty())
            );
            let mut shown: Vec<_> =
                rows.iter().map(|row| (&row.setup, &row.system, row.threads)).collect();
            shown.sort();
            shown.dedup();
            assert_eq!(shown.len(), rows.len(), "{} has rows that look alike", scenario.name());
        }
        assert!(scenario.cases(true).len() < scenario.cases(false).len());
    }
}

#[test]
fn measuring_checks_off_each_item_the_first_time_only() {
    watched(|| {
        let mut row = small_rows(&BALANCED, "deque").remove(0);
        row.setup = "a row of this test".to_owned();
        assert!(is_first(&row) && !is_first(&row));
        row.setup = "another row of this test".to_owned();
        assert_exact(&row, &BALANCED.measure(&row).unwrap());
        assert!(!is_first(&row));
        assert_exact(&row, &BALANCED.measure(&row).unwrap());
    });
}

#[test]
fn rows_that_cannot_be_run_are_errors() {
    let run =
        |system: &str, threads| BALANCED.run(&Case::new("balanced", "", system, threads, 9), None);
    assert!(run("heap", 2).unwrap_err().contains("heap"));
    assert!(run(&system("heap"), 2).unwrap_err().contains("heap"));
    assert!(run("deque", 0).is_err());
    assert!(run(&system("st3-lifo"), 0).is_err());
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
    let row = Case::new("balanced", "", "faulty", 1, 10);
    let plan = Plan { patience: Duration::from_millis(50), ..Plan::balanced(&row).unwrap() };
    [None, Some(Bits::new(10))].map(|bits| {
        let sample = measure::<B>(&plan, bits.as_ref()).unwrap();
        assert_eq!(sample.expected, 10);
        sample.invalid.expect("the fault is found")
    })
}

#[test]
fn a_queue_that_loses_an_item_is_found_out() {
    let [sums, bits] = watched(verdicts::<Faulty<LOSE>>);
    assert_eq!(sums, "9 of 10 items done, 1 lost; 0 left in the queues");
    // The newest are popped first: 9, 8, and then 7 is gone.
    assert!(bits.contains("1 items lost, the first is 7"), "{bits}");
}

#[test]
fn a_queue_that_doubles_an_item_is_found_out() {
    let [sums, bits] = watched(verdicts::<Faulty<DOUBLE>>);
    assert_eq!(sums, "11 items done, 1 more than there were: doubled; 0 left in the queues");
    assert!(bits.contains("1 items doubled, one is 7"), "{bits}");
}

#[test]
fn a_queue_that_loses_one_item_and_doubles_another_is_found_out() {
    let [sums, bits] = watched(verdicts::<Faulty<SWAP>>);
    assert!(sums.starts_with("10 items done, but not the right ones"), "{sums}");
    assert!(bits.contains("1 items lost, the first is 6; 1 items doubled, one is 7"), "{bits}");
}

#[test]
fn faults_are_found_among_thieves_too() {
    fn contended<B: Backend<u64>>() -> Sample {
        let mut row = Case::new("contention", "", "faulty", 4, 20_000);
        row.numbers.insert("victims".to_owned(), 2);
        let plan = Plan { patience: Duration::from_millis(300), ..Plan::contention(&row).unwrap() };
        measure::<B>(&plan, Some(&Bits::new(row.size))).unwrap()
    }
    for sample in watched(|| [contended::<Faulty<LOSE>>(), contended::<Faulty<DOUBLE>>()]) {
        assert_ne!(sample.completed, sample.expected);
        let invalid = sample.invalid.unwrap();
        assert!(invalid.contains("lost, the first is") || invalid.contains("doubled, one is"));
    }
}

#[test]
fn a_worker_that_panics_is_an_error_not_a_hang() {
    let error = watched(|| {
        let row = Case::new("balanced", "", "panicking", 2, 10);
        let plan = Plan { patience: Duration::from_millis(50), ..Plan::balanced(&row).unwrap() };
        measure::<Faulty<PANIC>>(&plan, None).unwrap_err()
    });
    assert_eq!(error, "a worker panicked");
}

/// A row of the document's harness as it is in the full list, with `size` items.
fn replayed(
    scenario: &'static Document0,
    library: &'static str,
    threads: usize,
    size: u64,
) -> Sample {
    let mut row = scenario
        .cases(false)
        .into_iter()
        .find(|row| row.system == system(library) && row.threads == threads)
        .expect("the document has such a row");
    row.size = size;
    watched(move || {
        let sample = scenario.run(&row, Some(&Bits::new(size))).unwrap();
        assert_exact(&row, &sample);
        sample
    })
}

#[test]
fn the_harness_of_the_document_counts_4096_and_8192_again() {
    for (threads, existed, published) in [(8, 2048, 4096), (16, 4096, 8192)] {
        for _ in 0..20 {
            let sample = replayed(&CONTENTION, "st3-lifo", threads, 1_000_000);
            assert_eq!(sample.as_published, Some(published));
            assert_eq!((sample.completed, sample.expected), (existed, existed));
            assert_eq!(sample.columns["dropped_by_harness"], 1e6 - existed as f64);
            assert_eq!(sample.columns["moved"], existed as f64);
        }
        let sample = replayed(&CONTENTION, "crossbeam", threads, 100_000);
        assert_eq!((sample.as_published, sample.completed), (Some(100_000), 100_000));
        assert_eq!(sample.columns["dropped_by_harness"], 0.0);
    }
}

#[test]
fn what_the_harness_counts_in_excess_is_the_number_of_moves() {
    let st3 = [(&BALANCED, "st3-lifo"), (&BALANCED, "st3-fifo"), (&IMBALANCED, "st3-lifo")];
    for (scenario, library) in st3 {
        for threads in [4, 8] {
            let sample = replayed(scenario, library, threads, 50_000);
            let excess = sample.as_published.unwrap() - sample.completed;
            assert_eq!(excess as f64, sample.columns["moved"]);
        }
    }
    for scenario in [&BALANCED, &IMBALANCED, &CONTENTION] {
        let sample = replayed(scenario, "crossbeam", 8, 50_000);
        assert_eq!(sample.as_published, Some(sample.completed));
    }
}

#[test]
fn the_harness_drops_the_remainder_of_an_imbalanced_start() {
    // A tenth of a million by three, and by seven.
    for (threads, dropped) in [(4, 1), (8, 5)] {
        let sample = replayed(&IMBALANCED, "crossbeam", threads, 1_000_000);
        assert_eq!(sample.completed, 1_000_000 - dropped);
        assert_eq!(sample.columns["dropped_by_harness"], dropped as f64);
    }
}

#[test]
fn every_row_of_the_harness_is_exact() {
    for scenario in ALL {
        watched(move || {
            let mut rows = scenario.cases(false);
            rows.retain(|row| row.system.ends_with("(document's harness)"));
            assert!(!rows.is_empty(), "{}", scenario.name());
            for mut row in rows {
                row.size = 20_003;
                let sample = scenario.run(&row, None).unwrap();
                assert_exact(&row, &sample);
                let dropped = sample.columns["dropped_by_harness"];
                assert_eq!(sample.expected as f64 + dropped, 20_003.0);
                assert!(sample.columns.contains_key("published_ns_per_op"));
            }
        });
    }
}

#[test]
fn stealing_is_seen_in_the_columns() {
    watched(|| {
        let mut row = Case::new("contention", "", "deque", 2, 1_000);
        row.numbers.insert("victims".to_owned(), 1);
        let plan = Plan::contention(&row).unwrap();
        let sample = with_backend(QueueKind::Deque, Measure { plan: &plan, bits: None }).unwrap();
        // Every item leaves the victim's queue, in a thief's hand or in a batch.
        let taken = sample.columns["steals"] + sample.columns["moved"];
        assert!(taken >= 1_000.0, "{taken}");
        assert!(sample.wall_ns > 0);
    });
}
