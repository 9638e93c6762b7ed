//! Random runs: trees, worker counts, behaviour of jobs, shares, sizes of queues, quits and panics,
//! all from a seed.
//!
//! `HEIST_STRESS_SEEDS=1000` runs that many instead of a few; `HEIST_STRESS_FROM=17` begins with
//! seed 17, to repeat a failure, which names its seed.

use std::num::NonZeroU8;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use heist_queue::lab::Sealable;
use heist_queue::{
    Backend, IdleConfig, IdleKind, Job, QueueConfig, QueueKind, RunConfig, Sharing, Spawner,
    StealAmount, Stop,
};

use crate::setup::{CONTINUE, Setup};
use crate::tree::{Item, Ledger, bushy, chain, comb, random, star};

/// What happens when this many items have begun.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Nothing,
    Quit(usize),
    Panic(usize),
}

/// A job that flushes, seals and delays at random.
struct Moody {
    rng: fastrand::Rng,
    fate: Fate,
    begun: Arc<AtomicUsize>,
}

impl Moody {
    fn one_in(&mut self, n: usize) -> bool {
        self.rng.usize(..n) == 0
    }

    fn delay(&mut self) {
        match self.rng.usize(..40) {
            0 => thread::yield_now(),
            1..8 => (0..self.rng.usize(..2000)).for_each(|_| std::hint::spin_loop()),
            _ => {}
        }
    }
}

impl Job<Item> for Moody {
    type Output = ();

    fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
        item.record();
        self.delay();
        let count = self.begun.fetch_add(1, Ordering::Relaxed);
        let early = self.one_in(2);
        if early && matches!(self.fate, Fate::Panic(at) if at == count) {
            resume_unwind(Box::new("in a mood"));
        }
        let mut spawner = Sealable::new(spawner);
        for child in item.children() {
            spawner.spawn(child);
            if self.one_in(50) || (spawner.has_idle_workers() && self.one_in(4)) {
                spawner.flush();
            }
        }
        if self.one_in(10) {
            spawner.seal();
            self.delay();
        }
        match self.fate {
            Fate::Panic(at) if at == count => resume_unwind(Box::new("in a mood")),
            Fate::Quit(at) if at == count => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        self.delay();
        CONTINUE
    }

    fn finish(self) {}
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

pub(crate) fn random_runs<B: Backend<Item>>() {
    let from = number("HEIST_STRESS_FROM", 0);
    for seed in from..from + number("HEIST_STRESS_SEEDS", 60) {
        one_run(B::NAME.parse().expect("a queue has the name of its kind"), seed);
    }
}

fn one_run(queue: QueueKind, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let nodes = 1 + rng.clone().usize(..1 << (1 + rng.usize(..12)));
    let tree = match rng.usize(..6) {
        0 => chain(nodes.min(300)),
        1 => comb(nodes.min(300)),
        2 => star(nodes),
        3 => bushy(2 + rng.usize(..3), 4),
        _ => random(nodes, &mut rng),
    };
    let all = tree.len();
    let most = if rng.usize(..3) == 0 { 40 } else { 5 };
    let workers = 1 + rng.usize(..most);
    let sharing = Sharing::ALL[rng.usize(..Sharing::ALL.len())];
    let lazy_spawn = rng.bool();
    let fate = match rng.usize(..4) {
        0 => Fate::Quit(rng.usize(..all)),
        1 => Fate::Panic(rng.usize(..all)),
        _ => Fate::Nothing,
    };
    // Bounded queues overflow at any time, or at none.
    let capacity = [1, 2, 16, 256][rng.usize(..4)];
    let amount = match NonZeroU8::new([0, 1, 25, 50, 75, 100][rng.usize(..6)]) {
        Some(percent) => StealAmount::Percent(percent),
        None => StealAmount::One,
    };
    let policy = IdleKind::ALL[rng.usize(..IdleKind::ALL.len())];
    let idle = IdleConfig { policy, ..IdleConfig::default() };
    let block = [1, 4, 16, 64][rng.usize(..4)];
    let queue_cfg = QueueConfig { amount, capacity, block, ..QueueConfig::default() };
    let cfg = RunConfig { sharing, lazy_spawn, queue: queue_cfg, idle, ..RunConfig::default() };
    let begun = Arc::new(AtomicUsize::new(0));
    let job = |i| Moody {
        rng: fastrand::Rng::with_seed(seed ^ ((i as u64) << 32)),
        fate,
        begun: Arc::clone(&begun),
    };
    let ledger = Ledger::new(tree);
    let what = format!("seed {seed}: {all} nodes, {workers} workers, {fate:?}, {queue}, {cfg:?}");
    eprintln!("{what}");
    match (fate, Setup { queue, cfg }.walk(&ledger, workers, job)) {
        (Fate::Panic(_), Err(panicked)) => {
            assert_eq!(panicked.message(), Some("in a mood"), "{what}");
            ledger.assert_no_leak();
        }
        (Fate::Panic(_), Ok(_)) | (_, Err(_)) => panic!("panicked or not, but wrongly: {what}"),
        (Fate::Quit(_), Ok(report)) => {
            assert_eq!(report.stop, Stop::Quit, "{what}");
            assert_eq!(report.executed + report.dropped, report.spawned, "{what}");
            ledger.assert_partial(report.executed);
        }
        (Fate::Nothing, Ok(report)) => {
            assert_eq!((report.executed, report.dropped), (all as u64, 0), "{what}");
            ledger.assert_complete();
        }
    }
}
