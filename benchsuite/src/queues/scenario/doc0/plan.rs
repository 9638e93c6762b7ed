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
pub(super) const CAPACITY: usize = 1024;

/// How long nothing may get done before a run is given up. Much longer than any preempted worker is
/// kept from its core.
const PATIENCE: Duration = Duration::from_secs(5);

/// What distinguishes the cases. Without victims and producers, the workers begin with the items,
/// each with as many as any other.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Load {
    /// Queues whose owners do nothing, with all items.
    pub(super) victims: usize,
    /// Threads that inject all items while the workers are at it.
    pub(super) producers: usize,
    /// Whether the first worker begins with nine tenths.
    pub(super) imbalanced: bool,
    /// The share of a victim's items that one steal takes; half of them by default.
    pub(super) percent: Option<NonZeroU8>,
    /// Whether a thief begins each sweep at a random worker instead of its neighbour.
    random_victims: bool,
    /// How long doing an item takes, in nanoseconds.
    cost_ns: u64,
}

impl Load {
    /// What distinguishes `case`; an error if its scenario needs a number that it lacks.
    pub(super) fn of(case: &Case) -> Result<Load, String> {
        let load: Load = case.load()?;
        let (name, is_there) = match case.scenario.as_str() {
            "contention" => ("victims", load.victims > 0),
            "injector" | "multi-producer" => ("producers", load.producers > 0),
            "steal-fraction" => ("percent", load.percent.is_some()),
            _ => return Ok(load),
        };
        let missing = || format!("{} needs the number `{name}`", case.scenario);
        is_there.then_some(load).ok_or_else(missing)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Items are the numbers from 0 to this.
    pub(super) items: u64,
    /// The items in the queues of the victims before the clock starts. Victims have a queue
    /// and no thread.
    pub(super) victims: Vec<Range<u64>>,
    /// The items that each worker pushes into its own queue; one range per worker.
    pub(super) workers: Vec<Range<u64>>,
    /// The items that each producer injects from outside.
    pub(super) producers: Vec<Range<u64>>,
    /// How much of a victim's queue one steal takes.
    pub(super) amount: StealAmount,
    pub(super) random_victims: bool,
    pub(super) cost_ns: u64,
    /// How long nothing may get done before the run is given up.
    pub(super) patience: Duration,
}

impl Plan {
    pub(super) fn of(case: &Case) -> Result<Plan, String> {
        let Load { victims, producers, imbalanced, percent, random_victims, cost_ns } =
            Load::of(case)?;
        let items = case.size;
        let workers = if victims + producers > 0 {
            vec![0..0; case.threads]
        } else if imbalanced && case.threads > 1 {
            let most = items / 10 * 9 + items % 10 * 9 / 10;
            iter::once(0..most).chain(shares(most..items, case.threads - 1)).collect()
        } else {
            shares(0..items, case.threads)
        };
        Ok(Plan {
            items,
            victims: shares(0..items, victims),
            workers,
            producers: shares(0..items, producers),
            amount: percent.map_or(StealAmount::HALF, StealAmount::Percent),
            random_victims,
            cost_ns,
            patience: PATIENCE,
        })
    }
}

/// Cuts `all` into `parts` ranges, none more than one longer than another. Every item is in one of
/// them, unless there are no parts.
fn shares(all: Range<u64>, parts: usize) -> Vec<Range<u64>> {
    let (len, parts) = (all.end - all.start, parts as u64);
    let start = |part: u64| all.start + len / parts * part + part.min(len % parts);
    (0..parts).map(|part| start(part)..start(part + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_whole() {
        assert_eq!(shares(0..10, 3), [0..4, 4..7, 7..10]);
        assert_eq!(shares(5..7, 3), [5..6, 6..7, 7..7]);
        assert_eq!(shares(0..10, 0), []);
        for parts in 1..40 {
            let all = shares(3..1000, parts);
            assert_eq!((all[0].start, all[parts - 1].end, all.len()), (3, 1000, parts));
            assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }

    #[test]
    fn no_item_of_an_imbalanced_start_is_left_out() {
        let load = [("imbalanced".to_owned(), true.into())].into_iter().collect();
        let mut case = Case { threads: 4, size: 1_000_009, load, ..Case::default() };
        let four = [0..900_008, 900_008..933_342, 933_342..966_676, 966_676..1_000_009];
        assert_eq!(Plan::of(&case).unwrap().workers, four);
        case.threads = 1;
        assert_eq!(Plan::of(&case).unwrap().workers, vec![0..1_000_009]);
    }
}
