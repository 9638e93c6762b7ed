//! A case in the form that all scenarios of this document share: which worker begins with which
//! items.

use std::iter;
use std::num::NonZeroU8;
use std::ops::Range;
use std::time::Duration;

use heist_queue::StealAmount;
use serde::Deserialize;

use crate::queues::case::Case;

/// How many items bounded queues hold per worker: the document's number.
pub(super) const QUEUE_CAPACITY: usize = 1024;

/// How long nothing may get done before a run is given up. Much longer than any preempted worker is
/// kept from its core.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The load of a case. Without victims and producers, the workers begin with the items,
/// each with as many as any other.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct QueueLoad {
    /// How many queues with idle owners have all items.
    victims: usize,
    /// Threads that inject all items while the workers are at it.
    producers: usize,
    /// Whether the first worker begins with nine tenths.
    imbalanced: bool,
    /// Which share of a victim's items one steal takes, in percent; half by default.
    pub(super) percent: Option<NonZeroU8>,
    /// How many items a block of the queue `bwos` holds; its default if 0.
    pub(super) block: usize,
    /// Whether a thief begins each sweep at a random worker instead of its neighbour.
    pub(super) random_victims: bool,
    /// How long doing an item takes, in nanoseconds.
    pub(super) cost_ns: u64,
}

impl QueueLoad {
    /// How much of a victim's queue one steal takes.
    pub(super) fn amount(&self) -> StealAmount {
        self.percent.map_or(StealAmount::HALF, StealAmount::Percent)
    }
}

/// How the items of a case are distributed over queues and threads.
#[derive(Debug)]
pub(super) struct Distribution {
    pub(super) load: QueueLoad,
    /// Items are the numbers from 0 to this.
    pub(super) items: u64,
    /// The items in the queues of the victims before the clock starts. Victims have a queue
    /// and no thread.
    pub(super) victims: Vec<Range<u64>>,
    /// The items that each worker pushes into its own queue; one range per worker.
    pub(super) workers: Vec<Range<u64>>,
    /// The items that each producer injects from outside.
    pub(super) producers: Vec<Range<u64>>,
    /// How long nothing may get done before the run is given up.
    pub(super) patience: Duration,
}

impl Distribution {
    /// The distribution for `case`. `divide` divides its items: [`shares`] or [`equal_shares`].
    pub(super) fn of(
        case: &Case,
        divide: fn(Range<u64>, usize) -> Vec<Range<u64>>,
    ) -> Result<Distribution, String> {
        let load: QueueLoad = case.load()?;
        let items = case.size;
        let workers = if load.victims + load.producers > 0 {
            vec![0..0; case.threads]
        } else if load.imbalanced && case.threads > 1 {
            let most = items * 9 / 10;
            iter::once(0..most).chain(divide(most..items, case.threads - 1)).collect()
        } else {
            divide(0..items, case.threads)
        };
        let (victims, producers) =
            (divide(0..items, load.victims), divide(0..items, load.producers));
        Ok(Distribution { load, items, victims, workers, producers, patience: STALL_TIMEOUT })
    }
}

/// Cuts `all` into `parts` ranges, none more than one longer than another. Every item is in a
/// range, unless there are no parts. `0..10` in 3 parts is `0..4`, `4..7` and `7..10`.
pub(super) fn shares(all: Range<u64>, parts: usize) -> Vec<Range<u64>> {
    let (len, parts) = (all.end - all.start, parts as u64);
    let start = |part: u64| all.start + len / parts * part + part.min(len % parts);
    (0..parts).map(|part| start(part)..start(part + 1)).collect()
}

/// Cuts `all` into `parts` equal ranges, without the remainder, which the document's harness drops.
/// `1..9` in 3 parts is `1..3`, `3..5` and `5..7`.
pub(super) fn equal_shares(all: Range<u64>, parts: usize) -> Vec<Range<u64>> {
    let remainder = (all.end - all.start).checked_rem(parts as u64).unwrap_or(0);
    shares(all.start..all.end - remainder, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_whole() {
        assert_eq!(shares(0..10, 3), [0..4, 4..7, 7..10]);
        assert_eq!(shares(5..7, 3), [5..6, 6..7, 7..7]);
        assert_eq!(equal_shares(1..9, 3), [1..3, 3..5, 5..7]);
        assert_eq!((shares(0..10, 0), equal_shares(0..10, 0)), (vec![], vec![]));
    }

    #[test]
    fn no_item_of_an_imbalanced_start_is_left_out() {
        let workers = |threads| {
            let load = [("imbalanced".to_owned(), true.into())].into_iter().collect();
            let case = Case { threads, size: 1_000_009, load, ..Case::default() };
            Distribution::of(&case, shares).unwrap().workers
        };
        let four = [0..900_008, 900_008..933_342, 933_342..966_676, 966_676..1_000_009];
        assert_eq!((workers(4), workers(1)), (four.to_vec(), shares(0..1_000_009, 1)));
    }
}
