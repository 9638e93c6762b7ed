//! A case of a scenario: what is to be measured, as it travels to a child process.

use heist_queue::{IdleKind, QueueKind, UnknownName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::record;
use crate::shared_queue::SharedQueue;

/// Numbers and words by name.
pub(crate) type Load = Map<String, Value>;

/// What is to be measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Whether this is the warm-up run. Its time does not matter, so a scenario may check more in
    /// it than a timed run can afford.
    pub(crate) verify: bool,
    /// What else the scenario needs to know: `victims`, `percent`, `cost_ns`, `producers`.
    pub(crate) load: Load,
}

impl Case {
    /// The number called `name`, or 0.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.load.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Everything that only this scenario needs to know; an error if something is missing.
    pub(crate) fn load<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_value(Value::Object(self.load.clone()))
            .map_err(|error| format!("{}, {}: {error}", self.scenario, self.setup))
    }

    /// The queue under test, whatever it shares; an error if the system is no queue.
    pub(crate) fn queue(&self) -> Result<QueueKind, String> {
        Ok(self.shared_queue()?.queue)
    }

    /// The queue under test, with its way of sharing; an error if the system is no queue.
    pub(crate) fn shared_queue(&self) -> Result<SharedQueue, String> {
        self.system.parse().map_err(|error: UnknownName| error.to_string())
    }

    /// The idle policy; an error if there is none of this name.
    pub(crate) fn idle_policy(&self) -> Result<IdleKind, String> {
        let policy = self.policy.as_deref().unwrap_or_default();
        policy.parse().map_err(|error: UnknownName| error.to_string())
    }

    /// The case's row in the record, with nothing measured yet.
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
