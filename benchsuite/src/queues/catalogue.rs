//! The scenarios as `scenarios.toml` describes them, and the cases that its entries stand for.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use heist_queue::{IdleKind, QueueKind};
use serde::Deserialize;
use serde_json::Value;

use crate::markdown::line;
use crate::queues::case::{Case, Load};
use crate::queues::scenario;
use crate::record::Corpus;

/// Every scenario, the hidden ones included.
static ALL: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("scenarios.toml")).expect("it is tested");
    file.scenario
});

#[derive(Deserialize)]
struct File {
    scenario: Vec<Scenario>,
}

/// A scenario.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// The scenario's name on the command line.
    pub(crate) name: String,
    /// What it shows.
    about: String,
    /// How the document's harness differs.
    as_published: Option<String>,
    /// Whether it is found by name only.
    #[serde(default)]
    hidden: bool,
    /// Whether one run is enough, without warm-up and repeats.
    #[serde(default)]
    pub(crate) single: bool,
    /// How long one run may take before it is killed, in seconds.
    limit_s: Option<u64>,
    /// The systems of entries that name none.
    #[serde(default)]
    systems: Vec<String>,
    cases: Vec<Load>,
}

/// The scenarios that are listed.
pub(crate) fn listed() -> impl Iterator<Item = &'static Scenario> {
    ALL.iter().filter(|scenario| !scenario.hidden)
}

/// The scenario called `name`.
pub(crate) fn by_name(name: &str) -> Option<&'static Scenario> {
    ALL.iter().find(|scenario| scenario.name == name)
}

impl Scenario {
    /// The scenario as a record describes it.
    pub(crate) fn corpus(&self) -> Corpus {
        Corpus {
            name: self.name.clone(),
            about: line(&self.about),
            as_published: self.as_published.as_deref().map(line),
            ..Corpus::default()
        }
    }

    /// How long one run of `case` may take before it is killed.
    pub(crate) fn limit(&self, case: &Case) -> Duration {
        let seeds = Duration::from_millis(200) * case.number("seeds") as u32;
        Duration::from_secs(self.limit_s.unwrap_or(120)) + seeds
    }

    /// The scenario's cases; with `quick`, fewer and smaller ones, for a first look and for CI.
    pub(crate) fn cases(&self, quick: bool) -> Vec<Case> {
        let entries = self.cases.iter().filter_map(|entry| instead(entry, quick));
        let loads = entries.flat_map(varied).flat_map(product);
        let cases = loads.flat_map(|load| self.cases_of(load)).filter_map(scenario::fitted);
        let mut seen = BTreeSet::new();
        // What differs in the words only is the same.
        let identity = |case: &Case| {
            let Case { system, policy, threads, size, load, .. } = case;
            format!("{system} {policy:?} {threads} {size} {load:?}")
        };
        cases.filter(|case| seen.insert(identity(case))).collect()
    }

    /// A case for each system of a load in which every key has one value.
    fn cases_of(&self, mut load: Load) -> Vec<Case> {
        let mut strings = |name| serde_json::from_value(load.remove(name)?).ok();
        let systems: Vec<String> = strings("systems").unwrap_or_else(|| self.systems.clone());
        let alone = strings("alone");
        let mut setup = load.remove("setup").as_ref().map(text).unwrap_or_default();
        let machine = machine();
        for value in load.values_mut() {
            if let Some((_, number)) = machine.iter().find(|(name, _)| *value == **name) {
                *value = Value::from(*number);
            }
        }
        let numbers = machine.map(|(name, number)| (name.to_owned(), Value::from(number)));
        for (name, value) in load.iter().chain(&Load::from_iter(numbers)) {
            setup = setup.replace(&format!("{{{name}}}"), &text(value));
        }
        let mut number = |name| load.remove(name).and_then(|value| value.as_u64()).unwrap_or(0);
        let (threads, size) = (number("threads"), number("size"));
        let systems = if threads == 1 { alone.unwrap_or(systems) } else { systems };
        let case = |(system, policy)| Case {
            scenario: self.name.clone(),
            setup: setup.replace("{s}", if threads == 1 { "" } else { "s" }),
            system,
            policy,
            threads: threads as usize,
            size,
            verify: false,
            load: load.clone(),
        };
        systems.iter().flat_map(|system| named(system)).map(case).collect()
    }
}

/// What this machine has, by the names that stand for it: its cores; how many threads a pool with
/// its own producer needs for its work to keep them busy, and how many for its work to leave some
/// idle.
fn machine() -> [(&'static str, u64); 3] {
    let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
    // A producer and half as many consumers.
    let busy = 2 * (cores - 1).max(1);
    [("cores", cores), ("busy", busy), ("part_busy", if cores > 2 { cores } else { 1 })]
}

/// `entry` with what `--quick` replaces, unless it is left out.
fn instead(entry: &Load, quick: bool) -> Option<Load> {
    let mut entry = entry.clone();
    match entry.remove("quick") {
        Some(Value::Bool(false)) if quick => return None,
        Some(Value::Object(keys)) if quick => entry.extend(keys),
        _ => {}
    }
    Some(entry)
}

/// `entry` with each row of its `vary`.
fn varied(mut entry: Load) -> Vec<Load> {
    let Some(Value::Array(rows)) = entry.remove("vary") else { return vec![entry] };
    let with = |row: &Value| {
        let mut entry = entry.clone();
        entry.extend(row.as_object().cloned().unwrap_or_default());
        entry
    };
    rows.iter().map(with).collect()
}

/// `entry` with each value of each key that has several.
fn product(entry: Load) -> Vec<Load> {
    entry.into_iter().fold(vec![Load::new()], |loads, (key, value)| {
        let values = match value {
            Value::Array(values) if !["systems", "alone"].contains(&key.as_str()) => values,
            value => vec![value],
        };
        let with = |value: &Value, load: &Load| {
            let mut load = load.clone();
            load.insert(key.clone(), value.clone());
            load
        };
        values.iter().flat_map(|value| loads.iter().map(move |load| with(value, load))).collect()
    })
}

/// The systems and policies that `SYSTEM/POLICY` stands for.
fn named(spec: &str) -> Vec<(String, Option<String>)> {
    let each = |name: &str, every: &[&str], default: &str| -> Vec<String> {
        match name {
            "default" => vec![default.to_owned()],
            name if name.starts_with('*') => {
                every.iter().map(|one| name.replacen('*', one, 1)).collect()
            }
            name => vec![name.to_owned()],
        }
    };
    let queues = |name| each(name, QueueKind::NAMES, QueueKind::default().name());
    let Some((queue, policy)) = spec.split_once('/') else {
        return queues(spec).into_iter().map(|name| (name, None)).collect();
    };
    let policies = each(policy, IdleKind::NAMES, IdleKind::default().name());
    let with =
        |queue: String| policies.iter().map(move |policy| (queue.clone(), Some(policy.clone())));
    queues(queue).into_iter().flat_map(with).collect()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
