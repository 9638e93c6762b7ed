//! Systems that do not give every object back once are found out.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::*;
use crate::queues::scenario::reclaim::node::{Supply, Tally, free};
use crate::queues::scenario::reclaim::scheme::Local;
use crate::queues::scenario::watch::watched;

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
    unsafe fn retire(&mut self, node: *mut Node) {
        let mut count = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        let odd = *count == 7;
        // SAFETY: the caller's promise; the second time is the fault, and one that only pools are
        // used for, whose nodes stay.
        unsafe {
            match self.0 {
                Fault::Leaks if odd => {}
                Fault::FreesTwice if odd => {
                    free(node);
                    free(node);
                }
                Fault::Leaks | Fault::FreesTwice => free(node),
            }
        }
    }

    /// # Safety
    ///
    /// As for the trait.
    unsafe fn swap(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally) {
        // Ordering: AcqRel, as in the real ones.
        let old = shared.swap(node, Ordering::AcqRel);
        // SAFETY: no other thread has it: one thread is used.
        unsafe {
            self.retire(old);
            // The fault of freeing too early: pools keep it readable.
            tally.look(&*old);
        }
    }

    fn stall(&mut self, during: impl FnOnce()) {
        during();
    }
}

fn fault_of(fault: Fault, work: Work, source: Source) -> Option<String> {
    let plan = Plan { work, source, threads: 1, operations: 100, timing: BLOCKS };
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
                let made = (0..10).filter_map(|_| Supply::Malloc.make(tally));
                made.map(|node| node as usize).collect()
            })
        };
        let threads: Vec<thread::ScopedJoinHandle<'_, Vec<usize>>> = vec![make(0), make(1)];
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!((tally.mark(), tally.high()), (20, 20));
    assert!(tally.fault(&[]).is_some_and(|fault| fault.contains("20 objects were made and 0")));
    for node in nodes {
        // SAFETY: made above, each freed once, by a thread without a seat.
        unsafe { free(node as *mut Node) };
    }
    assert_eq!((tally.alive(), tally.high(), tally.fault(&[])), (0, 20, None));
}

#[test]
fn a_pool_ends() {
    let tally = Tally::leak(0);
    let nodes = Node::pool(2, tally);
    let mut pool = Supply::Pool(nodes.iter());
    let taken: Vec<_> = std::iter::from_fn(|| pool.make(tally)).collect();
    assert_eq!(taken.len(), 2);
    for node in taken {
        // SAFETY: from the pool above, each freed once.
        unsafe { free(node) };
    }
    assert_eq!(tally.fault(&[nodes]), None);
}

#[test]
fn an_unknown_system_is_an_error() {
    let load = [("work".to_owned(), "pin".into()), ("source".to_owned(), "malloc".into())];
    let mut case = Case { load: load.into_iter().collect(), ..Case::default() };
    case.system = "garbage truck".to_owned();
    assert_eq!(measure(&case), Err("no system 'garbage truck'".to_owned()));
    case.load.insert("work".to_owned(), "rest".into());
    assert!(measure(&case).is_err_and(|error| error.contains("unknown variant `rest`")));
}
