//! The scenarios of document 0, the comparison of crossbeam-deque and St3: on every backend, and as
//! the document's own harness ran them.
//!
//! | module | holds |
//! |---|---|
//! | `rows` | which set-ups there are |
//! | `plan` | who begins with which items |
//! | `run` | the threads, the timing and the loop of a worker |
//! | `published` | the document's harness, faults included |
//!
//! Threads are started before the time is taken, and each item is counted where it is done. Of
//! every row a first run, not timed, also checks off each item by itself; it warms the machine up
//! as well.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use heist_queue::with_backend;

use self::plan::Plan;
use self::run::Measure;
use crate::meter::Sample;
use crate::queues::case::{Case, Scenario};
use crate::queues::scenario::witness::Bits;

mod plan;
mod published;
mod rows;
mod run;
#[cfg(test)]
mod tests;

/// One of the document's scenarios. They differ in their rows and in who begins with what.
pub(crate) struct Document0 {
    name: &'static str,
    about: &'static str,
    rows: fn(quick: bool) -> Vec<Case>,
    plan: fn(&Case) -> Result<Plan, String>,
    as_published: &'static str,
}

/// Like items at all workers.
pub(crate) const BALANCED: Document0 = Document0 {
    name: "balanced",
    about: "Each worker pushes an equal share into its own end, does what is there, then steals \
            until all is done. Measures pushing and popping; hardly anything is stolen.",
    rows: rows::balanced,
    plan: Plan::balanced,
    as_published: published::BALANCED,
};

/// Nine tenths at the first worker.
pub(crate) const IMBALANCED: Document0 = Document0 {
    name: "imbalanced",
    about: "The first worker pushes nine tenths of the items, the others share the rest. Measures \
            how fast thieves spread work while its owner goes on.",
    rows: rows::imbalanced,
    plan: Plan::imbalanced,
    as_published: published::IMBALANCED,
};

/// Thieves only.
pub(crate) const CONTENTION: Document0 = Document0 {
    name: "contention",
    about: "All items lie in a few queues whose owners do nothing; what does not fit a bounded \
            queue has overflowed to where it can be found. The thieves may rob each other, too.",
    rows: rows::contention,
    plan: Plan::contention,
    as_published: published::CONTENTION,
};

/// One producer.
pub(crate) const INJECTOR: Document0 = Document0 {
    name: "injector",
    about: "One thread injects items, one at a time, while the workers do them.",
    rows: rows::injector,
    plan: Plan::fed,
    as_published: published::INJECTOR,
};

/// Several producers.
pub(crate) const MULTI_PRODUCER: Document0 = Document0 {
    name: "multi-producer",
    about: "Several threads inject items, one at a time, while four workers do them.",
    rows: rows::multi_producer,
    plan: Plan::fed,
    as_published: published::INJECTOR,
};

/// Thieves that take this or that share.
pub(crate) const STEAL_FRACTION: Document0 = Document0 {
    name: "steal-fraction",
    about: "How large a share of a victim's items one steal should take: from the imbalanced start, \
            where stealing matters, and from the document's balanced one, where it hardly does.",
    rows: rows::steal_fraction,
    plan: Plan::fraction,
    as_published: published::STEAL_FRACTION,
};

impl Document0 {
    /// Runs `row` once, and marks each item in `bits` if there are any.
    fn run(&self, row: &Case, bits: Option<&Bits>) -> Result<Sample, String> {
        if row.threads == 0 {
            return Err(format!("{} needs a worker", self.name));
        }
        if let Some(sample) = published::measure(row, bits) {
            return sample;
        }
        with_backend(row.queue()?, Measure { plan: &(self.plan)(row)?, bits })
    }
}

impl Scenario for Document0 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn cases(&self, quick: bool) -> Vec<Case> {
        (self.rows)(quick)
    }

    fn measure(&self, row: &Case) -> Result<Sample, String> {
        if is_first(row) {
            let checked = self.run(row, Some(&Bits::new(row.size)))?;
            if checked.invalid.is_some() {
                return Ok(checked);
            }
        }
        self.run(row, None)
    }

    fn as_published(&self) -> Option<&'static str> {
        Some(self.as_published)
    }
}

/// Whether this process has not run `row` before.
fn is_first(row: &Case) -> bool {
    static RUN: Mutex<BTreeSet<Case>> = Mutex::new(BTreeSet::new());
    // A set of rows is sound whatever happened to who held the lock.
    RUN.lock().unwrap_or_else(PoisonError::into_inner).insert(row.clone())
}
