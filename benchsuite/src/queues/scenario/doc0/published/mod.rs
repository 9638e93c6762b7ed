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

use std::iter;
use std::ops::Range;

use super::plan::Load;
use crate::meter::Sample;
use crate::queues::case::Case;
use crate::queues::scenario::witness::{Bits, fault};

use harness::{Outcome, Replay, Start};

mod crossbeam;
mod harness;
mod st3;

/// The suffix of the names of systems that this harness runs.
pub(super) const SUFFIX: &str = " (document's harness)";

/// Runs `case` once on `library`.
pub(super) fn measure(case: &Case, library: &str, bits: Option<&Bits>) -> Result<Sample, String> {
    let load = Load::of(case)?;
    let replay = replay(case, &load, bits)?;
    let outcome = match library {
        "crossbeam" => crossbeam::run(&replay),
        "st3-lifo" => harness::run::<::st3::lifo::Worker<u64>>(&replay),
        "st3-fifo" => harness::run::<::st3::fifo::Worker<u64>>(&replay),
        _ => Err(format!("the document has no {library}")),
    };
    let Outcome { mut sample, tally, existed, published, moved } = outcome?;
    sample.expected = existed.iter().map(|range| range.end - range.start).sum();
    sample.completed = tally.count;
    sample.as_published = Some(published);
    sample.invalid = fault(tally, bits, &existed);

    // st3's contention is the only place where the document divides by what it counted.
    let by_count = load.victims > 0 && library.starts_with("st3");
    let by = if by_count { published.max(1) } else { case.size };
    sample.add_columns([("published_ns_per_op", sample.wall_ns as f64 / by as f64)]);
    sample.add_counts([("dropped_by_harness", case.size - sample.expected)]);
    sample.add_counts(moved.map(|moved| ("moved", moved)));
    Ok(sample)
}

/// The run that the harness makes of a case. All its divisions drop the remainder.
fn replay<'a>(case: &Case, load: &Load, bits: Option<&'a Bits>) -> Result<Replay<'a>, String> {
    let workers = case.threads;
    let start = if load.victims > 0 {
        Start::Victims(even(0..case.size, load.victims))
    } else if load.producers > 0 {
        Start::Producers(even(0..case.size, load.producers))
    } else if load.imbalanced {
        let most = case.size * 9 / 10;
        Start::Own(iter::once(0..most).chain(even(most..case.size, workers - 1)).collect())
    } else {
        Start::Own(even(0..case.size, workers))
    };
    let share: fn(usize) -> usize = match load.percent.map_or(50, |percent| percent.get()) {
        25 => |n| n / 4,
        50 => |n| n / 2,
        75 => |n| n * 3 / 4,
        100 => |n| n,
        other => return Err(format!("the document has no share of {other} %")),
    };
    Ok(Replay { start, workers, share, bits })
}

/// Ranges of equal length, without the remainder.
fn even(items: Range<u64>, parts: usize) -> Vec<Range<u64>> {
    let parts = parts as u64;
    let each = (items.end - items.start).checked_div(parts).unwrap_or(0);
    (0..parts).map(|part| items.start + part * each..items.start + (part + 1) * each).collect()
}
