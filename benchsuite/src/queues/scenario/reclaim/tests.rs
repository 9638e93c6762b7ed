//! Systems that do not give every object back once are found out.

use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

use super::*;
use crate::queues::scenario::reclaim::node::{Account, Object, free};
use crate::queues::scenario::reclaim::scheme::Local;
use crate::queues::scenario::tests::watched;

/// The faults of a way of reclaiming.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Leaks,
    FreesTwice,
    FreesEarly,
}

/// Gives back what is retired on the spot, or earlier, and the seventh object never, or twice.
struct Faulty(Fault, Mutex<u64>);

impl Scheme for Faulty {
    type Local<'a> = &'a Faulty;

    fn register(&self) -> &Faulty {
        self
    }
}

impl Local for &Faulty {
    type Guard<'g>
        = &'g Faulty
    where
        Self: 'g;

    fn pin(&mut self) -> &Faulty {
        self
    }

    fn load(guard: &mut &Faulty, shared: &AtomicPtr<Object>) -> *mut Object {
        // Ordering: Relaxed, one thread is used.
        let node = shared.load(Ordering::Relaxed);
        if guard.0 == Fault::FreesEarly {
            // SAFETY: pools keep it readable; see `retire`.
            unsafe { free(node) };
        }
        node
    }

    /// # Safety
    ///
    /// As for the trait.
    unsafe fn retire(guard: &Faulty, node: *mut Object) {
        let mut count = guard.1.lock().expect("one thread");
        *count += 1;
        let times = match guard.0 {
            Fault::Leaks if *count == 7 => 0,
            Fault::FreesTwice if *count == 7 => 2,
            Fault::FreesEarly => 0,
            Fault::Leaks | Fault::FreesTwice => 1,
        };
        // SAFETY: the caller's promise; a second time is the fault, for which only pools are used,
        // whose nodes stay.
        (0..times).for_each(|_| unsafe { free(node) });
    }
}

fn fault_of(fault: Fault, work: Operation, source: ObjectSource) -> Option<String> {
    let plan = Workload { work, source, threads: 1, operations: 100, timing: BLOCKS };
    let outcome = watched(move || drive(Faulty(fault, Mutex::new(0)), plan));
    outcome.expect("one thread can be had").0.invalid
}

#[test]
fn each_fault_is_found() {
    let early = "100 objects were dropped while somebody used them";
    for (fault, work, source, found) in [
        (
            Fault::Leaks,
            Operation::Retire,
            ObjectSource::Malloc,
            "100 objects were made and 99 dropped",
        ),
        (
            Fault::Leaks,
            Operation::Retire,
            ObjectSource::Pool,
            "100 objects were made and 99 dropped",
        ),
        (Fault::FreesTwice, Operation::Retire, ObjectSource::Pool, "1 objects were dropped twice"),
        (Fault::FreesEarly, Operation::Swap, ObjectSource::Pool, early),
    ] {
        assert_eq!(fault_of(fault, work, source).as_deref(), Some(found));
    }
}

#[test]
fn an_account_adds_up_over_threads() {
    for pooled in [0, 10] {
        let account = Account::leak([pooled, pooled, 0]);
        let make = |seat| {
            thread::spawn(move || -> Vec<usize> {
                let mut supply = account.sit(seat);
                (0..10).map(|_| supply.make() as usize).collect()
            })
        };
        let nodes = [make(0), make(1)].map(|thread| thread.join().expect("no panic"));
        assert_eq!((account.mark(), account.high()), (20, 20));
        assert_eq!(account.fault().as_deref(), Some("20 objects were made and 0 dropped"));
        account.sit(2);
        for node in nodes.into_iter().flatten() {
            // SAFETY: made above, each freed once.
            unsafe { free(node as *mut Object) };
        }
        assert_eq!((account.mark(), account.high(), account.fault()), (0, 20, None));
    }
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
