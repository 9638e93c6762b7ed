//! A faulty backend is found out, and the document's figures come out of its harness again.

use std::time::Duration;

use heist_queue::backends::{Deque, DequeWorker};
use heist_queue::{
    Backend, BackendVisitor, PopOrder, QueueConfig, Steal, StealRequest, WorkerQueue,
};

use super::*;
use crate::queues::catalogue;
use crate::queues::scenario::tests::watched;

/// A case of `size` items for `threads` workers.
fn case(system: &str, threads: usize, size: u64, victims: u64) -> Case {
    let load = [("victims".to_owned(), victims.into())].into_iter().collect();
    Case { system: system.to_owned(), threads, size, load, ..Case::default() }
}

#[test]
fn systems_that_do_not_exist_are_errors() {
    for system in ["heap", "heap (document's harness)"] {
        assert!(run(&case(system, 2, 9, 0), None).unwrap_err().contains("heap"));
    }
}

/// What goes wrong at the third pop of an end.
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
}

impl<const FAULT: u8> Backend<u64> for Faulty<FAULT> {
    type Worker = FaultyEnd<FAULT>;
    const NAME: &'static str = "faulty";
    const ORDER: Option<PopOrder> = Some(PopOrder::NewestFirst);

    fn build(workers: usize, cfg: &QueueConfig) -> (Self, Vec<Self::Worker>) {
        let (queue, ends) = Deque::build(workers, cfg);
        (Faulty(queue), ends.into_iter().map(|end| FaultyEnd { end, popped: 0 }).collect())
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
        let item = self.end.pop()?;
        self.popped += 1;
        if self.popped == 3 && [LOSE, SWAP].contains(&FAULT) {
            let next = self.end.pop();
            if FAULT == LOSE {
                return next;
            }
        }
        if self.popped == 3 && [DOUBLE, SWAP].contains(&FAULT) {
            self.end.push(item);
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

/// The sample of `case` on a faulty queue, on which a run in which nothing gets done is soon given
/// up.
fn faulty<const FAULT: u8>(case: &Case, has_bits: bool) -> Result<Sample, String> {
    let plan =
        Distribution { patience: Duration::from_millis(300), ..Distribution::of(case, shares)? };
    let bits = has_bits.then(|| Bits::new(case.size));
    watched(move || Measure { plan: &plan, bits: bits.as_ref() }.visit::<Faulty<FAULT>>())
}

#[test]
fn a_faulty_queue_is_found_out() {
    fn found<const FAULT: u8>(tally: &str, bits: &str) {
        let one = case("faulty", 1, 10, 0);
        let invalid = |has_bits| faulty::<FAULT>(&one, has_bits).unwrap().invalid.unwrap();
        assert_eq!(invalid(false), format!("{tally}; 0 left in the queues"));
        assert_eq!(invalid(true), format!("{tally}; {bits}; 0 left in the queues"));
    }
    // The newest are popped first: 9, 8, and then 7 is gone.
    found::<LOSE>("9 of 10 items done, 1 lost", "1 items lost, the first is 7");
    found::<DOUBLE>("11 items done, 1 more than there were: doubled", "1 items doubled, one is 7");
    let both = "1 items lost, the first is 6; 1 items doubled, one is 7";
    found::<SWAP>("10 items done, but not the right ones: lost and doubled", both);
}

#[test]
fn faults_are_found_among_thieves_too() {
    let contended = case("faulty", 4, 20_000, 2);
    for sample in [faulty::<LOSE>(&contended, true), faulty::<DOUBLE>(&contended, true)] {
        let sample = sample.unwrap();
        assert_ne!(sample.completed, sample.expected);
        let invalid = sample.invalid.unwrap();
        assert!(invalid.contains("lost, the first is") || invalid.contains("doubled, one is"));
    }
}

#[test]
fn a_worker_that_panics_is_an_error_not_a_hang() {
    let error = faulty::<PANIC>(&case("faulty", 2, 10, 0), false).unwrap_err();
    assert_eq!(error, "a thread panicked");
}

/// What the document's harness makes of a row of the full list with `size` items: how many exist,
/// and how many it reports as done. What it counts in excess is always the number of moves.
fn replayed(scenario: &str, library: &str, threads: usize, size: u64) -> (u64, u64) {
    let cases = catalogue::by_name(scenario).expect("it is listed").cases(false);
    let system = format!("{library}{}", published::SUFFIX);
    let mut known = cases.into_iter().filter(|case| case.system == system);
    let case = known.find(|case| case.threads == threads).expect("the document has such a row");
    let case = Case { size, ..case };
    let sample = watched(move || run(&case, Some(&Bits::new(size)))).unwrap();
    assert_eq!((&sample.invalid, sample.completed), (&None, sample.expected));
    let column = |name: &str| sample.columns.get(name).map_or(0, |count| *count as u64);
    assert_eq!(size - column("dropped_by_harness"), sample.completed);
    let published = sample.as_published.expect("a replay");
    assert_eq!(published - sample.completed, column("moved"), "{library}, {threads} threads");
    (sample.completed, published)
}

#[test]
fn the_harness_of_the_document_counts_4096_and_8192_again() {
    for _ in 0..20 {
        assert_eq!(replayed("contention", "st3-lifo", 8, 1_000_000), (2048, 4096));
        assert_eq!(replayed("contention", "st3-lifo", 16, 1_000_000), (4096, 8192));
    }
    for threads in [8, 16] {
        assert_eq!(replayed("contention", "crossbeam", threads, 100_000), (100_000, 100_000));
    }
}

#[test]
fn what_the_harness_counts_in_excess_is_the_number_of_moves() {
    for threads in [4, 8] {
        for library in ["st3-lifo", "st3-fifo"] {
            assert_eq!(replayed("balanced", library, threads, 50_000).0, 50_000);
        }
        replayed("imbalanced", "st3-lifo", threads, 50_000);
    }
    assert_eq!(replayed("balanced", "crossbeam", 8, 50_000), (50_000, 50_000));
}

#[test]
fn the_harness_drops_the_remainder_of_an_imbalanced_start() {
    // A tenth of a million by three, and by seven.
    assert_eq!(replayed("imbalanced", "crossbeam", 4, 1_000_000), (999_999, 999_999));
    assert_eq!(replayed("imbalanced", "crossbeam", 8, 1_000_000), (999_995, 999_995));
}
