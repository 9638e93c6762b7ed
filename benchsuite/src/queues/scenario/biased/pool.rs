//! One pool of the benchmark, as its program sees it, and the account of its units.

use std::iter;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope};

use crate::meter::Meter;
use crate::queues::scenario::biased::load::{Load, burn};
use crate::queues::scenario::witness::{Bits, SharedTally, fault};

/// The units of one pool that were done. A unit takes microseconds at least, so that a few atomic
/// operations on it do not show.
pub(super) struct Ledger {
    done: Bits,
    tally: SharedTally,
}

impl Ledger {
    /// For units `0..units`, none of them done.
    pub(super) fn new(units: u64) -> Ledger {
        Ledger { done: Bits::new(units), tally: SharedTally::default() }
    }

    /// Notes that unit `unit` has been done.
    pub(super) fn note(&self, unit: u64) {
        self.done.mark(unit);
        self.tally.add(unit);
    }

    /// How many units have been done so far, counting repetitions.
    pub(super) fn completed(&self) -> u64 {
        self.tally.get().count
    }

    /// What is wrong with the set of units done. All threads must have ended.
    pub(super) fn fault(&self) -> Option<String> {
        let every = 0..self.done.len();
        fault(self.tally.get(), Some(&self.done), std::slice::from_ref(&every))
    }
}

/// A pool of consumers and its producer.
#[derive(Clone, Copy)]
pub(super) struct Pool<'a> {
    /// How many consumers.
    pub(super) threads: usize,
    /// How many units to make.
    pub(super) units: u64,
    /// How many units the producer hands over at a time.
    pub(super) batch: u64,
    pub(super) load: Load,
    pub(super) ledger: &'a Ledger,
    pub(super) meter: &'a Meter,
    /// All pools' producers.
    pub(super) exits: &'a Exits<'a>,
}

/// Some units that travel together: the first and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Units {
    pub(super) first: u64,
    pub(super) count: u64,
}

impl<'a> Pool<'a> {
    /// The batches that the producer sends, in order. The last one may be shorter.
    pub(super) fn messages(&self) -> impl Iterator<Item = Units> + 'a {
        let (units, batch) = (self.units, self.batch.max(1));
        let next = move |done: &Units| {
            let first = done.first + done.count;
            (first < units).then(|| Units { first, count: batch.min(units - first) })
        };
        iter::successors(next(&Units { first: 0, count: 0 }), next)
    }

    /// The serial stage.
    pub(super) fn make(&self, units: Units) {
        (0..units.count).for_each(|_| burn(self.load.make));
    }

    /// The parallel stage.
    pub(super) fn process(&self, units: Units) {
        for unit in units.first..units.first + units.count {
            burn(self.load.process);
            self.ledger.note(unit);
        }
    }

    /// Starts consumer `index` on a thread of its own, which reports to the meter at its end.
    pub(super) fn start<'scope>(
        self,
        scope: &'scope Scope<'scope, '_>,
        index: usize,
        body: impl FnOnce() + Send + 'scope,
    ) -> Result<(), String>
    where
        'a: 'scope,
    {
        let consume = move || {
            body();
            self.meter.leave();
        };
        let builder = Builder::new().name(format!("consumer-{index}"));
        let started = builder.spawn_scoped(scope, consume).map(drop);
        started.map_err(|error| format!("thread {index} of {}: {error}", self.threads))
    }
}

/// The units that were done when the last producer had made its last one.
///
/// That is when the document's program ends with rayon: it drops the pool, which makes the threads
/// end some time and joins none of them.
pub(super) struct Exits<'a> {
    producing: AtomicUsize,
    ledgers: &'a [Ledger],
    completed: OnceLock<u64>,
}

impl<'a> Exits<'a> {
    /// For one producer per ledger.
    pub(super) fn new(ledgers: &'a [Ledger]) -> Exits<'a> {
        Exits { producing: AtomicUsize::new(ledgers.len()), ledgers, completed: OnceLock::new() }
    }

    /// A producer has made its last unit.
    pub(super) fn leave(&self) {
        // Ordering: Relaxed. Only the order of the decrements matters, and the counts read after
        // the last one are those of threads that work on.
        if self.producing.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.completed.get_or_init(|| self.ledgers.iter().map(Ledger::completed).sum());
        }
    }

    /// The units done at that moment, if all producers have left.
    pub(super) fn completed(&self) -> Option<u64> {
        self.completed.get().copied()
    }
}
