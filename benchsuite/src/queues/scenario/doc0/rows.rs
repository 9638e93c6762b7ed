//! The rows of each scenario: the document's set-ups and the ones it should have had.

use heist_queue::QueueKind;

use super::published::system;
use crate::queues::case::Case;

/// How many items a run has, `quick` or not.
fn million(quick: bool) -> u64 {
    if quick { 100_000 } else { 1_000_000 }
}

/// Rows that differ in their systems only.
fn each(
    systems: &[String],
    (scenario, setup): (&str, &str),
    (workers, size): (usize, u64),
    numbers: &[(&str, u64)],
) -> Vec<Case> {
    let row = |system| Case::new(scenario, setup, system, workers, size);
    systems.iter().map(|system| row(system).with(numbers.iter().copied())).collect()
}

/// Every backend, then the document's harness on the `published` systems if `replayed`.
fn systems(replayed: bool, published: &[&str]) -> Vec<String> {
    let ours = QueueKind::NAMES.iter().map(|&name| name.to_owned());
    let theirs = published.iter().map(|name| system(name));
    ours.chain(theirs.filter(|_| replayed)).collect()
}

/// Like items at all workers.
pub(super) fn balanced(quick: bool) -> Vec<Case> {
    let costs = [
        (0, million(quick), "no work"),
        (200, 500_000, "200 ns an item"),
        (5000, 40_000, "5 us an item"),
    ];
    let crews: &[usize] = if quick { &[1, 2, 8] } else { &[1, 2, 4, 8, 16, 32] };
    let mut rows = Vec::new();
    for (cost, size, setup) in costs.into_iter().take(if quick { 1 } else { 3 }) {
        for &workers in crews {
            let replayed = cost == 0 && [2, 4, 8].contains(&workers);
            let systems = systems(replayed, &["crossbeam", "st3-lifo", "st3-fifo"]);
            let numbers = [("cost_ns", cost)];
            rows.extend(each(&systems, ("balanced", setup), (workers, size), &numbers));
        }
    }
    rows
}

/// Queues whose thieves sweep from the given start. The others try the last victim that had
/// something first.
const REMEMBERS_NO_VICTIM: [&str; 4] = ["sharded", "sharded-lifo", "st3-lifo", "st3-fifo"];

/// Nine tenths at the first worker.
pub(super) fn imbalanced(quick: bool) -> Vec<Case> {
    let crews: &[usize] = if quick { &[2, 8] } else { &[2, 4, 8] };
    let setup = "90 % at the first worker";
    let mut rows = Vec::new();
    for &workers in crews {
        let systems = systems([4, 8].contains(&workers), &["crossbeam", "st3-lifo"]);
        rows.extend(each(&systems, ("imbalanced", setup), (workers, million(quick)), &[]));
    }
    let setup = format!("{setup}, random victims");
    for &workers in crews.iter().filter(|&&workers| workers > 2) {
        let (systems, numbers) = (REMEMBERS_NO_VICTIM.map(str::to_owned), [("random_victims", 1)]);
        rows.extend(each(&systems, ("imbalanced", &setup), (workers, million(quick)), &numbers));
    }
    rows
}

/// Thieves only.
pub(super) fn contention(quick: bool) -> Vec<Case> {
    let setups: &[(usize, u64)] =
        if quick { &[(2, 1), (8, 2)] } else { &[(2, 1), (4, 1), (8, 2), (16, 4)] };
    let mut rows = Vec::new();
    for &(thieves, victims) in setups {
        let replayed = [(8, 2), (16, 4)].contains(&(thieves, victims));
        let plural = if victims == 1 { "" } else { "s" };
        let setup = format!("{thieves} thieves, {victims} victim{plural}");
        let (systems, numbers) =
            (systems(replayed, &["crossbeam", "st3-lifo"]), [("victims", victims)]);
        rows.extend(each(&systems, ("contention", &setup), (thieves, million(quick)), &numbers));
    }
    rows
}

/// One producer.
pub(super) fn injector(quick: bool) -> Vec<Case> {
    let crews: &[usize] = if quick { &[2, 8] } else { &[2, 4, 8] };
    crews.iter().flat_map(|&workers| fed("injector", workers, 1, quick)).collect()
}

/// Several producers.
pub(super) fn multi_producer(quick: bool) -> Vec<Case> {
    let producers: &[u64] = if quick { &[2] } else { &[2, 4] };
    let fed = producers.iter().flat_map(|&producers| fed("multi-producer", 4, producers, quick));
    fed.collect()
}

fn fed(scenario: &str, workers: usize, producers: u64, quick: bool) -> Vec<Case> {
    let plural = if producers == 1 { "" } else { "s" };
    let setup = format!("{producers} producer{plural}");
    let (systems, numbers) = (systems(true, &["crossbeam"]), [("producers", producers)]);
    each(&systems, (scenario, &setup), (workers, million(quick)), &numbers)
}

/// Whether thieves of this queue take a share of the victim's items that can be chosen.
fn steals_shares(queue: &str) -> bool {
    queue == "deque"
        || queue == "chase-lev"
        || queue.starts_with("st3-")
        || queue.starts_with("sharded")
}

/// Thieves that take this or that share.
pub(super) fn steal_fraction(quick: bool) -> Vec<Case> {
    let crews: &[usize] = if quick { &[8] } else { &[4, 8] };
    let mut rows = Vec::new();
    for (start, balanced) in [("imbalanced", 0), ("balanced", 1)] {
        for &workers in crews {
            for percent in [25, 50, 75, 100] {
                let replayed = balanced == 1 && workers == 4;
                let mut systems = systems(replayed, &["st3-lifo"]);
                systems.retain(|name| steals_shares(name));
                let setup = format!("{percent} %, {start} start");
                let (place, numbers) =
                    (("steal-fraction", &*setup), [("percent", percent), ("balanced", balanced)]);
                rows.extend(each(&systems, place, (workers, million(quick)), &numbers));
            }
        }
    }
    rows
}
