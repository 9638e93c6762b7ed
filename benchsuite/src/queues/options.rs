//! The command line of `benchsuite queues`, and which cases it selects.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::files::unknown;
use crate::queues::case::Case;
use crate::queues::catalogue::{self, Scenario};

/// The arguments of `benchsuite queues`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct QueuesOptions {
    /// The scenarios [default: all; see --list]
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<String>,

    /// Fewer and smaller rows, 3 repeats, and no more of them than fit into two minutes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Only these queues and other systems
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) queue: Vec<String>,

    /// Only these idle policies
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) idle: Vec<String>,

    /// Only rows with so many threads
    #[arg(short = 'j', long, value_name = "N", value_delimiter = ',')]
    pub(crate) threads: Vec<usize>,

    /// Runs of each row that count [default: 11, up to 22 where they vary by over 5 %; quick: 3, up
    /// to 9]
    #[arg(long, value_name = "N")]
    pub(crate) repeats: Option<NonZeroUsize>,

    /// Seeds tried by rows that try seeds [default: 1000, or 20 if quick]
    #[arg(long, value_name = "N")]
    pub(crate) seeds: Option<NonZeroUsize>,

    /// What the order of runs is derived from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) order_seed: u64,

    /// Where the record goes, after each group of rows [default: benchsuite/records/ or here, with
    /// the date in its name]
    #[arg(long, value_name = "FILE", alias = "json")]
    pub(crate) record: Option<PathBuf>,

    /// List the scenarios; of those that are named, the rows too
    #[arg(long)]
    pub(crate) list: bool,
}

impl QueuesOptions {
    /// Runs of each row that count.
    pub(crate) fn repeats(&self) -> usize {
        self.repeats.map_or(if self.quick { 3 } else { 11 }, NonZeroUsize::get)
    }

    /// The most runs of a noisy row.
    pub(crate) fn most_repeats(&self) -> usize {
        self.repeats.map_or(if self.quick { 9 } else { 22 }, NonZeroUsize::get)
    }

    /// The scenarios that were named, or all that are listed.
    pub(crate) fn scenarios(&self) -> io::Result<Vec<&'static Scenario>> {
        if self.scenarios.is_empty() {
            return Ok(catalogue::listed().collect());
        }
        let known = || catalogue::listed().map(|scenario| scenario.name.as_str());
        let find = |name: &String| {
            catalogue::by_name(name).ok_or_else(|| unknown("scenario", name, known()))
        };
        self.scenarios.iter().map(find).collect()
    }

    /// The wanted cases. It is an error if there are none, or if a scenario, a queue or an idle
    /// policy was named that none has.
    pub(crate) fn cases(&self) -> io::Result<Vec<Case>> {
        let scenarios = self.scenarios()?.into_iter();
        let mut cases: Vec<Case> = scenarios.flat_map(|one| one.cases(self.quick)).collect();
        let QueuesOptions { queue, idle, threads, .. } = self;
        let systems: BTreeSet<&str> = cases.iter().map(|case| &*case.system).collect();
        let policies: BTreeSet<&str> =
            cases.iter().filter_map(|case| case.policy.as_deref()).collect();
        let is_known = |name: &&String| systems.iter().any(|system| is_called(system, name));
        if let Some(name) = queue.iter().find(|name| !is_known(name)) {
            return Err(unknown("queue", name, systems));
        }
        if let Some(name) = idle.iter().find(|name| !policies.contains(name.as_str())) {
            return Err(unknown("idle policy", name, policies));
        }
        cases.retain(|case| {
            (queue.is_empty() || queue.iter().any(|name| is_called(&case.system, name)))
                && (idle.is_empty() || case.policy.as_ref().is_some_and(|name| idle.contains(name)))
                && (threads.is_empty() || threads.contains(&case.threads))
        });
        if cases.is_empty() {
            return Err(io::Error::other("no row is selected; see --list SCENARIO"));
        }
        if let Some(seeds) = self.seeds {
            let tried = cases.iter_mut().filter_map(|case| case.load.get_mut("seeds"));
            tried.for_each(|number| *number = seeds.get().into());
        }
        Ok(cases)
    }
}

/// Whether `name` selects a system: by its own name, or by the name of the system that it is a
/// variant of, as `deque` selects `deque eager`.
fn is_called(system: &str, name: &str) -> bool {
    system.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
