//! heist's walker alone, inside this program: nothing is printed, matched or started but the walk.

mod tally;
#[cfg(test)]
mod tests;

use std::{env, path::PathBuf, thread};

use heist_filter::{Environment, Filter, FilterConfig};
use heist_queue::{Stop, UnknownName};
use heist_walk::{Root, WalkConfig};
use serde::{Deserialize, Serialize};

use crate::meter::Meter;
use crate::shared_queue::SharedQueue;
use crate::turns::Run;
use crate::walker::tally::Tally;

/// How long the rest of a directory must be to be shared where files are only counted; as in `hs`.
const LISTED_SLICE: usize = 1024;

/// What a walk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WalkMode {
    /// Visits every entry, as `hs --files -uu` does except for printing.
    All,
    /// Visits the entries that are not ignored, as `hs --files` does except for printing.
    Ignore,
    /// Visits every entry and reads every file, without searching it.
    Read,
}

/// A walk of a tree, to be measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MeasuredWalk {
    pub(crate) mode: WalkMode,
    /// The queue's name, perhaps with a way of sharing; a single worker uses none.
    pub(crate) queue: String,
    /// The idle policy's name.
    pub(crate) idle: String,
    pub(crate) threads: usize,
    pub(crate) path: PathBuf,
}

impl MeasuredWalk {
    /// Walks the tree. Errors of single paths are counted, not returned.
    pub(crate) fn run(&self) -> Result<Run, String> {
        let unknown = |error: UnknownName| error.to_string();
        let reads = self.mode == WalkMode::Read;
        let defaults = WalkConfig::default();
        let SharedQueue { queue, sharing } = self.queue.parse().map_err(unknown)?;
        let config = WalkConfig {
            roots: vec![Root::Path(self.path.clone())],
            workers: self.threads,
            // Looked up beforehand, as `hs` does.
            cores: thread::available_parallelism().ok(),
            queue,
            sharing: sharing.unwrap_or_default(),
            idle: self.idle.parse().map_err(unknown)?,
            slice: if reads { defaults.slice } else { LISTED_SLICE },
            ..defaults
        };
        let filter = Filter::new(rules(self.mode)?).map_err(|error| error.to_string())?;
        let meter = Meter::start()?;
        let report = heist_walk::walk(&config, &filter, |_| Tally::new(reads))
            .map_err(|panicked| panicked.to_string())?;
        let mut sample = meter.stop(report.threads_started as u64)?;
        if report.stop != Stop::Done {
            return Err("the walk ended early".to_owned());
        }
        let (workers, wanted) = (report.workers, self.threads);
        if workers != wanted {
            return Err(format!("{workers} workers instead of {wanted}: descriptors are scarce"));
        }
        let tally = report.visitors.into_iter().reduce(Tally::and).unwrap_or_default();
        sample.add_counts(tally.counts());
        sample.add_queue_counts(&report.queue);
        sample.add_idle_counts(&report.idle);
        let threads = report.threads_started as u64;
        sample.add_counts([("items", report.items), ("threads_started", threads)]);
        let outcome = tally.outcome();
        (sample.expected, sample.completed) = (outcome.lines, outcome.lines);
        Ok(Run { result: Some(outcome), note: tally.first_error, ..Run::from(sample) })
    }
}

/// The rules that `hs` applies in this mode: without any flag, or with `-uu`.
fn rules(mode: WalkMode) -> Result<FilterConfig, String> {
    if mode != WalkMode::Ignore {
        return Ok(FilterConfig::everything());
    }
    let cwd = env::current_dir().map_err(|error| format!("the current directory: {error}"))?;
    let environment = Environment::from_variables(|name| env::var_os(name));
    Ok(FilterConfig { environment, ..FilterConfig::standard(cwd) })
}
