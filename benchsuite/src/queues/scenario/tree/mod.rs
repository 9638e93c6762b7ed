//! `tree`: trees in memory whose nodes spawn their children and spend a given time.
//!
//! This is the load that the queues are made for. Sharing is lazy, as in the walk; `eager` rows
//! share everything at once. The time includes the starting and joining of threads, because when to
//! start them is part of what is compared. A crew of one uses neither queue nor policy, so one row
//! stands for all.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | what the trees look like |

pub(crate) mod shape;

use std::ops::ControlFlow;
use std::thread::{self, ThreadId};

use crossbeam_utils::CachePadded;
use heist_queue::{
    IdleConfig, IdleKind, Job, QueueKind, RunConfig, RunReport, Sharing, Spawner, Stop, run_on,
};
use rayon::{Scope, ThreadPoolBuilder};

use crate::meter::{Meter, Sample};
use crate::queues::case::{Case, Scenario, VERIFY};
use crate::queues::scenario::calibrate::Cost;
use crate::queues::scenario::witness::{Bits, SharedTally, Tally, fault};
use shape::{Node, Shape, Tree as Nodes};

/// The rows that are rayon's own pool instead of a crew.
const RAYON: &str = "rayon";
/// The suffix of a queue's name if everything is shared at once.
const EAGER: &str = " eager";

pub(crate) struct Tree;

impl Scenario for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn about(&self) -> &'static str {
        "Synthetic trees: each node spends some time and spawns its children. Every queue with the \
         default policy, every policy with the default queue, and rayon's scope. Times include the \
         starting of threads."
    }

    fn cases(&self, quick: bool) -> Vec<Case> {
        let threads: &[usize] = if quick { &[2, 8] } else { &[1, 2, 4, 8, 16, 32] };
        let costs: &[u64] = if quick { &[0] } else { &[0, 5_000, 50_000] };
        let mut rows = Vec::new();
        for shape in Shape::ALL {
            for &cost_ns in costs {
                for &threads in threads {
                    let systems = systems(shape, threads).into_iter();
                    rows.extend(systems.map(|system| row(shape, cost_ns, threads, system, quick)));
                }
            }
        }
        rows
    }

    fn measure(&self, row: &Case) -> Result<Sample, String> {
        let shape = Shape::ALL.get(row.number("shape") as usize).ok_or("no such shape")?;
        let len = u32::try_from(row.size).map_err(|error| format!("size: {error}"))?;
        let verify = row.number(VERIFY) == 1;
        let load = Load {
            tree: Nodes { shape: *shape, len },
            cost: Cost::of_ns(row.number("cost_ns")),
            visited: verify.then(|| Bits::new(row.size)),
        };
        let meter = Meter::start()?;
        let (tally, mut sample) = if row.system == RAYON {
            let tally = on_rayon(&load, row.threads, &meter)?;
            (tally, meter.stop(row.threads as u64)?)
        } else {
            let report = on_crew(&load, row, &meter)?;
            let sample = meter.stop(report.threads_started as u64)?;
            fill(&load, &report, sample)
        };
        sample.expected = row.size;
        sample.completed = tally.count;
        let every = 0..row.size;
        let fault = || fault(tally, load.visited.as_ref(), std::slice::from_ref(&every));
        sample.invalid = sample.invalid.or_else(fault);
        Ok(sample)
    }
}

/// The systems of one group: names and policies.
fn systems(shape: Shape, threads: usize) -> Vec<(String, Option<IdleKind>)> {
    let (queue, policy) = (QueueKind::default(), IdleKind::default());
    let mut systems = vec![(queue.name().to_string(), Some(policy))];
    if threads > 1 {
        let others = QueueKind::ALL.iter().filter(|other| **other != queue);
        systems.extend(others.map(|other| (other.name().to_string(), Some(policy))));
        let others = IdleKind::ALL.iter().filter(|other| **other != policy);
        systems.extend(others.map(|other| (queue.name().to_string(), Some(*other))));
        if shape == Shape::Bushy {
            let eager = |kind: &QueueKind| (format!("{kind}{EAGER}"), Some(policy));
            systems.extend(QueueKind::ALL.iter().map(eager));
        }
    }
    systems.push((RAYON.to_string(), None));
    systems
}

fn row(
    shape: Shape,
    cost_ns: u64,
    threads: usize,
    (system, policy): (String, Option<IdleKind>),
    quick: bool,
) -> Case {
    let full = match shape {
        Shape::Chain => 100_000,
        Shape::Comb => 200_000,
        Shape::Bushy | Shape::Star | Shape::PowerLaw => 1_000_000,
    };
    // About half a second of work, whatever a node costs.
    let most = 500_000_000_u64.checked_div(cost_ns).unwrap_or(full);
    let size = full.min(most) / if quick { 10 } else { 1 };
    let number = Shape::ALL.iter().position(|other| *other == shape).unwrap_or_default() as u64;
    let setup = format!("{}, {} µs a node, {size} nodes", shape.name(), cost_ns / 1000);
    Case::new("tree", setup, system, threads, size)
        .policy(policy.map(IdleKind::name))
        .with([("shape", number), ("cost_ns", cost_ns)])
}

/// A tree, and the work on each node.
struct Load {
    tree: Nodes,
    cost: Cost,
    /// In the run that verifies.
    visited: Option<Bits>,
}

impl Load {
    fn visit(&self, node: Node, tally: &mut Tally) {
        let id = u64::from(node.id);
        self.cost.pay(id);
        tally.add(id);
        if let Some(visited) = &self.visited {
            visited.mark(id);
        }
    }
}

fn on_crew(load: &Load, row: &Case, meter: &Meter) -> Result<RunReport<Tally>, String> {
    let (name, sharing) = match row.system.strip_suffix(EAGER) {
        Some(name) => (name, Sharing::Eager),
        None => (row.system.as_str(), Sharing::Lazy),
    };
    let queue: QueueKind = name.parse().map_err(|error| format!("{error}"))?;
    let idle = IdleConfig { policy: row.idle_policy()?, ..IdleConfig::default() };
    let cfg = RunConfig { idle, sharing, ..RunConfig::default() };
    let caller = thread::current().id();
    let visitor = |_| Visitor { load, meter, caller, tally: Tally::default() };
    let visitors = (0..row.threads).map(visitor).collect();
    run_on(queue, &cfg, vec![load.tree.root()], visitors).map_err(|error| error.to_string())
}

/// A worker of the crew.
struct Visitor<'a> {
    load: &'a Load,
    meter: &'a Meter,
    /// The thread that waits for the others and runs the jobs of workers without a thread.
    caller: ThreadId,
    tally: Tally,
}

impl Job<Node> for Visitor<'_> {
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

/// The sum of what the crew visited, and `sample` with what it reports about itself.
fn fill(load: &Load, report: &RunReport<Tally>, mut sample: Sample) -> (Tally, Sample) {
    let mut tally = Tally::default();
    report.outputs.iter().for_each(|output| tally += *output);
    let (queue, idle) = (&report.queue, &report.idle);
    sample.add_counts([
        ("threads", report.threads_started as u64),
        ("pushed", queue.pushed),
        ("steals", queue.steals),
        ("moved", queue.moved),
        ("empty", queue.empty),
        ("contended", queue.contended),
        ("overflowed", queue.overflowed),
        ("parks", idle.parks),
        ("wakes", idle.wakes),
        ("spurious", idle.spurious),
    ]);
    let (stop, executed) = (report.stop, report.executed);
    if stop != Stop::Done || executed != u64::from(load.tree.len) {
        sample.invalid = Some(format!("ended as {stop:?} after {executed} nodes"));
    }
    (tally, sample)
}

/// The same on a pool of rayon's: one spawned closure a node, in a scope, which ends when all have
/// ended. Threads are started and joined within the time, like a crew's.
fn on_rayon(load: &Load, threads: usize, meter: &Meter) -> Result<Tally, String> {
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
    let mut sum = Tally::default();
    tallies.iter().for_each(|tally| sum += tally.get());
    Ok(sum)
}

fn visit_on_rayon<'scope>(
    load: &'scope Load,
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
