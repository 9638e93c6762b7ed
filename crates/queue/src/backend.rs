//! What a queue has to be able to do: the seam between the crew and every backend.
//!
//! A backend stores items and nothing else. It does not know who sleeps, who wakes, or when the run
//! is over; that is the crew's and the idle policy's business, written once above every backend.

use std::num::NonZeroU8;
use std::ops::AddAssign;

/// The shared part of one kind of queue, built once per run.
pub trait Backend<T: Send>: Send + Sync + Sized {
    /// One worker's own end. It is moved into the worker's thread.
    type Worker: WorkerQueue<T>;

    /// The name of this backend, as in `--queue NAME`.
    const NAME: &'static str;

    /// Which of its items an owner pops first.
    const ORDER: PopOrder;

    /// Builds the shared part and exactly `workers` ends, the end of worker *i* at index *i*.
    fn build(workers: usize, cfg: &QueueConfig) -> (Self, Vec<Self::Worker>);

    /// Takes all items of `batch`, from any thread, never failing. Thieves find them in their next
    /// sweep.
    fn inject(&self, batch: &mut Vec<T>);

    /// Whether no worker could steal anything anywhere. A peek: it may be out of date when it
    /// returns, but it must see every push that is ordered before it, by a `SeqCst` fence on both
    /// sides for instance.
    fn is_empty(&self) -> bool;

    /// How many injected items wait where every worker would find them, roughly. Asked for each
    /// batch of a producer.
    fn backlog(&self) -> usize;
}

/// One worker's end of a backend.
pub trait WorkerQueue<T: Send>: Send {
    /// Adds an item: the next one to be popped, or the last one, as [`Backend::ORDER`] says. Bounded
    /// storage overflows into unbounded storage.
    fn push(&mut self, item: T);

    /// Adds all items of `batch` and leaves it empty. Whatever the order, `batch[0]` is the first of
    /// them to be popped.
    fn push_batch(&mut self, batch: &mut Vec<T>);

    /// Takes the next item of this worker's own storage, in the order of [`Backend::ORDER`]. Never
    /// touches another worker's.
    fn pop(&mut self) -> Option<T>;

    /// Makes one sweep over everything that can be taken from: what was injected, then the other
    /// workers' ends.
    fn steal(&mut self, req: StealRequest) -> Steal<T>;

    /// A lower bound of the items in own storage that a thief could take. Cheap: asked for every
    /// item.
    fn surplus(&self) -> usize;

    /// What this end has counted so far.
    fn stats(&self) -> QueueStats;
}

/// Which of its items an owner pops first. It decides what a walk looks like: depth first, with a few
/// pending directories, or breadth first, with a whole level of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopOrder {
    /// A stack.
    NewestFirst,
    /// A queue.
    OldestFirst,
}

/// The answer to one sweep.
#[derive(Debug)]
pub enum Steal<T> {
    /// An item for the thief to run now.
    Item {
        /// The item in hand.
        item: T,
        /// How many further items went from the victim to the thief's own storage.
        moved: usize,
        /// Whether another thief would find more, at the victim or now at the thief.
        more: bool,
    },
    /// Every queue was seen empty.
    Empty,
    /// Nothing was taken, and at least one queue could not be looked at because of a race. It may
    /// hold items.
    Contended,
}

/// What a thief asks for.
#[derive(Clone, Copy, Debug)]
pub struct StealRequest {
    /// How much to take from the victim.
    pub amount: StealAmount,
    /// The worker to look at first; the sweep goes upward from there and wraps. The thief itself is
    /// skipped.
    pub start: usize,
}

impl StealRequest {
    /// Whom worker `me` of a crew of `crew` asks, in this order.
    pub fn victims(self, crew: usize, me: usize) -> impl Iterator<Item = usize> {
        (0..crew).map(move |i| (self.start + i) % crew).filter(move |&victim| victim != me)
    }
}

/// How much of a victim's queue one steal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StealAmount {
    /// One item.
    One,
    /// This share of what is there, rounded up. Values over 100 count as 100.
    Percent(NonZeroU8),
}

impl StealAmount {
    /// Half of what is there.
    pub const HALF: StealAmount = match NonZeroU8::new(50) {
        Some(percent) => StealAmount::Percent(percent),
        None => StealAmount::One,
    };

    /// How many of `len` items to take: at least one, at most all of them, and none only if there
    /// is none.
    pub fn take(self, len: usize) -> usize {
        match self {
            StealAmount::One => len.min(1),
            StealAmount::Percent(percent) => {
                let percent = usize::from(percent.get().min(100));
                // Split to keep `len * percent` from overflowing.
                let (hundreds, rest) = (len / 100, len % 100);
                hundreds * percent + (rest * percent).div_ceil(100)
            }
        }
    }
}

/// How a backend is built.
#[derive(Clone, Debug)]
pub struct QueueConfig {
    /// How much of a victim's queue one steal takes. Backends without stealing ignore it.
    pub amount: StealAmount,
    /// How many items bounded storage holds per worker, rounded up to a power of two. What does not
    /// fit overflows into unbounded storage; unbounded backends ignore it.
    pub capacity: usize,
}

impl Default for QueueConfig {
    fn default() -> QueueConfig {
        QueueConfig { amount: StealAmount::HALF, capacity: 256 }
    }
}

/// What happened on a backend. `pushed` plus what was injected equals `popped + steals` plus what
/// was left over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Items pushed by their owners.
    pub pushed: u64,
    /// Items popped by their owners.
    pub popped: u64,
    /// Sweeps that found an item. Each puts exactly one item in the thief's hand.
    pub steals: u64,
    /// Further items that went from a victim to a thief's own storage. An item may move more than
    /// once.
    pub moved: u64,
    /// Sweeps that saw every queue empty.
    pub empty: u64,
    /// Sweeps that lost a race and found nothing.
    pub contended: u64,
    /// Items that went to unbounded storage because a bounded one was full.
    pub overflowed: u64,
}

impl QueueStats {
    /// Counts the outcome of one sweep.
    pub fn count<T>(&mut self, outcome: &Steal<T>) {
        match outcome {
            Steal::Item { moved, .. } => {
                self.steals += 1;
                self.moved += *moved as u64;
            }
            Steal::Empty => self.empty += 1,
            Steal::Contended => self.contended += 1,
        }
    }
}

impl AddAssign for QueueStats {
    fn add_assign(&mut self, other: QueueStats) {
        self.pushed += other.pushed;
        self.popped += other.popped;
        self.steals += other.steals;
        self.moved += other.moved;
        self.empty += other.empty;
        self.contended += other.contended;
        self.overflowed += other.overflowed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_up_and_never_zero() {
        let percent = |n| StealAmount::Percent(NonZeroU8::new(n).unwrap());
        for amount in [StealAmount::One, percent(1), percent(50), percent(100), percent(255)] {
            assert_eq!(amount.take(0), 0);
            assert_eq!(amount.take(1), 1, "a single item can always be stolen");
        }
        assert_eq!(StealAmount::HALF, percent(50));
        assert_eq!([2, 3, 7, 100, 101].map(|len| StealAmount::HALF.take(len)), [1, 2, 4, 50, 51]);
        assert_eq!([4, 5, 200].map(|len| percent(25).take(len)), [1, 2, 50]);
        assert_eq!(percent(255).take(7), 7);
        assert_eq!(percent(99).take(usize::MAX), usize::MAX / 100 * 99 + 15);
        assert_eq!(StealAmount::One.take(9), 1);
    }
}
