//! One walk of one tree in this process: what it visited and what it cost.

use std::{env, path::PathBuf, thread};

use heist_filter::{Environment, Filter, FilterConfig as Rules};
use heist_queue::{IdleKind, QueueKind, Stop, UnknownName};
use heist_walk::{Report, Root, WalkConfig};
use serde::{Deserialize, Serialize};

use crate::meter::{Meter, Sample};
use crate::walker::tally::Tally;

/// How long the rest of a directory must be to be shared where files are only counted; as in `hs`.
const LISTED_SLICE: usize = 1024;

/// What a walk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mode {
    /// Visits every entry, as `hs --files -uu` does except for printing.
    All,
    /// Visits the entries that are not ignored, as `hs --files` does except for printing.
    Ignore,
    /// Visits every entry and reads every file, without searching it.
    Read,
}

/// A walk to be measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Walk {
    pub(crate) mode: Mode,
    /// The queue's name; a single worker uses none.
    pub(crate) queue: String,
    /// The idle policy's name.
    pub(crate) idle: String,
    pub(crate) threads: usize,
    pub(crate) path: PathBuf,
}

impl Walk {
    /// Walks the tree. Errors of single paths are counted, not returned.
    pub(crate) fn run(&self) -> Result<Sample, String> {
        let unknown = |error: UnknownName| error.to_string();
        let queue: QueueKind = self.queue.parse().map_err(unknown)?;
        let idle: IdleKind = self.idle.parse().map_err(unknown)?;
        let filter = Filter::new(rules(self.mode)?).map_err(|error| error.to_string())?;
        let config = self.config(queue, idle);
        let reads = self.mode == Mode::Read;
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
        add_counts(&mut sample, &report);
        let mut tally = Tally::new(false);
        report.visitors.into_iter().for_each(|visitor| tally.add(visitor));
        tally.report(&mut sample);
        Ok(sample)
    }

    fn config(&self, queue: QueueKind, idle: IdleKind) -> WalkConfig {
        let defaults = WalkConfig::default();
        WalkConfig {
            roots: vec![Root::Path(self.path.clone())],
            workers: self.threads,
            // Looked up beforehand, as `hs` does.
            cores: thread::available_parallelism().ok(),
            queue,
            idle,
            slice: if self.mode == Mode::Read { defaults.slice } else { LISTED_SLICE },
            ..defaults
        }
    }
}

fn add_counts(sample: &mut Sample, report: &Report<Tally>) {
    sample.add_counts([
        ("steals", report.queue.steals),
        ("moved", report.queue.moved),
        ("contended", report.queue.contended),
        ("overflowed", report.queue.overflowed),
        ("parks", report.idle.parks),
        ("wakes", report.idle.wakes),
        ("spurious", report.idle.spurious),
        ("items", report.items),
        ("threads_started", report.threads_started as u64),
    ]);
}

/// The rules that `hs` applies in this mode: without any flag, or with `-uu`.
fn rules(mode: Mode) -> Result<Rules, String> {
    let cwd = env::current_dir().map_err(|error| format!("the current directory: {error}"))?;
    if mode != Mode::Ignore {
        return Ok(Rules { cwd, hidden: true, ..Rules::default() });
    }
    let path = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    Ok(Rules {
        cwd,
        dot: true,
        vcs: true,
        exclude: true,
        global: true,
        parents: true,
        require_git: true,
        environment: Environment {
            home: path("HOME"),
            xdg_config_home: path("XDG_CONFIG_HOME"),
            git_config_global: path("GIT_CONFIG_GLOBAL"),
            git_config_system: path("GIT_CONFIG_SYSTEM"),
        },
        ..Rules::default()
    })
}
