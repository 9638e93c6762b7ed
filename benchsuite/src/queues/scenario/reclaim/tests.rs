//! Every system gives every object back once; systems that do not are found out.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::*;
use crate::queues::scenario::reclaim::node::{Malloc, Pool, Supply, Tally};
use crate::queues::scenario::reclaim::scheme::Local;
use crate::queues::scenario::watch::watched;

/// Rows of every set-up and system, small enough for a test.
fn small_rows() -> Vec<Case> {
    let mut rows = Reclamation.cases(false);
    for row in &mut rows {
        row.numbers.insert("operations".to_owned(), 3_000);
    }
    rows
}

#[test]
fn every_system_gives_every_object_back_once() {
    for row in small_rows() {
        let sample = watched({
            let row = row.clone();
            move || Reclamation.measure(&row)
        });
        let sample = match sample {
            Err(error) if error == "the kernel refuses membarrier" => continue,
            sample => sample.expect("threads can be had"),
        };
        assert_eq!(sample.invalid, None, "{row:?}");
        let expected = 3_000 * row.threads as u64;
        assert_eq!((sample.completed, sample.expected), (expected, expected), "{row:?}");
        let column = |name: &str| sample.columns.get(name).copied();
        assert!(column("mean_ns").is_some_and(|mean| mean > 0.0), "{row:?}");
        let single = row.setup.starts_with("retire, another") || row.setup.starts_with("register");
        assert_eq!(column("clock1us_p50_ns").is_some(), !single, "{row:?}");
        if row.setup.starts_with("pin") {
            assert_eq!(column("unreclaimed"), Some(0.0), "{row:?}");
        } else {
            assert!(column("unreclaimed") > Some(0.0), "{row:?}");
        }
        if row.setup.starts_with("retire, another") && row.system.starts_with("heist-ebr") {
            // Half of what two threads retire, all of it under the pin.
            assert_eq!(column("stalled"), Some(3_000.0), "{row:?}");
        }
    }
}

#[test]
fn rows_are_told_apart_and_can_be_planned() {
    for quick in [false, true] {
        let rows = Reclamation.cases(quick);
        let mut apart = rows.clone();
        apart.sort();
        apart.dedup();
        assert_eq!(apart.len(), rows.len(), "no row twice");
        for row in rows {
            let plan = plan(&row).expect("a set-up");
            assert_eq!(plan.operations * plan.threads as u64, row.size);
            assert_eq!(plan.threads, row.threads);
        }
    }
    let mut row = Reclamation.cases(true).remove(0);
    row.system = "garbage truck".to_owned();
    assert_eq!(Reclamation.measure(&row), Err("no system 'garbage truck'".to_owned()));
    row.setup = "pin".to_owned();
    assert_eq!(Reclamation.measure(&row), Err("no set-up 'pin'".to_owned()));
}

/// The faults of a way of reclaiming.
#[derive(Clone, Copy)]
enum Fault {
    Leaks,
    FreesTwice,
}

/// Keeps what it is given for ever, or gives it back twice, on the spot.
struct Faulty(Fault, Mutex<u64>);

impl Scheme for Faulty {
    type Local<'a> = &'a Faulty;

    fn register(&self) -> &Faulty {
        self
    }
}

impl Local for &Faulty {
    fn pin(&mut self) {}

    /// # Safety
    ///
    /// As for the trait.
    unsafe fn retire<S: Supply>(&mut self, node: *mut Node) {
        let mut count = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        let odd = *count == 7;
        // SAFETY: the caller's promise; the second time is the fault, and one that only pools are
        // used for, whose nodes stay.
        unsafe {
            match self.0 {
                Fault::Leaks if odd => {}
                Fault::FreesTwice if odd => {
                    S::free(node);
                    S::free(node);
                }
                Fault::Leaks | Fault::FreesTwice => S::free(node),
            }
        }
    }

    /// # Safety
    ///
    /// As for the trait.
    unsafe fn swap<S: Supply>(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally) {
        // Ordering: AcqRel, as in the real ones.
        let old = shared.swap(node, Ordering::AcqRel);
        // SAFETY: no other thread has it: one thread is used.
        unsafe {
            self.retire::<S>(old);
            // The fault of freeing too early: pools keep it readable.
            tally.look(&*old);
        }
    }

    fn stall(&mut self, during: impl FnOnce()) {
        during();
    }
}

fn fault_of(fault: Fault, work: Work, source: Source) -> Option<String> {
    let timing = Timing::Blocks;
    let plan = Plan { work, source, threads: 1, operations: 100, timing };
    let outcome = watched(move || drive(Faulty(fault, Mutex::new(0)), plan));
    outcome.expect("one thread can be had").fault
}

#[test]
fn a_leak_is_found() {
    for source in [Source::Malloc, Source::Pool] {
        let fault = fault_of(Fault::Leaks, Work::Retire, source);
        assert_eq!(fault.as_deref(), Some("100 objects were made and 99 dropped"));
    }
}

#[test]
fn a_second_drop_and_an_early_one_are_found() {
    let fault = fault_of(Fault::FreesTwice, Work::Retire, Source::Pool);
    assert_eq!(fault.as_deref(), Some("1 objects were dropped twice"));
    let fault = fault_of(Fault::Leaks, Work::Swap, Source::Pool);
    assert_eq!(fault.as_deref(), Some("99 objects were dropped while somebody used them"));
}

#[test]
fn an_account_adds_up_over_threads() {
    let tally = Tally::leak(2);
    let nodes: Vec<usize> = thread::scope(|scope| {
        let make = |seat| {
            scope.spawn(move || {
                tally.sit(seat);
                (0..10).filter_map(|_| Malloc(tally).make()).map(|node| node as usize).collect()
            })
        };
        let threads: Vec<thread::ScopedJoinHandle<'_, Vec<usize>>> = vec![make(0), make(1)];
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!((tally.mark(), tally.high()), (20, 20));
    assert!(tally.fault(&[]).is_some_and(|fault| fault.contains("20 objects were made and 0")));
    for node in nodes {
        // SAFETY: made above, each freed once, by a thread without a seat.
        unsafe { Malloc::free(node as *mut Node) };
    }
    assert_eq!((tally.alive(), tally.high(), tally.fault(&[])), (0, 20, None));
}

#[test]
fn a_pool_ends() {
    let tally = Tally::leak(0);
    let nodes = Pool::nodes(2, tally);
    let mut pool = Pool::new(&nodes, tally);
    let taken: Vec<_> = std::iter::from_fn(|| pool.make()).collect();
    assert_eq!(taken.len(), 2);
    for node in taken {
        // SAFETY: from the pool above, each freed once.
        unsafe { Pool::free(node) };
    }
    assert_eq!(tally.fault(&[nodes]), None);
}
