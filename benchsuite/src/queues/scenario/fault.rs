//! `fault`: what goes wrong in the middle of a run must neither hang it nor lose an item.
//!
//! Each seed is a small tree, a number of workers, a way of sharing and a moment. At that moment a
//! job panics, or quits; or no thread can be started at all. A run that does not end within
//! ten seconds is a hang. An item is lost if it was neither run nor dropped, or if a complete run
//! did not run it.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use heist_queue::{
    IdleConfig, IdleKind, Job, Panicked, QueueKind, RunConfig, RunReport, Sharing, Spawner, Stop,
    run_on,
};
use serde::Deserialize;

use crate::meter::{Meter, Sample};
use crate::queues::case::Case;
use crate::queues::scenario::tree::shape::{Node, Shape, Tree};
use crate::queues::scenario::witness::Bits;

/// A run that takes longer hangs: it has a millisecond's worth of work.
const PATIENCE: Duration = Duration::from_secs(10);

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

/// What a case consists of.
#[derive(Deserialize)]
struct Load {
    mishap: Mishap,
    seeds: u64,
}

pub(super) fn measure(case: &Case) -> Result<Sample, String> {
    let Load { mishap, seeds } = case.load()?;
    let (queue, policy) = (case.queue()?, case.idle_policy()?);
    let meter = Meter::start()?;
    let outcome =
        try_seeds(seeds, PATIENCE, move |seed| Trial::of(seed).run(queue, policy, mishap));
    // The trying thread does not report its migrations, so the meter does not either.
    let mut sample = meter.stop(1)?;
    sample.expected = seeds;
    sample.completed = outcome.good;
    let Outcome { tried, hangs, lost, .. } = outcome;
    sample.add_counts([("hangs", hangs), ("lost", lost), ("tried", tried)]);
    sample.invalid = outcome.first_fault;
    Ok(sample)
}

/// The outcome of all seeds.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
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
) -> Outcome {
    let (sender, receiver) = channel();
    let try_all = move |sender: Sender<_>| {
        for seed in 0..seeds {
            // The receiver is gone if an earlier seed was taken for a hang.
            if sender.send(trial(seed)).is_err() {
                return;
            }
        }
    };
    thread::spawn(move || try_all(sender));
    let mut outcome = Outcome::default();
    for seed in 0..seeds {
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
                outcome.first_fault.get_or_insert(format!("seed {seed}: hangs"));
                return outcome;
            }
            Err(RecvTimeoutError::Disconnected) => "the run itself panicked".to_string(),
        };
        outcome.first_fault.get_or_insert(format!("seed {seed}: {why}"));
    }
    outcome
}

/// A run, as its seed determines it.
#[derive(Clone, Copy, Debug)]
struct Trial {
    tree: Tree,
    workers: usize,
    sharing: Sharing,
    lazy_spawn: bool,
    /// The node at which it happens.
    victim: u32,
}

impl Trial {
    fn of(seed: u64) -> Trial {
        let mut random = fastrand::Rng::with_seed(seed);
        let shape = Shape::ALL[random.usize(..Shape::ALL.len())];
        let len = random.u32(1..=2000);
        Trial {
            tree: Tree { shape, len },
            workers: random.usize(2..=MOST_WORKERS),
            sharing: if random.bool() { Sharing::Eager } else { Sharing::Lazy },
            lazy_spawn: random.bool(),
            victim: random.u32(..len),
        }
    }

    fn run(self, queue: QueueKind, policy: IdleKind, mishap: Mishap) -> Result<(), Wrong> {
        let census = Arc::new(Census::new(self.tree.len));
        let job = |_| Visitor { trial: self, mishap, census: &census };
        let jobs: Vec<_> = (0..self.workers).map(job).collect();
        let cfg = RunConfig {
            idle: IdleConfig { policy, ..IdleConfig::default() },
            sharing: self.sharing,
            lazy_spawn: self.lazy_spawn,
            stack_size: (mishap == Mishap::NoThreads).then_some(NO_ROOM),
            ..RunConfig::default()
        };
        let roots = vec![Item::new(self.tree.root(), &census)];
        let ended = run_on(queue, &cfg, roots, jobs);
        let why = wrong_end(mishap, self.tree.len, ended);
        census.close(mishap, why)
    }
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
    let expected = if mishap == Mishap::Quit { Stop::Quit } else { Stop::Done };
    if report.stop != expected {
        return Some(format!("ended as {:?} instead of {expected:?}", report.stop));
    }
    if report.executed + report.dropped != report.spawned {
        let (run, dropped, all) = (report.executed, report.dropped, report.spawned);
        return Some(format!("{run} run and {dropped} dropped are not the {all} there were"));
    }
    let alone = mishap == Mishap::NoThreads;
    if alone && (report.executed != u64::from(len) || report.threads_started != 0) {
        let (run, threads) = (report.executed, report.threads_started);
        return Some(format!("{run} of {len} items run with {threads} threads"));
    }
    None
}

/// The payload of panics here. Raised by `resume_unwind`, it prints nothing.
struct Bang;

/// The account of all items.
struct Census {
    begun: Bits,
    made: AtomicU64,
    gone: AtomicU64,
}

impl Census {
    fn new(len: u32) -> Census {
        let begun = Bits::new(u64::from(len));
        Census { begun, made: AtomicU64::new(0), gone: AtomicU64::new(0) }
    }

    /// The end of a run, at which no item may be left.
    fn close(&self, mishap: Mishap, why: Option<String>) -> Result<(), Wrong> {
        // Ordering: Relaxed, all threads of the run have been joined.
        let (made, gone) = (self.made.load(Ordering::Relaxed), self.gone.load(Ordering::Relaxed));
        let marks = self.begun.marks();
        let (begun, doubled) = (marks.marked, marks.doubled + marks.unknown);
        let complete = mishap == Mishap::NoThreads;
        let lost = if complete { self.begun.len() - begun } else { made.saturating_sub(gone) };
        let why = match why {
            Some(why) => why,
            None if made != gone => format!("of {made} items {gone} were dropped"),
            None if doubled > 0 => format!("{doubled} items ran more than once"),
            None if lost > 0 => format!("{lost} items never ran"),
            None => return Ok(()),
        };
        Err(Wrong { lost, why })
    }
}

/// A node that is counted when it comes and when it goes.
struct Item {
    node: Node,
    census: Arc<Census>,
}

impl Item {
    fn new(node: Node, census: &Arc<Census>) -> Item {
        // Ordering: Relaxed here and in `drop`, both are read after the join.
        census.made.fetch_add(1, Ordering::Relaxed);
        Item { node, census: Arc::clone(census) }
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        // Ordering: Relaxed, as in `new`.
        self.census.gone.fetch_add(1, Ordering::Relaxed);
    }
}

struct Visitor<'a> {
    trial: Trial,
    mishap: Mishap,
    census: &'a Arc<Census>,
}

impl Job<Item> for Visitor<'_> {
    type Output = ();

    fn run<S: Spawner<Item>>(&mut self, item: Item, sink: &mut S) -> ControlFlow<()> {
        self.census.begun.mark(u64::from(item.node.id));
        self.trial.tree.children(item.node, |child| sink.spawn(Item::new(child, self.census)));
        if item.node.id != self.trial.victim {
            return ControlFlow::Continue(());
        }
        // It has spawned already, so that something can be lost.
        match self.mishap {
            Mishap::Panic => resume_unwind(Box::new(Bang)),
            Mishap::Quit => ControlFlow::Break(()),
            Mishap::NoThreads => ControlFlow::Continue(()),
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
                loop {
                    thread::park();
                }
            }
            Ok(())
        });
        assert_eq!((outcome.tried, outcome.good, outcome.hangs), (3, 2, 1));
        assert_eq!(outcome.first_fault.unwrap(), "seed 2: hangs");
    }

    #[test]
    fn what_is_lost_is_summed_up_and_the_first_fault_kept() {
        let outcome = try_seeds(4, PATIENCE, |seed| match seed {
            0 => Ok(()),
            _ => Err(Wrong { lost: seed, why: "gone".into() }),
        });
        assert_eq!((outcome.tried, outcome.good, outcome.lost), (4, 1, 6));
        assert_eq!(outcome.first_fault.unwrap(), "seed 1: gone");
        let died = try_seeds(2, PATIENCE, |_| resume_unwind(Box::new(Bang)));
        assert_eq!((died.good, died.tried), (0, 2));
        assert!(died.first_fault.unwrap().contains("panicked"));
    }

    #[test]
    fn leaked_doubled_and_forgotten_items_are_noticed() {
        let census = Arc::new(Census::new(2));
        let root = Tree { shape: Shape::Chain, len: 2 }.root();
        std::mem::forget(Item::new(root, &census));
        drop(Item::new(root, &census));
        assert_eq!(census.close(Mishap::Quit, None).unwrap_err().lost, 1);

        let census = Arc::new(Census::new(2));
        census.begun.mark(0);
        assert_eq!(census.close(Mishap::Quit, None), Ok(()), "dropped after the quit");
        assert_eq!(census.close(Mishap::NoThreads, None).unwrap_err().lost, 1);
        census.begun.mark(0);
        assert!(census.close(Mishap::Quit, None).unwrap_err().why.contains("more than once"));
    }
}
