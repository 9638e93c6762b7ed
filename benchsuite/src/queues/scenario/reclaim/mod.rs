//! Document 2, on epoch-based reclamation: what pinning and retiring cost, and how much garbage
//! waits.
//!
//! The document times every operation on its own with a clock that knows whole microseconds, so
//! that its percentiles are those of the rounding. Here the same work is timed in blocks of a
//! thousand operations; a second, short pass with the document's counts and a clock as coarse gives
//! the `clock1us_` columns. Two kinds of work are new: retiring while one thread stays pinned, and
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

use heist_ebr::{Barrier, Config, Reclaim, UNPINS_PER_TRY};

use crate::meter::Sample;
use crate::queues::case::{Case, Scenario};
use crate::queues::scenario::reclaim::drive::{Outcome, Plan, Source, Work, drive};
use crate::queues::scenario::reclaim::hazard::Hazard;
use crate::queues::scenario::reclaim::node::Node;
use crate::queues::scenario::reclaim::scheme::Scheme;
use crate::queues::scenario::reclaim::times::{Summary, Timing};

pub(crate) struct Reclamation;

/// A way of reclaiming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Heist(Reclaim, Barrier),
    Epoch,
    Seize,
    Hazard,
}

const SYSTEMS: [(&str, System); 8] = [
    ("heist-ebr P0 mutex", System::Heist(Reclaim::Mutex, Barrier::Fence)),
    ("heist-ebr P1 registry", System::Heist(Reclaim::Registry, Barrier::Fence)),
    ("heist-ebr P2 bags", System::Heist(Reclaim::Bags { every: UNPINS_PER_TRY }, Barrier::Fence)),
    ("heist-ebr P3 adaptive", System::Heist(Reclaim::Adaptive, Barrier::Fence)),
    ("heist-ebr P3 membarrier", System::Heist(Reclaim::Adaptive, Barrier::Membarrier)),
    ("crossbeam-epoch", System::Epoch),
    ("seize", System::Seize),
    ("haphazard", System::Hazard),
];

/// One kind of work with all its sizes.
struct Bench {
    work: Work,
    name: &'static str,
    threads: &'static [usize],
    quick_threads: &'static [usize],
    /// Per thread, in a full run. A quick one does a fifth.
    operations: u64,
    sources: &'static [Source],
}

const BOTH: &[Source] = &[Source::Malloc, Source::Pool];

const BENCHES: [Bench; 5] = [
    Bench {
        work: Work::Pin,
        name: "pin and unpin",
        threads: &[1, 2, 4, 8],
        quick_threads: &[1, 4],
        operations: 4_000_000,
        sources: &[Source::Malloc],
    },
    Bench {
        work: Work::Retire,
        name: "retire",
        threads: &[1],
        quick_threads: &[1],
        operations: 1_000_000,
        sources: BOTH,
    },
    Bench {
        work: Work::Swap,
        name: "AtomicPtr swap and retire",
        threads: &[2, 4, 8],
        quick_threads: &[4],
        operations: 200_000,
        sources: BOTH,
    },
    Bench {
        work: Work::Stall,
        name: "retire, another one pinned for 50 ms",
        threads: &[2],
        quick_threads: &[2],
        operations: 100_000,
        sources: BOTH,
    },
    Bench {
        work: Work::Churn,
        name: "register, retire, leave",
        threads: &[1, 4],
        quick_threads: &[1],
        operations: 50_000,
        sources: &[Source::Malloc],
    },
];

impl Scenario for Reclamation {
    fn name(&self) -> &'static str {
        "reclaim"
    }

    fn about(&self) -> &'static str {
        "Document 2: what it costs to pin, to retire, and to swap an AtomicPtr. P0 to P3 are its \
         mutex, its phases 1 and 2, and the third it only sketched, each in a sound version. It \
         reports 17 ns for a pin on one thread and 27.9, 23.9, 28.7 and 18.2 million a second on \
         1, 2, 4 and 8; 1271 and 1150 ns for a retire (phases 1 and 2, allocation \
         included); 210 and 111 thousand swaps a second on 4 and 8 threads, with 40 and 79 KB of \
         objects at most (`unreclaimed_bytes`, which counts the objects of 40 bytes there are). \
         `p50_ns`, `p99_ns` and `max_ns` are those of blocks of 1000 operations; `clock1us_` \
         columns are what the document's clock, which knows whole microseconds, prints for \
         single operations: its 'p50 0 ns, p99 1000 ns'. `malloc` allocates and frees every \
         object; `no allocation` retires objects that all exist beforehand (peak memory includes \
         them) through a deleter that only marks them, and so shows what the list costs. haphazard \
         has no pins: protecting one pointer takes their place, and it allocates a record per \
         retired object in any case. `stalled` is how many objects waited when a thread that had \
         been pinned for 50 ms let go, `left` how many only the end of the collector freed."
    }

    fn cases(&self, quick: bool) -> Vec<Case> {
        let mut rows = Vec::new();
        for bench in &BENCHES {
            let threads = if quick { bench.quick_threads } else { bench.threads };
            for &threads in threads {
                for &source in bench.sources {
                    let operations = bench.operations / if quick { 5 } else { 1 };
                    let row = |(system, _)| row(bench, source, threads, operations, system);
                    rows.extend(SYSTEMS.into_iter().map(row));
                }
            }
        }
        rows
    }

    fn measure(&self, row: &Case) -> Result<Sample, String> {
        let plan = plan(row).ok_or_else(|| format!("no set-up '{}'", row.setup))?;
        let system = SYSTEMS.iter().find(|(name, _)| *name == row.system);
        let (_, system) = system.ok_or_else(|| format!("no system '{}'", row.system))?;
        match *system {
            System::Heist(reclaim, barrier) => {
                measure_on(|| collectors::heist(Config { reclaim, barrier }), plan)
            }
            System::Epoch => measure_on(|| Ok(crossbeam_epoch::Collector::new()), plan),
            // With its defaults: batches of 32, or of as many as there are cores.
            System::Seize => measure_on(|| Ok(seize::Collector::new()), plan),
            System::Hazard => measure_on(|| Ok(Hazard::new()), plan),
        }
    }

    fn as_published(&self) -> Option<&'static str> {
        Some(
            "The document times single operations with a clock of one microsecond: see the \
             clock1us_ columns. Its allocator maps a page per object, and its deleters run in the \
             unpin, outside what it times as retire. Its version frees too early: a pin has no \
             fence, and a thread's garbage is freed when it exits.",
        )
    }
}

/// The row's `setup`, from which [`plan`] finds the way back.
fn setup(bench: &Bench, source: Source, threads: usize) -> String {
    let plural = if threads == 1 { "" } else { "s" };
    let source = match source {
        _ if bench.work == Work::Pin => "",
        Source::Malloc => ", malloc",
        Source::Pool => ", no allocation",
    };
    format!("{}, {threads} thread{plural}{source}", bench.name)
}

fn row(bench: &Bench, source: Source, threads: usize, operations: u64, system: &str) -> Case {
    let (setup, size) = (setup(bench, source, threads), operations * threads as u64);
    Case::new(Reclamation.name(), setup, system, threads, size).with([("operations", operations)])
}

fn plan(row: &Case) -> Option<Plan> {
    let sources = |bench: &'static Bench| bench.sources.iter().map(move |source| (bench, *source));
    let mut known = BENCHES.iter().flat_map(sources);
    let threads = row.threads.max(1);
    let (bench, source) = known.find(|known| setup(known.0, known.1, threads) == row.setup)?;
    let operations = row.number("operations");
    Some(Plan { work: bench.work, source, threads, operations, timing: Timing::Blocks })
}

/// Both passes.
fn measure_on<M: Scheme>(
    make: impl Fn() -> Result<M, String>,
    plan: Plan,
) -> Result<Sample, String> {
    let outcome = drive(make()?, plan)?;
    let mut sample = outcome.cost.clone();
    sample.expected = plan.operations * plan.threads as u64;
    sample.completed = outcome.times.operations();
    sample.invalid.clone_from(&outcome.fault);
    add_columns(&mut sample, outcome);
    if let Some(operations) = documents_count(plan) {
        let timing = Timing::MicrosecondClock;
        let coarse = drive(make()?, Plan { operations, timing, ..plan })?;
        sample.invalid = sample.invalid.or(coarse.fault);
        let Summary { mean, p50, p99, max } = coarse.times.summary();
        sample.add_columns([
            ("clock1us_mean_ns", mean),
            ("clock1us_p50_ns", p50),
            ("clock1us_p99_ns", p99),
            ("clock1us_max_ns", max),
        ]);
    }
    Ok(sample)
}

/// How often the document does it, per thread. Not at all in what it does not do.
fn documents_count(plan: Plan) -> Option<u64> {
    match plan.work {
        Work::Pin if plan.threads == 1 => Some(100_000),
        Work::Pin | Work::Retire => Some(10_000),
        Work::Swap => Some(1_000),
        Work::Stall | Work::Churn => None,
    }
}

fn add_columns(sample: &mut Sample, outcome: Outcome) {
    let Summary { mean, p50, p99, max } = outcome.times.summary();
    sample.add_columns([("mean_ns", mean), ("p50_ns", p50), ("p99_ns", p99), ("max_ns", max)]);
    sample.add_counts([
        ("unreclaimed", outcome.high),
        ("unreclaimed_bytes", outcome.high * size_of::<Node>() as u64),
        ("left", outcome.left),
    ]);
    sample.add_counts(outcome.stalled.map(|stalled| ("stalled", stalled)));
    sample.add_counts(outcome.counters);
}
