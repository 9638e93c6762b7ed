//! `fault`: what goes wrong in the middle of a run must neither hang it nor lose an item.
//!
//! Each seed is a small tree, a number of workers, a moment and, unless the row names one, a way of
//! sharing. At that moment a
//! job panics, or quits; or no thread can be started at all. A run that does not end within
//! ten seconds is a hang. An item is lost if it was neither run nor dropped, or if a complete run
//! did not run it.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use heist_queue::{
    IdleConfig, IdleKind, Job, Panicked, RunConfig, RunReport, Sharing, Spawner, Stop, run_on,
};
use serde::Deserialize;

use crate::meter::{Meter, Sample};
use crate::queues::case::Case;
use crate::queues::scenario::tree::shape::{Node, Shape, Tree};
use crate::queues::scenario::witness::Bits;
use crate::shared_queue::SharedQueue;

/// A run that takes longer hangs: it has a millisecond's worth of work.
const SEED_TIMEOUT: Duration = Duration::from_secs(10);

/// A stack no system has room for, so that no thread can be started.
const NO_ROOM: usize = usize::MAX >> 4;

/// Workers of the largest crew that is tried.
const MOST_WORKERS: usize = 8;

/// What goes wrong in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Mishap {
    #[serde(rename = "a job panics")]
    Panic,
    #[serde(rename = "a job quits")]
    Quit,
    /// The system refuses every thread.
    #[serde(rename = "no thread starts")]
    NoThreads,
}

/// The load of a case: what goes wrong, and how many seeds are tried.
#[derive(Deserialize)]
struct FaultLoad {
    mishap: Mishap,
    seeds: u64,
}

pub(super) fn measure(case: &Case) -> Result<Sample, String> {
    let FaultLoad { mishap, seeds } = case.load()?;
    let (queue, policy) = (case.shared_queue()?, case.idle_policy()?);
    let meter = Meter::start()?;
    let outcome = try_seeds(seeds, SEED_TIMEOUT, move |seed| try_seed(seed, queue, policy, mishap));
    // The trying thread does not report its migrations, so the meter does not either.
    let mut sample = meter.stop(1)?;
    let SeedReport { tried, good, hangs, lost, first_fault } = outcome;
    (sample.expected, sample.completed, sample.invalid) = (seeds, good, first_fault);
    sample.add_counts([("hangs", hangs), ("lost", lost), ("tried", tried)]);
    Ok(sample)
}

/// How many seeds were tried, and what went wrong.
#[derive(Debug, Default)]
struct SeedReport {
    tried: u64,
    good: u64,
    hangs: u64,
    lost: u64,
    first_fault: Option<String>,
}

/// The fault of a seed.
#[derive(Debug, PartialEq)]
struct Wrong {
    lost: u64,
    why: String,
}

/// Tries seeds `0..seeds` on a thread that is left behind when one hangs. It ends with the process.
fn try_seeds(
    seeds: u64,
    patience: Duration,
    trial: impl Fn(u64) -> Result<(), Wrong> + Send + 'static,
) -> SeedReport {
    let (sender, receiver) = channel();
    // The receiver is gone if an earlier seed was taken for a hang.
    thread::spawn(move || (0..seeds).try_for_each(|seed| sender.send(trial(seed)).ok()));
    let mut outcome = SeedReport::default();
    while outcome.tried < seeds && outcome.hangs == 0 {
        let seed = outcome.tried;
        outcome.tried += 1;
        let why = match receiver.recv_timeout(patience) {
            Ok(Ok(())) => {
                outcome.good += 1;
                continue;
            }
            Ok(Err(Wrong { lost, why })) => {
                outcome.lost += lost;
                why
            }
            Err(RecvTimeoutError::Timeout) => {
                outcome.hangs += 1;
                "hangs".to_owned()
            }
            Err(RecvTimeoutError::Disconnected) => "the run itself panicked".to_owned(),
        };
        outcome.first_fault.get_or_insert(format!("seed {seed}: {why}"));
    }
    outcome
}

/// Makes the run that `seed` determines.
fn try_seed(
    seed: u64,
    SharedQueue { queue, sharing }: SharedQueue,
    policy: IdleKind,
    mishap: Mishap,
) -> Result<(), Wrong> {
    let mut random = fastrand::Rng::with_seed(seed);
    let shape = Shape::ALL[random.usize(..Shape::ALL.len())];
    let len = random.u32(1..=2000);
    let tree = Tree { shape, len };
    let workers = random.usize(2..=MOST_WORKERS);
    let any = if random.bool() { Sharing::Eager } else { Sharing::Lazy };
    let cfg = RunConfig {
        idle: IdleConfig { policy, ..IdleConfig::default() },
        sharing: sharing.unwrap_or(any),
        lazy_spawn: random.bool(),
        stack_size: (mishap == Mishap::NoThreads).then_some(NO_ROOM),
        ..RunConfig::default()
    };
    let visitor = FaultyJob { tree, mishap, victim: random.u32(..len) };
    let begun = Arc::new(Bits::new(u64::from(len)));
    let root = MarkedNode { node: tree.root(), begun: Arc::clone(&begun) };
    let ended = run_on(queue, &cfg, vec![root], vec![visitor; workers]);
    verdict(mishap, &begun, wrong_end(mishap, len, ended))
}

/// The fault in how a run ended.
fn wrong_end(mishap: Mishap, len: u32, ended: Result<RunReport<()>, Panicked>) -> Option<String> {
    let report = match (mishap, ended) {
        (Mishap::Panic, Err(panicked)) if panicked.payload.is::<Bang>() => return None,
        (Mishap::Panic, Ok(report)) => {
            return Some(format!("ended as {:?}, without the panic", report.stop));
        }
        (_, Err(panicked)) => return Some(format!("unexpectedly, {panicked}")),
        (_, Ok(report)) => report,
    };
    let RunReport { stop, executed, dropped, spawned, threads_started, .. } = report;
    let expected = if mishap == Mishap::Quit { Stop::Quit } else { Stop::Done };
    if stop != expected {
        Some(format!("ended as {stop:?} instead of {expected:?}"))
    } else if executed + dropped != spawned {
        Some(format!("{executed} run and {dropped} dropped are not the {spawned} there were"))
    } else if mishap == Mishap::NoThreads && (executed != u64::from(len) || threads_started != 0) {
        Some(format!("{executed} of {len} items run with {threads_started} threads"))
    } else {
        None
    }
}

/// The payload of panics here. Raised by `resume_unwind`, it prints nothing.
struct Bang;

/// A node of the tree, with the marks of all nodes that ran. Every item holds them, so that their
/// holders are the items that still exist.
struct MarkedNode {
    node: Node,
    begun: Arc<Bits>,
}

/// The verdict on a run that ended, so that no item may exist any more. `why` is what was wrong
/// with how it ended.
fn verdict(mishap: Mishap, begun: &Arc<Bits>, why: Option<String>) -> Result<(), Wrong> {
    let Some(left) = (Arc::strong_count(begun) as u64).checked_sub(1) else {
        return Err(Wrong { lost: 0, why: "items were dropped twice".to_owned() });
    };
    let complete = mishap == Mishap::NoThreads;
    let lost = if complete { begun.len() - begun.marked() } else { left };
    let counts = [
        (left, "items were not dropped"),
        (begun.repeated(), "items ran more than once"),
        (lost, "items never ran"),
    ];
    let miscounted = counts.into_iter().find(|(count, _)| *count > 0);
    match why.or_else(|| miscounted.map(|(count, what)| format!("{count} {what}"))) {
        Some(why) => Err(Wrong { lost, why }),
        None => Ok(()),
    }
}

/// Visits nodes until one goes wrong.
#[derive(Clone)]
struct FaultyJob {
    tree: Tree,
    mishap: Mishap,
    /// The node at which it happens.
    victim: u32,
}

impl Job<MarkedNode> for FaultyJob {
    type Output = ();

    fn run<S: Spawner<MarkedNode>>(&mut self, item: MarkedNode, sink: &mut S) -> ControlFlow<()> {
        let MarkedNode { node, begun } = &item;
        begun.mark(u64::from(node.id));
        self.tree.children(*node, |node| sink.spawn(MarkedNode { node, begun: Arc::clone(begun) }));
        // It has spawned already, so that something can be lost.
        match self.mishap {
            Mishap::Panic if node.id == self.victim => resume_unwind(Box::new(Bang)),
            Mishap::Quit if node.id == self.victim => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn finish(self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hang_is_noticed_and_ends_the_row() {
        let outcome = try_seeds(5, Duration::from_millis(50), |seed| {
            if seed == 2 {
                thread::sleep(Duration::MAX);
            }
            Ok(())
        });
        assert_eq!((outcome.tried, outcome.good, outcome.hangs), (3, 2, 1));
        assert_eq!(outcome.first_fault.unwrap(), "seed 2: hangs");
    }

    #[test]
    fn what_is_lost_is_summed_up_and_the_first_fault_kept() {
        let outcome = try_seeds(4, SEED_TIMEOUT, |seed| match seed {
            0 => Ok(()),
            _ => Err(Wrong { lost: seed, why: "gone".into() }),
        });
        assert_eq!((outcome.tried, outcome.good, outcome.lost), (4, 1, 6));
        assert_eq!(outcome.first_fault.unwrap(), "seed 1: gone");
        let died = try_seeds(2, SEED_TIMEOUT, |_| resume_unwind(Box::new(Bang)));
        assert_eq!((died.good, died.tried), (0, 2));
        assert_eq!(died.first_fault.unwrap(), "seed 0: the run itself panicked");
    }

    #[test]
    fn leaked_doubled_and_forgotten_items_are_noticed() {
        let begun = Arc::new(Bits::new(2));
        let wrong =
            |mishap| verdict(mishap, &begun, None).map_err(|Wrong { lost, why }| (lost, why));
        begun.mark(0);
        assert_eq!(wrong(Mishap::Quit), Ok(()), "dropped after the quit");
        assert_eq!(wrong(Mishap::NoThreads), Err((1, "1 items never ran".to_owned())));
        begun.mark(0);
        assert_eq!(wrong(Mishap::Quit), Err((0, "1 items ran more than once".to_owned())));
        let node = Tree { shape: Shape::Chain, len: 2 }.root();
        std::mem::forget(MarkedNode { node, begun: Arc::clone(&begun) });
        assert_eq!(wrong(Mishap::Quit), Err((1, "1 items were not dropped".to_owned())));
    }
}
