//! Document 1, on biased work queues: three busy pools on one machine.
//!
//! The pools know nothing of each other and run in one process. Each has one producer and T
//! consumers and 50 T units. The producer makes a unit (2K/T relaxed additions on an atomic of its
//! own) and hands it over; a consumer does it (K additions). Half of a pool's consumers would just
//! keep up with its producer, so that every queue is mostly empty, and a thread parks and is woken
//! for nearly every unit.
//!
//! All of this is as in the document, but K: its million took about 12 ms; here it is what takes 2
//! ms, found once per run of the suite, in quick runs 0.2 ms. [`setups`] adds set-ups for fewer
//! cores than the document's eight. Threads start and end inside the measurement, as there.
//!
//! | module | holds |
//! |---|---|
//! | `programs` | the document's three programs |
//! | `chain` | the queue of the third |
//! | `crew` | the same on `heist-queue` |
//! | `pool` | what all of them get; which units were done |
//! | `load` | the work of a unit |

mod chain;
mod crew;
mod load;
mod pool;
mod programs;
#[cfg(test)]
mod tests;

use std::fmt;
use std::thread;
use std::time::Duration;

use heist_queue::{IdleKind, QueueKind};

use crate::meter::{Meter, Sample};
use crate::queues::case::{Case, Scenario};
use crate::queues::scenario::biased::crew::Counts;
use crate::queues::scenario::biased::load::{Load, additions_in};
use crate::queues::scenario::biased::pool::{Exits, Ledger, Pool};

/// The document's number of pools.
const POOLS: usize = 3;
/// The document's number of units per consumer.
const UNITS: u64 = 50;
/// The document's number of cores, and so of consumers per pool.
const DOCUMENTS_THREADS: usize = 8;
/// The document's batches, its own number for the second one.
const BATCHES: [u64; 2] = [1, 20];

pub(crate) struct Biased;

/// The systems that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// One of [`PROGRAMS`], by its name.
    Program(&'static str),
    /// A crew, and how many units may wait for a worker that is awake: none, or [`BACKLOG`].
    Crew(QueueKind, IdleKind, usize),
}

/// The document's `BATCH_SIZE`: how much one thread may have before it wakes the next.
const BACKLOG: usize = 20;

/// The crews that let a backlog wait, by what they are called in tables.
const PATIENT: [(&str, QueueKind); 3] = [
    ("deque backlog 20", QueueKind::Deque),
    ("channel backlog 20", QueueKind::Channel),
    ("biased backlog 20", QueueKind::Biased),
];

/// Runs one pool.
type Program = fn(Pool<'_>) -> Result<(), String>;

/// The programs of the document, by the document's names for them, and two more: one shows what the
/// machine's scheduler does to threads that never wait.
const PROGRAMS: [(&str, Program); 5] = [
    ("no queue", programs::no_queue),
    ("crossbeam", programs::channel),
    ("crossbeam spinning", programs::channel_spinning),
    ("rayon", programs::rayon),
    ("crossbeam-biased", programs::biased),
];

/// How many pools of what kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setup {
    pools: usize,
    threads: usize,
    /// Twice as many consumers as just keep up with their producer, if each has a core.
    keeping_pace: usize,
    /// How small and how many the units are.
    grain: Grain,
}

/// The size of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grain {
    /// 2 ms, and as many as the document's: [`UNITS`] for each thread of [`POOLS`] pools.
    Coarse,
    /// 20 µs, and twenty times as many. A coarse unit lasts longer than a time slice, so that most
    /// switches of a good queue are the scheduler's own; among fine ones the queue's are seen.
    Fine,
}

impl Grain {
    fn units(self) -> u64 {
        match self {
            Grain::Coarse => UNITS,
            Grain::Fine => 20 * UNITS,
        }
    }

    /// How long a unit takes.
    fn unit(self, quick: bool) -> Duration {
        Duration::from_micros(match self {
            Grain::Coarse if quick => 200,
            Grain::Coarse => 2000,
            Grain::Fine => 20,
        })
    }
}

impl Setup {
    /// Whether a first look should see it: the document's own, and the one that sleeps most.
    fn is_telling(self) -> bool {
        self.pools == 1 || self.keeping_pace == DOCUMENTS_THREADS
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setup { pools, threads, keeping_pace, grain } = self;
        let plural = if *pools == 1 { "" } else { "s" };
        write!(f, "{pools} pool{plural} of {threads} threads")?;
        if threads != keeping_pace {
            write!(f, ", work for {keeping_pace}")?;
        }
        if *grain == Grain::Fine {
            write!(f, ", units of 20 µs")?;
        }
        Ok(())
    }
}

/// The queue and policy pairs that are of interest beside every queue with `biased-event`.
const PAIRS: [(&str, &str); 2] = [("channel", "fifo-event"), ("biased", "biased-chain")];

impl Scenario for Biased {
    fn name(&self) -> &'static str {
        "biased"
    }

    fn about(&self) -> &'static str {
        "Document 1: three independent pools, each a serial producer and T consumers with 50 T \
         units; making a unit costs 2K/T, doing it K. Rows without a policy are the document's \
         programs rebuilt, by its names: it reports 315292, 23359 and 2148 context switches and \
         861, 1240 and 65 migrations for crossbeam, rayon and crossbeam-biased (8 cores and \
         threads, 1200 units, K about 12 ms), and with batch 20 10741 and 2498 switches for the \
         first two. `crossbeam spinning` waits about as the channel of that time did. Rows with a \
         policy are crews of heist-queue; those with `backlog 20` let as many units wait for a \
         worker that is awake as the document's do before another is woken. The question: does \
         biased-event stay below a fiftieth of crossbeam's switches at 8 threads and batch 1, in \
         no more time? Compare `switches_per_unit` and the wall time; a time slice that ends is a \
         switch too, and no queue saves it: `no queue` hands nothing over and has only those. With fewer than 8 cores three pools of 8 are overloaded far beyond the \
         document's and sleep little; `work for N` makes units as dear as the document does for N \
         threads, so that they suit N cores. Threads are started and joined inside the \
         measurement, as under `perf stat`; instructions and cycles are not available here."
    }

    fn cases(&self, quick: bool) -> Vec<Case> {
        let batches = if quick { &BATCHES[..1] } else { &BATCHES[..] };
        let coarse = additions_in(Grain::Coarse.unit(quick));
        let fine = additions_in(Grain::Fine.unit(quick));
        let mut rows = Vec::new();
        for setup in setups().into_iter().filter(|setup| !quick || setup.is_telling()) {
            let additions = if setup.grain == Grain::Fine { fine } else { coarse };
            for &batch in batches {
                // The document's biased program ignores batches.
                let wanted = |system: &System| {
                    (batch == 1 || !["crossbeam-biased", "no queue"].contains(&system.names().0))
                        && (!quick || system.is_telling())
                };
                let systems = systems().into_iter().filter(wanted);
                rows.extend(systems.map(|system| row(setup, system, batch, additions)));
            }
        }
        rows
    }

    fn measure(&self, row: &Case) -> Result<Sample, String> {
        let number = |name| match row.number(name) {
            0 => Err(format!("a row without '{name}'")),
            number => Ok(number),
        };
        let pools = number("pools")?;
        run(Task {
            system: System::of(row)?,
            pools: pools as usize,
            threads: number("pool_threads")? as usize,
            units: row.size / pools,
            batch: number("batch")?,
            load: Load { make: number("make")?, process: number("process")? },
        })
    }

    fn as_published(&self) -> Option<&'static str> {
        Some(
            "The document's rayon program does not wait for its work: it drops the pools when \
             the last producer is done, and dropping a pool joins no thread. What was done by then \
             is the published count; the row itself waits. At batch 20 the document's programs \
             leave out the units that do not fill a batch.",
        )
    }
}

impl System {
    fn of(row: &Case) -> Result<System, String> {
        if row.policy.is_none() {
            let known = PROGRAMS.iter().find(|(name, _)| *name == row.system);
            let known = known.ok_or(format!("no program '{}'", row.system))?;
            return Ok(System::Program(known.0));
        }
        let policy = row.idle_policy()?;
        if let Some((_, queue)) = PATIENT.iter().find(|(name, _)| *name == row.system) {
            return Ok(System::Crew(*queue, policy, BACKLOG));
        }
        Ok(System::Crew(row.queue()?, policy, 0))
    }

    /// Whether a first look should see it: of the queues, the document's two and the default.
    fn is_telling(self) -> bool {
        let telling = [QueueKind::default().name(), "channel", "biased"];
        !matches!(self, System::Crew(queue, _, 0) if !telling.contains(&queue.name()))
    }

    fn names(self) -> (&'static str, Option<&'static str>) {
        match self {
            System::Program(name) => (name, None),
            System::Crew(queue, policy, 0) => (queue.name(), Some(policy.name())),
            System::Crew(queue, policy, _) => {
                let known = PATIENT.iter().find(|known| known.1 == queue);
                (known.map_or("", |known| known.0), Some(policy.name()))
            }
        }
    }
}

/// What is run.
///
/// The document's set-up comes first, with its number of threads and with this machine's. On fewer
/// cores than it has threads its work is not what it was: three pools want 15 cores whatever there
/// is, queues are long, and hardly any thread parks. So its number of threads comes once more with
/// work for the cores there are; in a pool of its own that just keeps the cores busy, where every
/// switch is the queue's doing; and in one that leaves part of them idle, where every unit finds
/// all consumers asleep but those it is about to wake. With two cores that takes a single half-busy
/// consumer.
fn setups() -> Vec<Setup> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = DOCUMENTS_THREADS;
    let mut setups = vec![
        Setup { pools: POOLS, threads, keeping_pace: threads, grain: Grain::Coarse },
        Setup { pools: POOLS, threads: cores, keeping_pace: cores, grain: Grain::Coarse },
        Setup { pools: POOLS, threads, keeping_pace: cores, grain: Grain::Coarse },
        Setup { pools: POOLS, threads, keeping_pace: cores, grain: Grain::Fine },
        // A producer and half of so many consumers.
        Setup { pools: 1, threads, keeping_pace: 2 * (cores - 1).max(1), grain: Grain::Coarse },
        Setup {
            pools: 1,
            threads,
            keeping_pace: if cores > 2 { cores } else { 1 },
            grain: Grain::Coarse,
        },
    ];
    // With the document's number of cores they are the same.
    setups.dedup();
    setups
}

/// Everything that is compared and exists in this build.
fn systems() -> Vec<System> {
    let named = |(queue, policy): (&str, &str)| {
        Some(System::Crew(queue.parse().ok()?, policy.parse().ok()?, 0))
    };
    let each = QueueKind::ALL.iter().filter_map(|queue| named((queue.name(), "biased-event")));
    let programs = PROGRAMS.iter().map(|(name, _)| System::Program(name));
    let patient = PATIENT.iter().map(|known| System::Crew(known.1, IdleKind::BiasedEvent, BACKLOG));
    programs.chain(PAIRS.into_iter().filter_map(named)).chain(each).chain(patient).collect()
}

fn row(setup: Setup, system: System, batch: u64, additions: u64) -> Case {
    let Setup { pools, threads, .. } = setup;
    let (name, policy) = system.names();
    let load = Load::new(additions, setup.keeping_pace);
    let size = setup.grain.units() * (POOLS * threads) as u64;
    Case::new(Biased.name(), format!("{setup}, batch {batch}"), name, pools * threads, size)
        .policy(policy)
        .with([
            ("pools", pools as u64),
            ("pool_threads", threads as u64),
            ("batch", batch),
            ("make", load.make),
            ("process", load.process),
        ])
}

/// One run of a row.
#[derive(Clone, Copy)]
struct Task {
    system: System,
    pools: usize,
    threads: usize,
    /// Per pool.
    units: u64,
    batch: u64,
    load: Load,
}

/// Runs all pools at once, with `units` units each.
fn run(task: Task) -> Result<Sample, String> {
    let Task { system, pools, threads, units, batch, load } = task;
    let ledgers: Vec<Ledger> = (0..pools).map(|_| Ledger::new(units)).collect();
    let exits = Exits::new(&ledgers);
    let meter = Meter::start()?;
    let counts = thread::scope(|scope| {
        let start = |ledger| {
            let pool = Pool { threads, units, batch, load, ledger, meter: &meter, exits: &exits };
            thread::Builder::new().spawn_scoped(scope, move || run_pool(system, pool))
        };
        // All of them are started before the first is waited for.
        let started: Vec<_> = ledgers.iter().map(start).collect();
        started.into_iter().try_fold(Counts::default(), |mut sum, pool| {
            let pool = pool.map_err(|error| error.to_string())?;
            sum += pool.join().map_err(|_| "a pool panicked".to_owned())??;
            Ok::<_, String>(sum)
        })
    })?;
    let mut sample = meter.stop((pools * (threads + 1)) as u64)?;
    sample.expected = units * pools as u64;
    sample.completed = ledgers.iter().map(Ledger::completed).sum();
    sample.invalid = ledgers.iter().find_map(Ledger::fault);
    sample.as_published = exits.completed();
    let switches = sample.voluntary + sample.involuntary;
    sample.add_columns([("switches_per_unit", switches as f64 / sample.expected.max(1) as f64)]);
    sample.add_counts([("additions", load.process)]);
    if matches!(system, System::Crew(..)) {
        add_counts_of_crew(&mut sample, counts);
    }
    Ok(sample)
}

fn run_pool(system: System, pool: Pool<'_>) -> Result<Counts, String> {
    match system {
        System::Crew(queue, policy, backlog) => crew::crew(pool, queue, policy, backlog),
        System::Program(name) => {
            let program = PROGRAMS.iter().find(|(known, _)| *known == name);
            let (_, run) = program.ok_or_else(|| format!("no program '{name}'"))?;
            run(pool).map(|()| Counts::default())
        }
    }
}

fn add_counts_of_crew(sample: &mut Sample, Counts { idle, queue }: Counts) {
    sample.add_counts([
        ("parks", idle.parks),
        ("wakes", idle.wakes),
        ("spurious", idle.spurious),
        ("rescued", idle.rescued),
        ("popped", queue.popped),
        ("steals", queue.steals),
        ("moved", queue.moved),
        ("contended", queue.contended),
    ]);
}
