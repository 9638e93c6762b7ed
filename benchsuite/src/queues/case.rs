//! A case of a scenario: what is to be measured, as it travels to a child process.

use std::collections::BTreeMap;
use std::time::Duration;

use heist_queue::{IdleKind, QueueKind, UnknownName};
use serde::{Deserialize, Serialize};

use crate::meter::Sample;
use crate::record;

/// The number that is 1 in the warm-up run, whose time does not matter, so that a scenario may
/// check more in it than a timed run can afford.
pub(crate) const VERIFY: &str = "verify";

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Case {
    /// The scenario's name.
    pub(crate) scenario: String,
    /// What distinguishes it from other set-ups of the scenario: `8 thieves, 2 victims`, `25 %`.
    pub(crate) setup: String,
    /// The system under test: a queue, a library, or a stage of reclamation.
    pub(crate) system: String,
    /// The idle policy, where there is a choice.
    pub(crate) policy: Option<String>,
    /// Threads that work, producers not included.
    pub(crate) threads: usize,
    /// How many items, operations or nodes.
    pub(crate) size: u64,
    /// Further numbers for the scenario: `victims`, `percent`, `cost_ns`, `producers`. The runner
    /// sets [`VERIFY`] in the warm-up run, and `seeds` to the value of `--seeds`.
    pub(crate) numbers: BTreeMap<String, u64>,
}

impl Case {
    /// A case without policy and further numbers.
    pub(crate) fn new(
        scenario: &str,
        setup: impl Into<String>,
        system: impl Into<String>,
        threads: usize,
        size: u64,
    ) -> Case {
        Case {
            scenario: scenario.to_owned(),
            setup: setup.into(),
            system: system.into(),
            policy: None,
            threads,
            size,
            numbers: BTreeMap::new(),
        }
    }

    /// With further numbers.
    pub(crate) fn with<'a>(self, numbers: impl IntoIterator<Item = (&'a str, u64)>) -> Case {
        let numbers = numbers.into_iter().map(|(name, number)| (name.to_owned(), number));
        Case { numbers: numbers.collect(), ..self }
    }

    /// With an idle policy, where there is a choice.
    pub(crate) fn policy(self, policy: Option<&str>) -> Case {
        Case { policy: policy.map(str::to_owned), ..self }
    }

    /// The number called `name`, or 0.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// The queue under test; an error if the system is no queue.
    pub(crate) fn queue(&self) -> Result<QueueKind, String> {
        self.system.parse().map_err(|error: UnknownName| error.to_string())
    }

    /// The idle policy; an error if there is none of this name.
    pub(crate) fn idle_policy(&self) -> Result<IdleKind, String> {
        let policy = self.policy.as_deref().unwrap_or_default();
        policy.parse().map_err(|error: UnknownName| error.to_string())
    }

    /// Its row of the record, with nothing measured yet.
    pub(crate) fn row(&self) -> record::Row {
        record::Row {
            tool: self.system.clone(),
            idle: self.policy.clone(),
            threads: Some(self.threads),
            producers: self.number("producers") as usize,
            ..record::Row::default()
        }
    }
}

/// One of the scenarios.
pub(crate) trait Scenario: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it shows, for the text above its table.
    fn about(&self) -> &'static str;

    /// Its cases; `quick`: fewer and smaller ones, for a first look and for CI.
    fn cases(&self, quick: bool) -> Vec<Case>;

    /// Runs a case once, in the calling process, and verifies it; the caller fills in the peak
    /// memory. An error means that it could not be run. A wrong result is an invalid sample.
    fn measure(&self, case: &Case) -> Result<Sample, String>;

    /// How long one run may take before it is killed.
    fn limit(&self, _case: &Case) -> Duration {
        Duration::from_secs(120)
    }

    /// Whether one run is enough, without warm-up and repeats.
    fn is_single(&self) -> bool {
        false
    }

    /// How the document's harness differs, for `--as-published`.
    fn as_published(&self) -> Option<&'static str> {
        None
    }
}
