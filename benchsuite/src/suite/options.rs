//! The command line of `benchsuite walk`, `search` and `index`.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use heist_queue::{IdleKind, MAX_WORKERS, QueueKind, UnknownName};

use crate::corpora::{self, Corpus};
use crate::machine;
use crate::record::{Method, RecordKind, WALKER, default_threads};
use crate::shared_queue::SharedQueue;
use crate::suite::plan::Choice;
use crate::suite::tasks::{QUERIES, Task, Work, queries, tasks_of};
use crate::suite::tools::{Installed, Rival, named, rivals};

/// The numbers of threads that are tried by default, as in the published documents.
const THREADS_TRIED: [usize; 9] = [1, 2, 4, 6, 8, 12, 16, 24, 32];

/// The arguments of `benchsuite walk`, `search` and `index`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SuiteOptions {
    /// What is searched, by the names of `benchsuite corpora list` [default: sample]
    #[arg(value_name = "CORPUS")]
    corpora: Vec<String>,

    /// A tree or file of your own to search; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(super) path: Vec<PathBuf>,

    /// Numbers of threads, separated by commas [default: walk: 1,2,4,6,8,12,16,24,32; others: each
    /// tool's own]
    #[arg(short = 'j', long, value_name = "LIST", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=MAX_WORKERS as i64))]
    threads: Vec<u16>,

    /// Queues of hs, separated by commas, or `all`; `deque reserve` is one with another way of
    /// sharing, eager, lazy, reserve or request [default: walk: all; others: the default queue]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = name::<SharedQueue>)]
    queue: Vec<String>,

    /// Idle policies of hs, separated by commas, or `all` [default: the default policy]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = name::<IdleKind>)]
    idle: Vec<String>,

    /// Tasks, separated by commas; `queries`: 102 searches by readers of a kernel [default: all
    /// others; see `--list`]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) task: Vec<String>,

    /// Rivals, separated by commas, or `none`; `walker` is heist's walker alone, without printing
    /// [default: all that are installed, those with an index only for `index`; see `--list`]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) tools: Vec<String>,

    /// Timed runs of each command [default: 7, up to 14 where they vary by over 5 %; quick: 3, up
    /// to 9, and no more than fit into a minute]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repeats: Option<u16>,

    /// Runs of each command for memory and context switches [default: 3; quick: 1]
    #[arg(long, value_name = "N")]
    cost_runs: Option<u16>,

    /// Fewer threads and fewer runs
    #[arg(long)]
    quick: bool,

    /// Drop the page cache before each run; only root may
    #[arg(long)]
    pub(crate) cold: bool,

    /// Where the corpora are [default: see `benchsuite corpora --help`]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// The hs to measure [default: the one beside this program; started by cargo, it is built
    /// before]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) hs: Option<PathBuf>,

    /// Where the record goes [default: benchsuite/records/ or here, with the date in its name]
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Where the report goes [default: beside the record]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Show tasks and tools, and measure nothing
    #[arg(long)]
    pub(crate) list: bool,
}

/// The name of a `T`, or `all`.
fn name<T: FromStr<Err = UnknownName>>(text: &str) -> Result<String, String> {
    let known = if text == "all" { Ok(()) } else { text.parse::<T>().map(drop) };
    known.map(|()| text.to_owned()).map_err(|error| error.to_string())
}

/// The names that were given, each once, or `all` of them.
fn names(given: &[String], all: &[&str]) -> Vec<String> {
    if given.iter().any(|name| name == "all") {
        return all.iter().map(|&name| name.to_owned()).collect();
    }
    let is_first = |&(index, name): &(usize, &String)| !given[..index].contains(name);
    given.iter().enumerate().filter(is_first).map(|(_, name)| name.clone()).collect()
}

impl SuiteOptions {
    /// What is measured if nothing is typed at all.
    pub(crate) fn first_look() -> SuiteOptions {
        SuiteOptions { quick: true, ..SuiteOptions::default() }
    }

    /// The tasks that were named, or all.
    pub(crate) fn tasks(&self, kind: RecordKind) -> io::Result<Vec<&'static Task>> {
        let known = || tasks_of(kind).iter().map(|task| (&*task.name, task));
        if self.task.is_empty() {
            // Only the walker and the floor can read without searching.
            let is_wanted = |task: &&Task| self.has_walker() || task.work != Work::ReadAll;
            return Ok(tasks_of(kind).iter().filter(is_wanted).collect());
        }
        let mut tasks = Vec::new();
        for name in &self.task {
            if kind == RecordKind::Search && name == QUERIES {
                tasks.extend(queries());
            } else {
                tasks.push(named("task", name, known())?);
            }
        }
        Ok(tasks)
    }

    /// Whether heist's walker is measured alone.
    pub(crate) fn has_walker(&self) -> bool {
        self.tools.iter().any(|name| name == WALKER)
    }

    /// The rivals that were named, or all: those with an index only where indexes are measured.
    pub(crate) fn rivals(&self, kind: RecordKind) -> io::Result<Vec<&'static Rival>> {
        if self.tools.is_empty() {
            let takes_part = |rival: &&Rival| kind == RecordKind::Index || rival.index.is_none();
            return Ok(rivals().iter().filter(takes_part).collect());
        }
        let all = rivals().iter().map(|rival| (&*rival.name, Some(rival)));
        let all = || all.clone().chain([(WALKER, None), ("none", None)]);
        let found = self.tools.iter().map(|name| named("tool", name, all()));
        found.filter_map(Result::transpose).collect()
    }

    /// What rows are made of, with heist and its rivals where they are installed.
    pub(crate) fn choice(
        &self,
        kind: RecordKind,
        cores: usize,
        heist: Installed,
        rivals: Vec<Installed>,
    ) -> Choice {
        let walks_all = self.queue.is_empty() && kind == RecordKind::Walk;
        let queues = if walks_all { &["all".to_owned()] } else { &*self.queue };
        Choice {
            heist,
            queues: names(queues, QueueKind::NAMES),
            idles: names(&self.idle, IdleKind::NAMES),
            threads: self.threads(kind, cores),
            rivals,
            walker: self.has_walker(),
            floor: None,
            cores,
            words: PathBuf::new(),
        }
    }

    /// The corpora that were named, or the sample, which is made if it is missing.
    pub(crate) fn corpora(&self) -> io::Result<Vec<Corpus>> {
        let home = self.dir.clone().map_or_else(corpora::home, Ok)?;
        let none = self.corpora.is_empty() && self.path.is_empty();
        let names = self.corpora.iter().map(String::as_str).chain(none.then_some("sample"));
        let named = names.map(|name| corpora::open(&home, name));
        named.chain(self.path.iter().map(|path| corpora::at(path))).collect()
    }

    /// The numbers of threads to try with each queue; by default what `hs` starts is among them.
    fn threads(&self, kind: RecordKind, cores: usize) -> Vec<usize> {
        let threads: BTreeSet<usize> = match kind {
            _ if !self.threads.is_empty() => self.threads.iter().map(|&j| j.into()).collect(),
            RecordKind::Search | RecordKind::Index => BTreeSet::new(),
            _ if self.quick => [1, cores, 4 * cores].map(|j| j.min(MAX_WORKERS)).into(),
            _ => THREADS_TRIED.into_iter().chain([default_threads(cores)]).collect(),
        };
        threads.into_iter().collect()
    }

    /// How it is measured; `timer` is what takes the times.
    pub(crate) fn method(&self, timer: String) -> Method {
        let (repeats, most, cost_runs) = if self.quick { (3, 9, 1) } else { (7, 14, 3) };
        Method {
            repeats: self.repeats.unwrap_or(repeats).into(),
            most_repeats: self.repeats.unwrap_or(most).into(),
            cost_runs: self.cost_runs.unwrap_or(cost_runs).into(),
            seed: machine::seed_by_clock(),
            timer,
            quick: self.quick,
        }
    }
}
