//! One pool of the benchmark, as its program sees it, what all pools share, and what a unit costs.

use std::hint::black_box;
use std::ops::Range;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;

use crate::meter::Meter;
use crate::queues::scenario::calibrate::Pace;
use crate::queues::scenario::witness::Bits;

/// The load of a case: pools of consumers, and the work on each unit.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct PoolLoad {
    pub(super) pools: usize,
    /// Per pool.
    pub(super) consumers: usize,
    /// How many units a producer hands over at a time.
    pub(super) batch: u64,
    /// The additions of a unit in the serial stage, which makes it, and in the parallel one.
    pub(super) make: u64,
    pub(super) process: u64,
}

/// What all pools share: the account of their units, and the meter.
pub(super) struct Site {
    /// The units done. A unit takes microseconds at least, so that marking it does not show.
    done: Bits,
    /// How many pools have a producer at work.
    producing: AtomicUsize,
    as_published: OnceLock<u64>,
    pub(super) meter: Meter,
}

impl Site {
    /// For `units` units in all, made by `pools` producers; the time starts now.
    pub(super) fn new(units: u64, pools: usize) -> Result<Site, String> {
        Ok(Site {
            done: Bits::new(units),
            producing: AtomicUsize::new(pools),
            as_published: OnceLock::new(),
            meter: Meter::start()?,
        })
    }

    /// How many units have been done, counting repetitions; a momentary count while threads work.
    pub(super) fn completed(&self) -> u64 {
        self.done.marked() + self.done.repeated()
    }

    /// What is wrong with the set of units done. All threads must have ended.
    pub(super) fn fault(&self) -> Option<String> {
        let every = 0..self.done.len();
        self.done.fault(slice::from_ref(&every))
    }

    /// A producer has made its last unit, in a program that does not wait for its work.
    pub(super) fn leave(&self) {
        // Ordering: Relaxed. Only the order of the decrements matters, and the count read after the
        // last one belongs to threads that work on.
        if self.producing.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.as_published.get_or_init(|| self.completed());
        }
    }

    /// The units that were done when all producers had left, if they did.
    ///
    /// That is when the document's program ends with rayon: it drops the pool, which makes the
    /// threads end some time and joins none of them.
    pub(super) fn as_published(&self) -> Option<u64> {
        self.as_published.get().copied()
    }
}

/// A pool of consumers and its producer.
#[derive(Clone, Copy)]
pub(super) struct Pool<'a> {
    pub(super) parts: PoolLoad,
    /// How many units the pool has, from `first` on.
    pub(super) units: u64,
    pub(super) first: u64,
    pub(super) site: &'a Site,
}

impl<'a> Pool<'a> {
    /// The batches that the producer hands over, in order. The last one may be shorter.
    pub(super) fn batches(self) -> impl Iterator<Item = Range<u64>> + 'a {
        let (end, batch) = (self.first + self.units, self.parts.batch.max(1));
        let starts = (self.first..end).step_by(batch as usize);
        starts.map(move |start| start..end.min(start + batch))
    }

    /// The serial stage: makes the units of each batch and hands them over.
    pub(super) fn produce(self, mut hand: impl FnMut(Range<u64>)) {
        for batch in self.batches() {
            batch.clone().for_each(|_| burn(self.parts.make));
            hand(batch);
        }
    }

    /// The parallel stage.
    pub(super) fn process(self, units: Range<u64>) {
        for unit in units {
            burn(self.parts.process);
            self.site.done.mark(unit);
        }
    }
}

/// Keeps a core busy for `additions` of the document's kind: atomic, relaxed, on its own counter.
#[inline(never)]
fn burn(additions: u64) {
    let counter = AtomicU64::new(0);
    let counter = black_box(&counter);
    for _ in 0..additions {
        // Ordering: Relaxed, no other thread sees the counter.
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many additions take about `time` on this machine, to two significant digits, so that one
/// run's number is mostly the next one's as well.
pub(super) fn additions_in(time: Duration) -> u64 {
    static PACE: OnceLock<Pace> = OnceLock::new();
    round(PACE.get_or_init(|| Pace::of(burn)).steps_in(time))
}

/// Rounds to two significant digits.
pub(super) fn round(number: u64) -> u64 {
    let step = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    (number + step / 2) / step * step
}
