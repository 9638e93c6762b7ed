//! The document's own harness, faults included, so that its figures can be seen again and
//! explained.
//!
//! It is written anew after the two programs behind the document, which were read for what they do.
//! What is kept: the queues and how they are used, the ends of their loops, what is timed, what is
//! counted, and what is dropped. What is added: each item that is done is also counted properly, at
//! about a nanosecond an item, so that the rows show what really happened.
//!
//! These rows are valid if what was really put into the queues was done exactly once, no matter
//! what the harness reports. What it dropped is in the column `dropped_by_harness`; its nanoseconds
//! per operation, by its own count, are in `published_ns_per_op`.

use std::iter;
use std::ops::Range;

use crate::meter::Sample;
use crate::queues::case::Case;
use crate::queues::scenario::witness::{Bits, fault};

use harness::{Outcome, Replay, Start};

mod crossbeam;
mod harness;
mod st3;

/// The suffix of the names of systems that this harness runs.
const SUFFIX: &str = " (document's harness)";

/// What is printed about `balanced` with `--as-published`.
pub(super) const BALANCED: &str = "\
    The document starts its threads and waits for their ends within the time taken, runs once, and \
    lets items do nothing. crossbeam runs as a FIFO that grows to hold a worker's whole share; an \
    owner on st3 pops one item for each it pushes once its 1024 slots are full, so it stays within \
    8 KiB. On st3 the harness counts an item each time a thief takes it, and again when it is popped: \
    what it reports in excess is the number of moves, no fault of st3. With st3, a thief that finds \
    its victims busy goes home.";

/// What is printed about `imbalanced` with `--as-published`.
pub(super) const IMBALANCED: &str = "\
    As for `balanced`. The 1.50 million of 1.00 million items that st3 is said to have completed are \
    1.00 million items and 0.50 million moves. The remainder of the tenth that the other workers \
    share is never pushed: 1 of a million with 4 workers, 5 with 8. One steal takes up to 32 items \
    from crossbeam's FIFO and up to 512 from st3.";

/// What is printed about `contention` with `--as-published`.
pub(super) const CONTENTION: &str = "\
    The document fills the victims before the time is taken and stops filling a queue at the first \
    push that fails. On st3 that is after 1024 items: with 2 victims 2048 items ever exist, with 4 \
    victims 4096. Each is moved once and popped once and counted both times, which gives the 4096 = \
    2 x 1024 x 2 and 8192 = 4 x 1024 x 2 that the document calls 0.4 % and 0.8 % completed. Nothing \
    was stuck or lost: the rest was dropped by the harness. Its time per operation is that of \
    starting and joining 8 or 16 threads, divided by that count, next to crossbeam's by a million.";

/// What is printed about `injector` and `multi-producer` with `--as-published`.
pub(super) const INJECTOR: &str = "\
    Each item costs the document's workers a fetch_sub on one shared counter, which they also read \
    whenever they find nothing, in a loop that never yields: the figure is as much that counter's as \
    the injector's. Starting and joining the threads is within the time taken.";

/// What is printed about `steal-fraction` with `--as-published`.
pub(super) const STEAL_FRACTION: &str = "\
    The document compares shares from a balanced start, where hardly anything is stolen, in one run \
    of 4 threads each, thread starts included, and does not print what was counted. Shares are \
    rounded down, so that a quarter of three items is none.";

/// The system that is `library`, run by this harness.
pub(super) fn system(library: &str) -> String {
    format!("{library}{SUFFIX}")
}

/// Runs `row` once if it is one of this harness.
pub(super) fn measure(row: &Case, bits: Option<&Bits>) -> Option<Result<Sample, String>> {
    let library = row.system.strip_suffix(SUFFIX)?;
    Some(replay(row, bits).and_then(|replay| {
        let outcome = match library {
            "crossbeam" => crossbeam::run(&replay),
            "st3-lifo" => harness::run::<::st3::lifo::Worker<u64>>(&replay),
            "st3-fifo" => harness::run::<::st3::fifo::Worker<u64>>(&replay),
            _ => Err(format!("the document has no {library}")),
        };
        outcome.map(|outcome| report(row, bits, outcome))
    }))
}

/// The run that the harness makes of a row. All its divisions drop the remainder.
fn replay<'a>(row: &Case, bits: Option<&'a Bits>) -> Result<Replay<'a>, String> {
    let number = |name: &str| match row.number(name) {
        0 => Err(format!("{} needs the number `{name}`", row.scenario)),
        number => Ok(number),
    };
    let workers = row.threads as u64;
    let mut share: fn(usize) -> usize = |n| n / 2;
    let start = match row.scenario.as_str() {
        "balanced" => Start::Own(even(row.size, workers)),
        "imbalanced" => {
            let most = row.size * 9 / 10;
            let others = even(row.size - most, workers - 1).into_iter();
            let others = others.map(|range| most + range.start..most + range.end);
            Start::Own(iter::once(0..most).chain(others).collect())
        }
        "contention" => Start::Victims(even(row.size, number("victims")?)),
        "injector" | "multi-producer" => Start::Producers(even(row.size, number("producers")?)),
        "steal-fraction" if row.number("balanced") == 1 => {
            share = match row.number("percent") {
                25 => |n| n / 4,
                50 => |n| n / 2,
                75 => |n| n * 3 / 4,
                100 => |n| n,
                other => return Err(format!("the document has no share of {other} %")),
            };
            Start::Own(even(row.size, workers))
        }
        other => return Err(format!("the document has no such {other}")),
    };
    Ok(Replay { start, workers: row.threads, share, bits })
}

/// Ranges of equal length, without the remainder.
fn even(items: u64, parts: u64) -> Vec<Range<u64>> {
    let each = items.checked_div(parts).unwrap_or(0);
    (0..parts).map(|part| part * each..(part + 1) * each).collect()
}

fn report(row: &Case, bits: Option<&Bits>, outcome: Outcome) -> Sample {
    let Outcome { mut sample, tally, existed, published, moved } = outcome;
    sample.expected = existed.iter().map(|range| range.end - range.start).sum();
    sample.completed = tally.count;
    sample.as_published = Some(published);
    sample.invalid = fault(tally, bits, &existed);

    // st3's contention is the only place where the document divides by what it counted.
    let is_st3 = row.system.starts_with("st3");
    let by = if row.scenario == "contention" && is_st3 { published.max(1) } else { row.size };
    sample.add_columns([("published_ns_per_op", sample.wall_ns as f64 / by as f64)]);
    sample.add_counts([("dropped_by_harness", row.size - sample.expected)]);
    sample.add_counts(moved.map(|moved| ("moved", moved)));
    sample
}
