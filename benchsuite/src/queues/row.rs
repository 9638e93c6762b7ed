//! A row of a table: what is to be measured, and what came out.
//!
//! A row is measured in a process of its own, so that its peak memory is its own and a hang can be
//! killed. Both types travel between the processes as JSON, and into the records.

use std::collections::BTreeMap;
use std::time::Duration;

use heist_queue::{IdleKind, QueueKind, UnknownName};
use serde::{Deserialize, Serialize};

/// The number that is 1 in the run before those that count. Nobody looks at its time, so a scenario
/// may check more in it than a timed run can afford.
pub(crate) const VERIFY: &str = "verify";

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The scenario's name.
    pub(crate) scenario: String,
    /// What distinguishes this row's set-up from others of the scenario, in the words of a table:
    /// `8 thieves, 2 victims`, `25 %`, `200 ns an item`.
    pub(crate) setup: String,
    /// The system under test: a queue's name, or a library's, or a stage of reclamation.
    pub(crate) system: String,
    /// The idle policy, where there is a choice.
    pub(crate) policy: Option<String>,
    /// Threads that work, producers not included.
    pub(crate) threads: usize,
    /// How many items, operations or nodes.
    pub(crate) size: u64,
    /// Further numbers that the scenario understands: `victims`, `percent`, `cost_ns`, `producers`.
    /// Two names belong to the runner: it sets [`VERIFY`] in the run that is not counted, and
    /// overwrites `seeds` by what `--seeds` says.
    pub(crate) numbers: BTreeMap<String, u64>,
}

impl Row {
    /// The number called `name`, or 0.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// The queue that the system under test is.
    ///
    /// # Errors
    ///
    /// The system is no queue.
    pub(crate) fn queue(&self) -> Result<QueueKind, String> {
        self.system.parse().map_err(|error: UnknownName| error.to_string())
    }

    /// The idle policy.
    ///
    /// # Errors
    ///
    /// There is none, or none of this name.
    pub(crate) fn idle_policy(&self) -> Result<IdleKind, String> {
        let policy = self.policy.as_deref().unwrap_or_default();
        policy.parse().map_err(|error: UnknownName| error.to_string())
    }

    /// Whether there are more threads, producers included, than `cores`.
    pub(crate) fn is_crowded(&self, cores: usize) -> bool {
        self.threads + self.number("producers") as usize > cores
    }
}

/// The [further numbers](Row::numbers) of a row.
pub(crate) fn numbers<'a>(
    numbers: impl IntoIterator<Item = (&'a str, u64)>,
) -> BTreeMap<String, u64> {
    numbers.into_iter().map(|(name, number)| (name.to_owned(), number)).collect()
}

/// What one run of a row gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// From the moment all threads were ready to the moment the last item was done.
    pub(crate) wall_ns: u64,
    /// User and system time of all threads.
    pub(crate) cpu_ns: u64,
    /// Context switches of threads that had nothing to do.
    pub(crate) voluntary: u64,
    /// Context switches of threads that were made to let others run, or let them (`sched_yield`).
    pub(crate) involuntary: u64,
    /// Times a thread went on another core, where the system tells.
    pub(crate) migrations: Option<u64>,
    /// The most memory the process ever had, in bytes.
    pub(crate) peak_bytes: Option<u64>,
    /// How many items should have been done.
    pub(crate) expected: u64,
    /// How many were.
    pub(crate) completed: u64,
    /// What was wrong with the set of items that were done, if anything: the row is then INVALID.
    pub(crate) invalid: Option<String>,
    /// What the document's own harness would have reported as completed, where it counts otherwise.
    pub(crate) as_published: Option<u64>,
    /// Further columns: `steals`, `moved`, `parks`, `wakes`, `p50_ns`, `unreclaimed`.
    pub(crate) columns: BTreeMap<String, f64>,
}

impl Sample {
    /// Adds further columns.
    pub(crate) fn add_columns<'a>(&mut self, columns: impl IntoIterator<Item = (&'a str, f64)>) {
        self.columns.extend(columns.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }

    /// Adds further columns that are counts.
    pub(crate) fn add_counts<'a>(&mut self, counts: impl IntoIterator<Item = (&'a str, u64)>) {
        self.add_columns(counts.into_iter().map(|(name, count)| (name, count as f64)));
    }

    /// A share of `ns` per item, if any was done.
    pub(crate) fn per_op(&self, ns: u64) -> Option<f64> {
        (self.completed > 0).then(|| ns as f64 / self.completed as f64)
    }

    /// Millions of items per second.
    pub(crate) fn mops(&self) -> Option<f64> {
        (self.wall_ns > 0).then(|| self.completed as f64 * 1000.0 / self.wall_ns as f64)
    }

    /// The peak of memory in MiB.
    pub(crate) fn peak_mib(&self) -> Option<f64> {
        self.peak_bytes.map(|bytes| bytes as f64 / f64::from(1 << 20))
    }
}

/// One of the scenarios.
pub(crate) trait Scenario: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it shows, in a sentence or two, printed above its table.
    fn about(&self) -> &'static str;

    /// Its rows. `quick`: fewer and smaller ones, for a first look and for CI.
    fn rows(&self, quick: bool) -> Vec<Row>;

    /// Runs one row once, in the calling process, and verifies it. Memory is filled in by the
    /// caller.
    ///
    /// # Errors
    ///
    /// What kept the row from being run. A wrong result is no error but an INVALID sample.
    fn measure(&self, row: &Row) -> Result<Sample, String>;

    /// How long one run of `row` may take before it is killed and called HUNG.
    fn limit(&self, _row: &Row) -> Duration {
        Duration::from_secs(120)
    }

    /// Whether one run says it all, with nothing to be had from a warm-up and repeats.
    fn is_single(&self) -> bool {
        false
    }

    /// What the document's harness did differently, printed with `--as-published`.
    fn as_published(&self) -> Option<&'static str> {
        None
    }
}
