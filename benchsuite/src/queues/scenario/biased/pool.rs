//! One pool of the benchmark, as its program sees it, and what all pools share.

use std::ops::Range;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;

use crate::meter::Meter;
use crate::queues::scenario::biased::load::burn;
use crate::queues::scenario::witness::Bits;

/// What a case consists of.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct Parts {
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
    /// Pools whose producer is at work.
    producing: AtomicUsize,
    as_published: OnceLock<u64>,
    pub(super) meter: Meter,
}

impl Site {
    /// For so many units in all, made by so many producers; the time starts now.
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
        // last one is that of threads that work on.
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
    pub(super) parts: Parts,
    /// Its units: so many, from this one on.
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
