//! Queues on one thread, as scripts in `scripts/*.txt`: what an owner pops, what a thief gets.
//!
//! A case is `## TITLE`, optional lines `on QUEUE…` (all queues if missing), `workers N` (2) and
//! `capacity N…` (256; the case runs with each), and then one operation per line with its expected
//! outcome. `4-6` stands for `4 5 6`, and `A | B` for `A` in queues whose owners pop the newest
//! item first, and `B` in the others. Every end starts its sweeps at worker 0. An end that hides
//! items exposes them after each operation, unless the case has the line `hidden`.
//!
//! | operation | outcome |
//! |---|---|
//! | `0 push ITEMS`, `0 batch ITEMS`, `inject ITEMS` | none |
//! | `0 pop`, `0 pops` | the next item or `none`; all items of worker 0 |
//! | `1 steal SHARE` | `ITEM +MOVED more`, or `last` if no thief would find more; or `empty` |
//! | `0 runs` | all items that worker 0 pops or steals, in the order in which it would run them |
//! | `share SHARE`, `2 share SHARE` | all items that the ends in turn, or one, steal; sorted |
//! | `0 surplus`, `0 overflowed` | the number |
//! | `0 expose` | `some` if the end hid an item, or `none` |
//! | `0 stats` | the counters that are not zero |
//! | `empty` | `yes` or `no` |
//!
//! A share is `one` or a percentage. After each case all items must have been dropped.

use std::collections::HashMap;
use std::num::NonZeroU8;
use std::sync::Arc;

use heist_queue::{
    Backend, Counted, PopOrder, QueueConfig, Steal, StealAmount, StealRequest, WorkerQueue,
};

use crate::tree::{Item, Ledger, star};

const SCRIPTS: [&str; 5] = [
    include_str!("scripts/all.txt"),
    include_str!("scripts/blocks.txt"),
    include_str!("scripts/channels.txt"),
    include_str!("scripts/rings.txt"),
    include_str!("scripts/stealing.txt"),
];

/// One case of a script.
pub(crate) struct Case<'s> {
    pub(crate) title: &'s str,
    lines: Vec<&'s str>,
}

/// The cases of a script, each after `## TITLE`. Empty lines and those with a `#` are left out.
pub(crate) fn cases(script: &str) -> impl Iterator<Item = Case<'_>> {
    script.split("\n## ").skip(1).map(|case| {
        let mut lines = case.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        Case { title: lines.next().expect("a title"), lines: lines.collect() }
    })
}

impl<'s> Case<'s> {
    /// What follows `name` in the lines that begin with it.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &'s str> {
        self.lines.iter().filter_map(move |line| line.strip_prefix(name))
    }

    /// The numbers among these.
    pub(crate) fn numbers(&self, name: &str) -> Vec<usize> {
        self.values(name).flat_map(numbers).collect()
    }

    /// Whether there is this line.
    pub(crate) fn has(&self, line: &str) -> bool {
        self.lines.contains(&line)
    }

    /// The lines of the form `N: TEXT`.
    pub(crate) fn of_nodes(&self) -> HashMap<usize, &'s str> {
        let pair = |line: &&'s str| {
            let (node, text) = line.split_once(": ")?;
            Some((node.parse().ok()?, text))
        };
        self.lines.iter().filter_map(pair).collect()
    }
}

pub(crate) fn every_script_holds<B: Backend<Item>>() {
    let mut ran = 0;
    for case in SCRIPTS.iter().flat_map(|script| cases(script)) {
        if case.values("on ").next().is_none_or(|names| names.split(' ').any(|n| n == B::NAME)) {
            let workers = case.numbers("workers ").first().copied().unwrap_or(2);
            let capacities = case.numbers("capacity ");
            for &capacity in if capacities.is_empty() { &[256][..] } else { &capacities } {
                Stage::<B>::new(workers, capacity).play(&case);
                ran += 1;
            }
        }
    }
    assert!(ran > 5, "cases for all queues were found");
}

/// A queue with its ends, and the ledger of its items.
struct Stage<B: Backend<Item>> {
    ledger: Arc<Ledger>,
    queue: B,
    ends: Vec<Counted<Item, B::Worker>>,
}

impl<B: Backend<Item>> Stage<B> {
    fn new(workers: usize, capacity: usize) -> Stage<B> {
        let (queue, ends) = B::build(workers, &QueueConfig { capacity, ..QueueConfig::default() });
        let ends = ends.into_iter().map(Counted::new).collect();
        Stage { ledger: Ledger::new(star(1000)), queue, ends }
    }

    /// Performs the operations of a case, then drops the queue.
    fn play(mut self, case: &Case<'_>) {
        let is_setting = |line: &str| {
            let settings = ["on ", "workers ", "capacity ", "hidden"];
            settings.iter().any(|setting| line.starts_with(setting))
        };
        for line in case.lines.iter().filter(|line| !is_setting(line)) {
            let (operation, expected) = line.split_once(" ->").unwrap_or((line, ""));
            let (newest, oldest) = expected.split_once('|').unwrap_or((expected, expected));
            let expected = if B::ORDER == Some(PopOrder::NewestFirst) { newest } else { oldest };
            let outcome = self.perform(operation);
            if !case.has("hidden") {
                self.ends.iter_mut().for_each(|end| _ = end.expose());
            }
            assert_eq!(outcome, expand(expected), "{}: {}: {line}", B::NAME, case.title);
        }
        let ledger = Arc::clone(&self.ledger);
        drop(self);
        ledger.assert_no_leak();
    }

    /// Performs one operation and returns its outcome, with all ranges written out.
    fn perform(&mut self, operation: &str) -> String {
        let (first, rest) = operation.split_once(' ').unwrap_or((operation, ""));
        let Ok(me) = first.parse::<usize>() else {
            return match first {
                "inject" => {
                    let mut batch = self.items(rest);
                    self.queue.inject(&mut batch);
                    assert!(batch.is_empty(), "the batch is left empty");
                    String::new()
                }
                "share" => self.share(0..self.ends.len(), amount(rest)),
                "empty" => if self.queue.is_empty() { "yes" } else { "no" }.to_owned(),
                _ => panic!("no such operation: {operation}"),
            };
        };
        let (verb, argument) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut items = self.items(if matches!(verb, "push" | "batch") { argument } else { "" });
        let end = &mut self.ends[me];
        match verb {
            "push" => items.into_iter().for_each(|item| end.push(item)),
            "batch" => {
                end.push_batch(&mut items);
                assert!(items.is_empty(), "the batch is left empty");
            }
            "pop" => return end.pop().map_or("none".to_owned(), |item| item.node.to_string()),
            "pops" => return written(&pops(end)),
            "steal" => {
                return match steal(end, amount(argument)) {
                    Some((item, moved, true)) => format!("{item} +{moved} more"),
                    Some((item, moved, false)) => format!("{item} +{moved} last"),
                    None => "empty".to_owned(),
                };
            }
            "runs" => {
                let mut seen = pops(end);
                while let Some((item, ..)) = steal(end, StealAmount::HALF) {
                    seen.push(item);
                    seen.extend(pops(end));
                }
                return written(&seen);
            }
            "share" => return self.share(me..me + 1, amount(argument)),
            "surplus" => return end.surplus().to_string(),
            "expose" => return if end.expose() { "some" } else { "none" }.to_owned(),
            "overflowed" => return end.overflowed().to_string(),
            "stats" => {
                let stats = format!("{:?}", end.stats());
                let fields = stats.trim_start_matches("QueueStats { ").trim_end_matches(" }");
                let counted: Vec<_> =
                    fields.split(", ").filter(|field| !field.ends_with(": 0")).collect();
                return counted.join(", ");
            }
            _ => panic!("no such operation: {operation}"),
        }
        String::new()
    }

    fn items(&self, nodes: &str) -> Vec<Item> {
        numbers(nodes).into_iter().map(|node| self.ledger.item(node)).collect()
    }

    /// Lets each of `ends` in turn steal and pop, until one finds nothing.
    fn share(&mut self, ends: std::ops::Range<usize>, amount: StealAmount) -> String {
        let mut seen = Vec::new();
        for me in ends.cycle() {
            let Some((item, ..)) = steal(&mut self.ends[me], amount) else { break };
            seen.push(item);
            seen.extend(pops(&mut self.ends[me]));
        }
        seen.sort_unstable();
        written(&seen)
    }
}

/// The item, how many others moved, and whether there are more. Repeats a sweep that lost a race:
/// under Miri compare-and-swaps fail at random.
fn steal(end: &mut impl WorkerQueue<Item>, amount: StealAmount) -> Option<(usize, usize, bool)> {
    loop {
        match end.steal(StealRequest { amount, start: 0 }) {
            Steal::Item { item, moved, more } => return Some((item.node, moved, more)),
            Steal::Empty => return None,
            Steal::Contended => {}
        }
    }
}

fn pops(end: &mut impl WorkerQueue<Item>) -> Vec<usize> {
    std::iter::from_fn(|| end.pop()).map(|item| item.node).collect()
}

fn amount(share: &str) -> StealAmount {
    let percent = share.strip_suffix('%').map(|n| n.parse().expect("a percentage"));
    percent.and_then(NonZeroU8::new).map_or(StealAmount::One, StealAmount::Percent)
}

fn written(nodes: &[usize]) -> String {
    nodes.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

/// The numbers of `text`, which may be ranges.
pub(crate) fn numbers(text: &str) -> Vec<usize> {
    expand(text).split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

/// Writes out the ranges of `text`, up or down.
fn expand(text: &str) -> String {
    let range = |word: &str| {
        let (from, to) = word.split_once('-')?;
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        let range: Vec<usize> =
            if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
        Some(written(&range))
    };
    let words = text.split_whitespace().map(|word| range(word).unwrap_or(word.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}
