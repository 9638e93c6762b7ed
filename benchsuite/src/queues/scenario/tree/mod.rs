//! `tree`: trees in memory with nodes that spawn their children and spend a given time.
//!
//! This is the load that the queues are made for. Sharing is lazy, unless a row names another way,
//! such as `eager`, by which a walk shares. Some nodes may stall, as a disk does. The time includes
//! starting and joining threads, because when to start them is part of what is compared. A crew of
//! one uses neither queue nor policy, so one row stands for all.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | what the trees look like |

pub(crate) mod shape;

use std::ops::ControlFlow;
use std::slice;
use std::thread::{self, ThreadId};
use std::time::Duration;

use crossbeam_utils::CachePadded;
use heist_queue::{IdleConfig, Job, RunConfig, Sharing, Spawner, Stop, run_on};
use rayon::{Scope, ThreadPoolBuilder};
use serde::Deserialize;

use crate::meter::{Meter, Sample};
use crate::queues::case::Case;
use crate::queues::scenario::calibrate::Cost;
use crate::queues::scenario::witness::{Bits, SharedTally, Tally, fault};
use crate::shared_queue::SharedQueue;
use shape::{Node, Shape, Tree};

/// The rows that are rayon's own pool instead of a crew.
const RAYON: &str = "rayon";
/// How many nodes there are for each that stalls, where some do.
const NODES_PER_STALL: u32 = 100;

/// The load of a case.
#[derive(Deserialize)]
struct TreeLoad {
    shape: Shape,
    cost_us: u64,
    /// How long a node in a hundred sleeps.
    #[serde(default)]
    stall_ms: u64,
}

pub(super) fn measure(case: &Case) -> Result<Sample, String> {
    let TreeLoad { shape, cost_us, stall_ms } = case.load()?;
    let len = u32::try_from(case.size).map_err(|error| format!("size: {error}"))?;
    let load = CostlyTree {
        tree: Tree { shape, len },
        cost: Cost::of_ns(1000 * cost_us),
        stall: Duration::from_millis(stall_ms),
        visited: case.verify.then(|| Bits::new(case.size)),
    };
    let meter = &Meter::start()?;
    let (tally, mut sample) = match case.system.as_str() {
        RAYON => on_rayon(&load, case.threads, meter)?,
        _ => on_crew(&load, case, meter)?,
    };
    sample.expected = case.size;
    sample.completed = tally.count;
    let every = 0..case.size;
    let fault = || fault(tally, load.visited.as_ref(), slice::from_ref(&every));
    sample.invalid = sample.invalid.or_else(fault);
    Ok(sample)
}

/// A tree, and what it costs to visit a node.
struct CostlyTree {
    tree: Tree,
    cost: Cost,
    stall: Duration,
    /// In the run that verifies.
    visited: Option<Bits>,
}

impl CostlyTree {
    fn visit(&self, node: Node, tally: &mut Tally) {
        let id = u64::from(node.id);
        self.cost.pay(id);
        if !self.stall.is_zero() && node.id.is_multiple_of(NODES_PER_STALL) {
            thread::sleep(self.stall);
        }
        tally.done(id, self.visited.as_ref());
    }
}

fn on_crew(load: &CostlyTree, case: &Case, meter: &Meter) -> Result<(Tally, Sample), String> {
    let SharedQueue { queue, sharing } = case.shared_queue()?;
    let sharing = sharing.unwrap_or(Sharing::Lazy);
    let idle = IdleConfig { policy: case.idle_policy()?, ..IdleConfig::default() };
    let cfg = RunConfig { idle, sharing, ..RunConfig::default() };
    let caller = thread::current().id();
    let visitor = |_| TreeJob { load, meter, caller, tally: Tally::default() };
    let visitors = (0..case.threads).map(visitor).collect();
    let report = run_on(queue, &cfg, vec![load.tree.root()], visitors);
    let report = report.map_err(|error| error.to_string())?;
    let mut sample = meter.stop(report.threads_started as u64)?;
    sample.add_queue_counts(&report.queue);
    sample.add_idle_counts(&report.idle);
    let threads = report.threads_started as u64;
    sample.add_counts([("threads", threads), ("pushed", report.queue.pushed)]);
    let (stop, executed) = (report.stop, report.executed);
    if stop != Stop::Done || executed != case.size {
        sample.invalid = Some(format!("ended as {stop:?} after {executed} nodes"));
    }
    Ok((report.outputs.into_iter().sum(), sample))
}

/// The job of a worker: to visit nodes.
struct TreeJob<'a> {
    load: &'a CostlyTree,
    meter: &'a Meter,
    /// The thread that waits for the others and runs the jobs of workers without a thread.
    caller: ThreadId,
    tally: Tally,
}

impl Job<Node> for TreeJob<'_> {
    type Output = Tally;

    fn run<S: Spawner<Node>>(&mut self, node: Node, sink: &mut S) -> ControlFlow<()> {
        self.load.visit(node, &mut self.tally);
        self.load.tree.children(node, |child| sink.spawn(child));
        ControlFlow::Continue(())
    }

    fn finish(self) -> Tally {
        if thread::current().id() != self.caller {
            self.meter.leave();
        }
        self.tally
    }
}

/// Visits the tree on a pool of rayon's: one spawned closure a node, in a scope, which ends when
/// all have ended. Threads are started and joined within the time, like a crew's.
fn on_rayon(load: &CostlyTree, threads: usize, meter: &Meter) -> Result<(Tally, Sample), String> {
    let tallies: Vec<CachePadded<SharedTally>> = (0..threads).map(|_| Default::default()).collect();
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_scoped(
            |thread| {
                thread.run();
                meter.leave();
            },
            |pool| pool.scope(|scope| visit_on_rayon(load, load.tree.root(), &tallies, scope)),
        )
        .map_err(|error| error.to_string())?;
    let sample = meter.stop(threads as u64)?;
    Ok((tallies.iter().map(|tally| tally.get()).sum(), sample))
}

fn visit_on_rayon<'scope>(
    load: &'scope CostlyTree,
    node: Node,
    tallies: &'scope [CachePadded<SharedTally>],
    scope: &Scope<'scope>,
) {
    load.visit(node, &mut Tally::default());
    if let Some(tally) = rayon::current_thread_index().and_then(|thread| tallies.get(thread)) {
        tally.add(u64::from(node.id));
    }
    load.tree.children(node, |child| {
        scope.spawn(move |scope| visit_on_rayon(load, child, tallies, scope));
    });
}
