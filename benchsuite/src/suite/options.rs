//! The command line of `benchsuite walk` and `benchsuite search`.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use heist_queue::{IdleKind, MAX_WORKERS, QueueKind, UnknownName};

use crate::corpora::{self, Corpus};
use crate::machine;
use crate::record::{Kind, Method, WALKER, default_threads};
use crate::suite::tasks::{Task, Work, tasks_of};
use crate::suite::tools::{Installed, Rival, rivals};

/// The numbers of threads that are tried by default: those of the published documents.
const THREADS: [usize; 9] = [1, 2, 4, 6, 8, 12, 16, 24, 32];

/// The command line.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Options {
    /// What is searched, by the names of `benchsuite corpora list` [default: sample]
    #[arg(value_name = "CORPUS")]
    corpora: Vec<String>,

    /// A tree or file of your own to search; may be given several times
    #[arg(long, value_name = "PATH")]
    path: Vec<PathBuf>,

    /// Numbers of threads, separated by commas [default: walk: 1,2,4,6,8,12,16,24,32; search: each
    /// tool's own]
    #[arg(short = 'j', long, value_name = "LIST", value_delimiter = ',', value_parser = threads)]
    threads: Vec<usize>,

    /// Queues of hs, separated by commas, or `all` [default: walk: all; search: the default queue]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = name::<QueueKind>)]
    queue: Vec<String>,

    /// Idle policies of hs, separated by commas, or `all` [default: the default policy]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = name::<IdleKind>)]
    idle: Vec<String>,

    /// Tasks, separated by commas [default: all; see `--list`]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    task: Vec<String>,

    /// Rivals, separated by commas, or `none`; `walker` is heist's walker alone, without printing
    /// [default: all that are installed; see `--list`]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tools: Vec<String>,

    /// Timed runs of each command [default: 7; quick: 3]
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

fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_WORKERS).contains(number));
    number.ok_or_else(|| format!("'{text}' is no number from 1 to {MAX_WORKERS}"))
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

/// Numbers of threads, ascending, each once.
fn ascending(threads: impl IntoIterator<Item = usize>) -> Vec<usize> {
    BTreeSet::from_iter(threads).into_iter().collect()
}

impl Options {
    /// What is measured if nothing is typed at all.
    pub(crate) fn first_look() -> Options {
        Options { quick: true, ..Options::default() }
    }

    /// The tasks that were named, or all.
    pub(crate) fn tasks(&self, kind: Kind) -> Result<Vec<&'static Task>, String> {
        let known = tasks_of(kind);
        if self.task.is_empty() {
            // Only the walker and the floor can read without searching.
            let is_wanted = |task: &&Task| self.has_walker() || task.work != Work::ReadAll;
            return Ok(known.iter().filter(is_wanted).collect());
        }
        let find = |name: &String| {
            known.iter().find(|task| &task.name == name).ok_or_else(|| {
                let names: Vec<&str> = known.iter().map(|task| &*task.name).collect();
                format!("unknown task '{name}', expected one of: {}", names.join(", "))
            })
        };
        self.task.iter().map(find).collect()
    }

    /// Whether heist's walker is measured alone.
    pub(crate) fn has_walker(&self) -> bool {
        self.tools.iter().any(|name| name == WALKER)
    }

    /// The wanted rivals that are installed, and a warning about each that was named and is not.
    pub(crate) fn rivals(&self, warnings: &mut Vec<String>) -> Result<Vec<Installed>, String> {
        if self.tools.is_empty() {
            return Ok(rivals().iter().filter_map(Rival::find).collect());
        }
        let mut found = Vec::new();
        for name in self.tools.iter().filter(|name| !["none", WALKER].contains(&name.as_str())) {
            let rival = rivals().iter().find(|rival| &rival.name == name).ok_or_else(|| {
                let names: Vec<&str> = rivals().iter().map(|rival| &*rival.name).collect();
                let names = names.join(", ");
                format!("unknown tool '{name}', expected one of: {names}, {WALKER}, none")
            })?;
            match rival.find() {
                Some(installed) => found.push(installed),
                None => warnings.push(format!("{name} is not installed")),
            }
        }
        Ok(found)
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
    pub(crate) fn threads(&self, kind: Kind, cores: usize) -> Vec<usize> {
        if !self.threads.is_empty() {
            return ascending(self.threads.iter().copied());
        }
        match kind {
            Kind::Search => Vec::new(),
            _ if self.quick => ascending([1, cores, (4 * cores).min(MAX_WORKERS)]),
            _ => ascending(THREADS.into_iter().chain([default_threads(cores)])),
        }
    }

    /// The queues of `hs` to measure besides its own choice.
    pub(crate) fn queues(&self, kind: Kind) -> Vec<String> {
        let is_default = self.queue.is_empty() && kind != Kind::Search;
        let given = if is_default { &["all".to_owned()] } else { &*self.queue };
        names(given, QueueKind::NAMES)
    }

    /// The idle policies to measure; none: the default one.
    pub(crate) fn idles(&self) -> Vec<String> {
        names(&self.idle, IdleKind::NAMES)
    }

    /// How it is measured; `timer` is what takes the times.
    pub(crate) fn method(&self, timer: String) -> Method {
        let (repeats, cost_runs) = if self.quick { (3, 1) } else { (7, 3) };
        Method {
            repeats: self.repeats.unwrap_or(repeats).into(),
            cost_runs: self.cost_runs.unwrap_or(cost_runs).into(),
            seed: machine::seed_by_clock(),
            timer,
            quick: self.quick,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_checked_and_without_doubles() {
        assert_eq!(ascending([4, 1, 2, 4]), [1, 2, 4]);
        for bad in ["0", "57", "", "two", "-1"] {
            assert!(threads(bad).is_err(), "{bad}");
        }
        let given = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&given(&["all"]), QueueKind::NAMES), QueueKind::NAMES);
        let twice = given(&["stack", "deque", "stack"]);
        assert_eq!(names(&twice, QueueKind::NAMES), ["stack", "deque"]);
        let error = name::<IdleKind>("nobody").unwrap_err();
        assert!(error.starts_with("unknown idle policy 'nobody', expected one of: "), "{error}");
    }

    #[test]
    fn the_default_is_always_tried() {
        let usual = |cores| Options::default().threads(Kind::Walk, cores);
        for cores in [1, 2, 64] {
            assert_eq!(usual(cores), THREADS);
        }
        assert_eq!(usual(10), [1, 2, 4, 6, 8, 10, 12, 16, 24, 32]);
    }

    #[test]
    fn reading_is_a_task_of_the_walker() {
        let with = |tools: &[&str]| Options {
            tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
            ..Options::default()
        };
        let names = |options: &Options| options.tasks(Kind::Walk).unwrap().len();
        assert_eq!((names(&with(&[])), names(&with(&["rg", "walker"]))), (3, 4));
    }
}
