//! The document's own harness, faults included, so that its figures can be seen again and
//! explained; `scenarios.toml` explains them.
//!
//! It is written anew after the two programs behind the document, which were read for what they do.
//! What is kept: the queues and how they are used, the ends of their loops, what is timed, what is
//! counted, and what is dropped. What is added: each item that is done is also counted properly, at
//! about a nanosecond an item, so that the rows show what really happened.
//!
//! These rows are valid if what was really put into the queues was done exactly once, no matter
//! what the harness reports. What it dropped is in the column `dropped_by_harness`; its nanoseconds
//! per operation, by its own count, are in `published_ns_per_op`.

use super::plan::Distribution;
use crate::meter::Sample;
use crate::queues::scenario::witness::Bits;

mod crossbeam;
mod harness;
mod st3;

/// The suffix that systems have in their names if this harness runs them.
pub(super) const SUFFIX: &str = " (document's harness)";

/// Runs `plan` once on `library`.
pub(super) fn measure(
    plan: &Distribution,
    library: &str,
    bits: Option<&Bits>,
) -> Result<Sample, String> {
    let replay = harness::PublishedRun::new(plan, bits)?;
    match (library, plan.producers.is_empty()) {
        ("crossbeam", true) => replay.run::<crossbeam_deque::Worker<u64>>(),
        ("crossbeam", false) => crossbeam::run_producers(&replay),
        ("st3-lifo", true) => replay.run::<::st3::lifo::Worker<u64>>(),
        ("st3-fifo", true) => replay.run::<::st3::fifo::Worker<u64>>(),
        (_, true) => Err(format!("the document has no {library}")),
        (_, false) => Err(format!("the document has no injector for {library}")),
    }
}
