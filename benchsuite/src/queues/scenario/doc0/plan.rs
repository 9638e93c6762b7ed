//! A case in the form that all scenarios of this document share: which worker begins with which
//! items.

use std::num::NonZeroU8;
use std::ops::Range;
use std::time::Duration;

use heist_queue::StealAmount;

use crate::queues::case::Case;

/// How many items bounded queues hold per worker: the document's number.
pub(super) const CAPACITY: usize = 1024;

/// How long nothing may get done before a run is given up. Much longer than any preempted worker is
/// kept from its core.
const PATIENCE: Duration = Duration::from_secs(5);

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
    /// Whether a thief begins each sweep at a random worker instead of its neighbour.
    pub(super) random_victims: bool,
    /// How long doing an item takes, in nanoseconds.
    pub(super) cost_ns: u64,
    /// How long nothing may get done before the run is given up.
    pub(super) patience: Duration,
}

impl Plan {
    /// `row` with nothing in any queue yet.
    fn empty(row: &Case) -> Plan {
        Plan {
            items: row.size,
            victims: Vec::new(),
            workers: vec![0..0; row.threads],
            producers: Vec::new(),
            amount: StealAmount::HALF,
            random_victims: row.number("random_victims") == 1,
            cost_ns: row.number("cost_ns"),
            patience: PATIENCE,
        }
    }

    /// Every worker begins with as many items as any other, give or take one.
    pub(super) fn balanced(row: &Case) -> Result<Plan, String> {
        Ok(Plan { workers: shares(0..row.size, row.threads), ..Plan::empty(row) })
    }

    /// The first worker begins with nine tenths.
    pub(super) fn imbalanced(row: &Case) -> Result<Plan, String> {
        let others = row.threads.saturating_sub(1);
        let most = if others == 0 { row.size } else { row.size / 10 * 9 + row.size % 10 * 9 / 10 };
        let mut workers = shares(most..row.size, others);
        workers.insert(0, 0..most);
        Ok(Plan { workers, ..Plan::empty(row) })
    }

    /// Everything is in queues whose owners do nothing.
    pub(super) fn contention(row: &Case) -> Result<Plan, String> {
        let victims = some(row, "victims")?;
        Ok(Plan { victims: shares(0..row.size, victims), ..Plan::empty(row) })
    }

    /// Everything comes from outside while the workers are at it.
    pub(super) fn fed(row: &Case) -> Result<Plan, String> {
        let producers = some(row, "producers")?;
        Ok(Plan { producers: shares(0..row.size, producers), ..Plan::empty(row) })
    }

    /// One of the first two, with thieves that take a given share.
    pub(super) fn fraction(row: &Case) -> Result<Plan, String> {
        let start = if row.number("balanced") == 1 { Plan::balanced } else { Plan::imbalanced };
        let percent = u8::try_from(some(row, "percent")?).ok().and_then(NonZeroU8::new);
        let percent = percent.ok_or("`percent` is too large")?;
        Ok(Plan { amount: StealAmount::Percent(percent), ..start(row)? })
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        self.workers.len() + self.producers.len()
    }
}

/// A number without which there is nothing to run.
fn some(row: &Case, name: &str) -> Result<usize, String> {
    match usize::try_from(row.number(name)) {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{} needs the number `{name}`", row.scenario)),
    }
}

/// Cuts `all` into `parts` ranges, none more than one longer than another. Every item is in one of
/// them, unless there are no parts.
fn shares(all: Range<u64>, parts: usize) -> Vec<Range<u64>> {
    let len = all.end - all.start;
    let parts = parts as u64;
    (0..parts)
        .scan(all.start, |begin, part| {
            let range = *begin..*begin + len / parts + u64::from(part < len % parts);
            *begin = range.end;
            Some(range)
        })
        .collect()
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
        let mut row = Case::new("imbalanced", "", "deque", 4, 1_000_009);
        let plan = Plan::imbalanced(&row).unwrap();
        assert_eq!(
            plan.workers,
            [0..900_008, 900_008..933_342, 933_342..966_676, 966_676..1_000_009]
        );
        row.threads = 1;
        assert_eq!(Plan::imbalanced(&row).unwrap().workers, vec![0..1_000_009]);
    }

    #[test]
    fn rows_that_lack_a_number_are_refused() {
        let row = Case::new("contention", "", "deque", 4, 10);
        for plan in [Plan::contention, Plan::fed, Plan::fraction] {
            assert!(plan(&row).unwrap_err().contains("needs the number"));
        }
    }
}
