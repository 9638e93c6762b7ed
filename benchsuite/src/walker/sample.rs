//! One walk of one tree, in a process of its own: what it saw and what it cost.

use std::{env, io, path::PathBuf, thread};

use clap::Args;
use heist_filter::{Environment, Filter, FilterConfig as Rules};
use heist_queue::{IdleKind, QueueKind, Stop};
use heist_walk::{Report, Root, WalkConfig};
use serde::{Deserialize, Serialize};

use crate::{
    queues::{
        meter::{Meter, peak_bytes},
        row::Sample,
    },
    walker::{
        plan::{Configuration, Mode, System},
        tally::{Counts, Tally},
    },
};

/// How long the rest of a directory must be to be shared where files are only counted; as in `hs`.
const LISTED_SLICE: usize = 1024;

/// The arguments of the hidden command that a sample is.
#[derive(Clone, Debug, Args)]
pub(crate) struct Task {
    /// What to do
    #[arg(long, value_enum)]
    mode: Mode,

    /// With how many threads
    #[arg(long)]
    threads: usize,

    /// By which queue
    #[arg(long)]
    queue: QueueKind,

    /// By which idle policy
    #[arg(long)]
    idle: IdleKind,

    /// Do the least possible work instead
    #[arg(long)]
    floor: bool,

    /// The tree
    path: PathBuf,
}

impl Task {
    /// One sample of a configuration.
    pub(crate) fn new(configuration: &Configuration, mode: Mode, path: PathBuf) -> Task {
        let (queue, idle) = match configuration.system {
            System::Crew(queue, idle) => (queue, idle),
            System::Alone | System::Floor => (QueueKind::Stack, IdleKind::default()),
        };
        let floor = configuration.system == System::Floor;
        Task { mode, threads: configuration.threads, queue, idle, floor, path }
    }

    /// What has to be typed for it, after the name of the command.
    pub(crate) fn arguments(&self) -> Vec<std::ffi::OsString> {
        let threads = self.threads.to_string();
        let mut all: Vec<std::ffi::OsString> = vec![
            "--mode".into(),
            self.mode.name().into(),
            "--threads".into(),
            threads.into(),
            "--queue".into(),
            self.queue.name().into(),
            "--idle".into(),
            self.idle.name().into(),
        ];
        if self.floor {
            all.push("--floor".into());
        }
        all.push("--".into());
        all.push(self.path.clone().into());
        all
    }

    /// Does it, in this process.
    ///
    /// # Errors
    ///
    /// Whatever keeps the walk from being what it should be. What a path has against being walked
    /// is counted instead.
    pub(crate) fn run(&self) -> Result<Outcome, String> {
        if self.floor { self.run_floor() } else { self.run_walk() }
    }

    fn run_walk(&self) -> Result<Outcome, String> {
        let filter = Filter::new(rules(self.mode)?).map_err(|error| error.to_string())?;
        let config = self.config();
        let reads = self.mode == Mode::Read;
        let meter = Meter::start()?;
        let report = heist_walk::walk(&config, &filter, |_| Tally::new(reads))
            .map_err(|panicked| panicked.to_string())?;
        let mut sample = meter.stop(report.threads_started as u64)?;
        sample.peak_bytes = peak_bytes();
        if report.stop != Stop::Done {
            return Err("the walk ended early".to_owned());
        }
        let workers = report.workers;
        if workers != self.threads {
            let asked = self.threads;
            return Err(format!("{workers} workers instead of {asked}: descriptors are scarce"));
        }
        add_columns(&mut sample, &report);
        let mut tally = Tally::new(false);
        for visitor in report.visitors {
            tally.add(visitor);
        }
        sample.columns.insert("bytes".to_owned(), tally.bytes as f64);
        Ok(Outcome { counts: tally.counts(), first_error: tally.first_error, sample })
    }

    fn config(&self) -> WalkConfig {
        let defaults = WalkConfig::default();
        WalkConfig {
            roots: vec![Root::Path(self.path.clone())],
            workers: self.threads,
            // Asked for beforehand, as `hs` does.
            cores: thread::available_parallelism().ok(),
            queue: self.queue,
            idle: self.idle,
            slice: if self.mode == Mode::Read { defaults.slice } else { LISTED_SLICE },
            ..defaults
        }
    }

    #[cfg(target_os = "linux")]
    fn run_floor(&self) -> Result<Outcome, String> {
        let say = |error: io::Error| error.to_string();
        let work = if self.mode == Mode::Read { crate::Work::Read } else { crate::Work::List };
        let threads = self.threads.try_into().map_err(|_| "no threads".to_owned())?;
        // The floor follows no link, not even to its root.
        let root = self.path.canonicalize().map_err(say)?;
        let out = std::fs::File::options().write(true).open("/dev/null").map_err(say)?;
        let meter = Meter::start()?;
        let total = crate::floor::run(&root, work, threads, &out).map_err(say)?;
        let mut sample = meter.stop(self.threads as u64)?;
        sample.peak_bytes = peak_bytes();
        sample.columns.insert("threads_started".to_owned(), self.threads as f64);
        sample.columns.insert("bytes".to_owned(), total.bytes as f64);
        let counts = Counts { files: total.files, ..Counts::default() };
        Ok(Outcome { counts, first_error: None, sample })
    }

    #[cfg(not(target_os = "linux"))]
    fn run_floor(&self) -> Result<Outcome, String> {
        Err("the floor is measured on Linux only".to_owned())
    }
}

/// What came of a sample; travels between processes as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// What it saw.
    pub(crate) counts: Counts,
    /// The first thing that a worker could not walk or read, if there was any.
    pub(crate) first_error: Option<String>,
    /// What it cost.
    pub(crate) sample: Sample,
}

fn add_columns(sample: &mut Sample, report: &Report<Tally>) {
    let columns = [
        ("steals", report.queue.steals),
        ("moved", report.queue.moved),
        ("contended", report.queue.contended),
        ("overflowed", report.queue.overflowed),
        ("parks", report.idle.parks),
        ("wakes", report.idle.wakes),
        ("spurious", report.idle.spurious),
        ("items", report.items),
        ("threads_started", report.threads_started as u64),
    ];
    sample.columns.extend(columns.map(|(name, value)| (name.to_owned(), value as f64)));
}

/// What `hs` honours in this mode: without any flag, or with `-uu`.
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

#[cfg(test)]
mod tests;
