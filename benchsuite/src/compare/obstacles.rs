//! What makes two times incomparable: another machine, another tree, another rival, another result.

use crate::machine::Machine;
use crate::record::{HEIST, Outcome, Record};

/// Kernels reserve slightly different amounts of memory.
const SAME_MEMORY: f64 = 0.05;

/// Differences between two machines or their configuration; not their load.
pub(super) fn of_machines(old: &Machine, new: &Machine) -> Vec<String> {
    let unknown = || "unknown".to_owned();
    let known = |fact: &Option<String>| fact.clone().unwrap_or_else(unknown);
    let facts = [
        ("system", old.system.clone(), new.system.clone()),
        ("cores", old.cores.to_string(), new.cores.to_string()),
        ("processor", known(&old.cpu), known(&new.cpu)),
        ("kernel", known(&old.kernel), known(&new.kernel)),
        ("governor", known(&old.governor), known(&new.governor)),
    ];
    let differing = facts.into_iter().filter(|(_, old, new)| old != new);
    let mut found: Vec<String> = differing
        .map(|(name, old, new)| format!("machine: {name} {new} instead of {old}"))
        .collect();
    if let (Some(old), Some(new)) = (old.memory_kib, new.memory_kib)
        && old.abs_diff(new) as f64 > SAME_MEMORY * old.max(new) as f64
    {
        found.push(format!("machine: {} MiB instead of {}", new / 1024, old / 1024));
    }
    found
}

/// Differences between the corpora of two records under one name.
pub(super) fn of_corpora(old: &Record, new: &Record, name: &str) -> Vec<String> {
    let find = |record: &Record| record.corpora.iter().find(|corpus| corpus.name == name).cloned();
    let (Some(before), Some(after)) = (find(old), find(new)) else {
        return vec![format!("corpus: a record does not say what {name} holds")];
    };
    let shape = after.shape.difference(&before.shape);
    let mut found: Vec<String> = shape.map(|why| format!("corpus: {why}")).into_iter().collect();
    if before.file_system != after.file_system {
        let known = |name: Option<String>| name.unwrap_or_else(|| "unknown".to_owned());
        let (before, after) = (known(before.file_system), known(after.file_system));
        found.push(format!("corpus: on {after} instead of {before}"));
    }
    found
}

/// Whether a rival has another version. `hs` may have one, since that is the question, and so may
/// the floor, which has no version of its own.
pub(super) fn of_tools(old: &Record, new: &Record, name: &str) -> Option<String> {
    let version = |record: &Record| {
        let tool = record.tools.iter().find(|tool| tool.name == name);
        tool.map_or("unknown", |tool| tool.version.as_str()).to_owned()
    };
    let (before, after) = (version(old), version(new));
    (name != HEIST && before != after).then(|| format!("version: {after} instead of {before}"))
}

/// How the result of a command differs, as far as both are known.
pub(super) fn of_results(old: Option<Outcome>, new: Option<Outcome>) -> Option<String> {
    let (old, new) = (old?, new?);
    if old.lines != new.lines {
        return Some(format!("{} lines instead of {}", new.lines, old.lines));
    }
    (old.digest != new.digest).then(|| "as many lines, but others".to_owned())
}
