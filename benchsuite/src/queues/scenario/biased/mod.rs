//! Document 1, on biased work queues: three busy pools on one machine.
//!
//! The pools do not know each other and run in one process. Each has one producer and T consumers
//! and 50 T units. The producer makes a unit (2K/T relaxed additions on an atomic of its own) and
//! hands it over; a consumer does it (K additions). Half a pool's consumers would just keep up with
//! its producer, so every queue is mostly empty, and a thread parks and is woken for nearly every
//! unit.
//!
//! All of this is as in the document, but K: its million took about 12 ms; here it is what takes 2
//! ms, found once per run of the suite, in quick runs 0.2 ms. Further set-ups are for fewer cores
//! than the document's eight. Threads start and end inside the measurement, as there.
//!
//! | module | holds |
//! |---|---|
//! | `programs` | the document's three programs |
//! | `chain` | the queue of the third |
//! | `crew` | the same on `heist-queue` |
//! | `pool` | what all of them get; which units were done, and what one costs |

mod chain;
mod crew;
mod pool;
mod programs;
#[cfg(test)]
mod tests;

use std::thread::{self, Builder};
use std::time::Duration;

use heist_queue::{IdleStats, QueueStats, UnknownName};

use crate::meter::Sample;
use crate::queues::case::Case;
use crate::queues::scenario::biased::pool::{Pool, PoolLoad, Site, additions_in};

/// The document's number of pools.
const POOLS: u64 = 3;

/// The suffix of a queue's name if units may wait for a worker that is awake, and how many may: the
/// document's `BATCH_SIZE`, how much one thread may have before it wakes the next.
const BACKLOG_VARIANT: (&str, usize) = (" backlog 20", 20);

/// Runs one pool; what a crew has counted.
type Program = Box<dyn Fn(Pool<'_>) -> Result<(IdleStats, QueueStats), String> + Sync>;

/// What runs a case's pools: a crew if it has a policy, or else one of the document's programs and
/// two more, by their names in `scenarios.toml`.
fn program(case: &Case) -> Result<Program, String> {
    if case.policy.is_some() {
        let (suffix, backlog) = BACKLOG_VARIANT;
        let (queue, backlog) = match case.system.strip_suffix(suffix) {
            Some(queue) => (queue, backlog),
            None => (case.system.as_str(), 0),
        };
        let queue = queue.parse().map_err(|error: UnknownName| error.to_string())?;
        let policy = case.idle_policy()?;
        return Ok(Box::new(move |pool| crew::crew(pool, queue, policy, backlog)));
    }
    let run: fn(Pool<'_>) -> Result<(), String> = match case.system.as_str() {
        "no queue" => programs::no_queue,
        "crossbeam" => programs::channel,
        "crossbeam spinning" => programs::channel_spinning,
        "rayon" => programs::rayon,
        "crossbeam-biased" => programs::biased,
        name => return Err(format!("no program '{name}'")),
    };
    Ok(Box::new(move |pool| run(pool).map(|()| Default::default())))
}

/// `case` with work for this machine. The document's biased program ignores batches, and so does
/// what has no queue.
pub(super) fn fitted(mut case: Case) -> Option<Case> {
    if case.number("batch") > 1 && ["crossbeam-biased", "no queue"].contains(&&*case.system) {
        return None;
    }
    let consumers = case.number("consumers");
    case.threads = (case.number("pools") * consumers) as usize;
    case.size = case.number("per_thread") * POOLS * consumers;
    let process = additions_in(Duration::from_micros(case.number("unit_us")));
    // The document's proportion: half as many consumers just keep up with their producer.
    let make = 2 * process / case.number("pace").max(1);
    case.load.insert("make".to_owned(), make.into());
    case.load.insert("process".to_owned(), process.into());
    Some(case)
}

/// Runs all pools at once.
pub(super) fn measure(case: &Case) -> Result<Sample, String> {
    let parts: PoolLoad = case.load()?;
    let program = &program(case)?;
    let pools = parts.pools;
    let units = case.size / pools as u64;
    let site = Site::new(units * pools as u64, pools)?;
    let (mut idle, mut queue) = (IdleStats::default(), QueueStats::default());
    thread::scope(|scope| {
        let start = |pool| {
            let pool = Pool { parts, units, first: units * pool as u64, site: &site };
            Builder::new().spawn_scoped(scope, move || program(pool))
        };
        // All of them are started before the first is waited for.
        let started: Vec<_> = (0..pools).map(start).collect();
        for pool in started {
            let pool = pool.map_err(|error| error.to_string())?;
            let counts = pool.join().map_err(|_| "a pool panicked".to_owned())??;
            idle += counts.0;
            queue += counts.1;
        }
        Ok::<_, String>(())
    })?;
    let mut sample = site.meter.stop((pools * (parts.consumers + 1)) as u64)?;
    (sample.expected, sample.completed) = (units * pools as u64, site.completed());
    (sample.invalid, sample.as_published) = (site.fault(), site.as_published());
    let switches = sample.columns["voluntary"] + sample.columns["involuntary"];
    sample.add_columns([("switches_per_unit", switches / sample.expected.max(1) as f64)]);
    sample.add_counts([("additions", parts.process)]);
    if case.policy.is_some() {
        sample.add_queue_counts(&queue);
        sample.add_idle_counts(&idle);
        sample.add_counts([("rescued", idle.rescued), ("popped", queue.popped)]);
    }
    Ok(sample)
}
