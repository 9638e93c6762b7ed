//! Document 2, on epoch-based reclamation: what pinning and retiring cost, and how much garbage
//! waits.
//!
//! The document times every operation on its own with a clock that knows whole microseconds, so its
//! percentiles measure the rounding. Here the same work is timed in blocks of a thousand
//! operations; a second, short pass with the document's counts and a clock as coarse gives the
//! `clock1us_` columns. Two kinds of work are new: retiring while one thread stays pinned, and
//! registering and leaving for each object.
//!
//! Every object is accounted for: when the collector is gone, as many must have been dropped as
//! were made, none twice, and none may have been seen after it was dropped.
//!
//! | module | holds |
//! |---|---|
//! | `node` | objects, where they come from, and their account |
//! | `scheme` | what a way of reclaiming has to offer |
//! | `collectors`, `hazard` | the ways there are |
//! | `times` | clocks and percentiles |
//! | `drive` | the threads |

mod collectors;
mod drive;
mod hazard;
mod node;
mod scheme;
#[cfg(test)]
mod tests;
mod times;

use haphazard::Domain;
use heist_ebr::{Barrier, Config, Reclaim, UNPINS_PER_TRY};
use serde::Deserialize;

use crate::meter::Sample;
use crate::queues::case::Case;
use crate::queues::scenario::reclaim::drive::{ObjectSource, Operation, Workload, drive};
use crate::queues::scenario::reclaim::hazard::Family;
use crate::queues::scenario::reclaim::scheme::Scheme;
use crate::queues::scenario::reclaim::times::{BLOCKS, MICROSECONDS};

/// The load of a case. Its size is how many operations each thread does.
#[derive(Deserialize)]
struct ReclaimLoad {
    work: Operation,
    source: ObjectSource,
    /// How often the document does it, per thread. Not at all in what it does not do.
    coarse: Option<u64>,
}

pub(super) fn measure(case: &Case) -> Result<Sample, String> {
    let ReclaimLoad { work, source, coarse } = case.load()?;
    let (threads, operations) = (case.threads, case.size);
    let plan = Workload { work, source, threads, operations, timing: BLOCKS };
    let heist = |reclaim, barrier| {
        measure_on(|| collectors::heist(Config { reclaim, barrier }), plan, coarse)
    };
    match case.system.as_str() {
        "heist-ebr P0 mutex" => heist(Reclaim::Mutex, Barrier::Fence),
        "heist-ebr P1 registry" => heist(Reclaim::Registry, Barrier::Fence),
        "heist-ebr P2 bags" => heist(Reclaim::Bags { every: UNPINS_PER_TRY }, Barrier::Fence),
        "heist-ebr P3 adaptive" => heist(Reclaim::Adaptive, Barrier::Fence),
        "heist-ebr P3 membarrier" => heist(Reclaim::Adaptive, Barrier::Membarrier),
        "crossbeam-epoch" => measure_on(|| Ok(crossbeam_epoch::Collector::new()), plan, coarse),
        // With its defaults: batches of 32, or one for each core if there are more.
        "seize" => measure_on(|| Ok(seize::Collector::new()), plan, coarse),
        "haphazard" => measure_on(|| Ok(Domain::new(&Family)), plan, coarse),
        name => Err(format!("no system '{name}'")),
    }
}

/// Both passes.
fn measure_on<S: Scheme>(
    make: impl Fn() -> Result<S, String>,
    plan: Workload,
    coarse: Option<u64>,
) -> Result<Sample, String> {
    let (mut sample, times) = drive(make()?, plan)?;
    sample.add_columns(times.summary());
    if let Some(operations) = coarse {
        let (coarse, times) =
            drive(make()?, Workload { operations, timing: MICROSECONDS, ..plan })?;
        sample.invalid = sample.invalid.or(coarse.invalid);
        sample.add_columns(times.summary());
    }
    Ok(sample)
}
