//! What the rebuilt harness of both libraries shares.

use std::ops::Range;
use std::thread::ScopedJoinHandle;

use crate::meter::{Meter, Sample};
use crate::queues::scenario::witness::{Bits, Tally};

/// Who begins with which items, as far as the harness does not drop them.
pub(super) enum Start {
    /// Each worker pushes its range.
    Own(Vec<Range<u64>>),
    /// Each range is pushed into a queue without a thread, as far as it fits.
    Victims(Vec<Range<u64>>),
    /// Each range is injected by a thread.
    Producers(Vec<Range<u64>>),
}

/// One run of the harness.
pub(super) struct Replay<'a> {
    pub(super) start: Start,
    pub(super) workers: usize,
    /// How many of so many items a thief takes, where that can be set.
    pub(super) share: fn(usize) -> usize,
    pub(super) bits: Option<&'a Bits>,
}

/// The outcome of a run of the harness.
pub(super) struct Outcome {
    pub(super) sample: Sample,
    pub(super) tally: Tally,
    /// The items that were really put into the queues.
    pub(super) existed: Vec<Range<u64>>,
    /// The number the harness reports as completed.
    pub(super) published: u64,
    /// How often an item moved from one queue to another, where the library reports it.
    pub(super) moved: Option<u64>,
}

/// Does items as the harness does, by counting them, and keeps the proper count beside it.
pub(super) struct Doer<'a> {
    pub(super) tally: Tally,
    pub(super) bits: Option<&'a Bits>,
}

impl<'a> Doer<'a> {
    pub(super) fn new(replay: &Replay<'a>) -> Doer<'a> {
        Doer { tally: Tally::default(), bits: replay.bits }
    }

    #[inline]
    pub(super) fn run(&mut self, id: u64) {
        self.tally.add(id);
        if let Some(bits) = self.bits {
            bits.mark(id);
        }
    }
}

/// Joins threads and returns their results, unless one could not be started or panicked.
pub(super) fn join<T>(
    threads: Vec<std::io::Result<ScopedJoinHandle<'_, T>>>,
) -> Result<Vec<T>, String> {
    let join = |thread: std::io::Result<ScopedJoinHandle<'_, T>>| match thread {
        Ok(thread) => thread.join().map_err(|_| "a thread panicked".to_owned()),
        Err(error) => Err(format!("cannot start a thread: {error}")),
    };
    // All are joined before the first failure is returned.
    threads.into_iter().map(join).collect::<Vec<_>>().into_iter().collect()
}

/// What the run cost. Migrations stay unknown: reading those of each thread takes a tenth as long
/// as some of these runs.
pub(super) fn stop(meter: Meter) -> Result<Sample, String> {
    meter.stop(u64::MAX)
}
