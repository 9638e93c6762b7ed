//! The command line of `benchsuite walk` and `benchsuite search`.

use std::env;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use heist_queue::{IdleKind, MAX_WORKERS, QueueKind, UnknownName};

use crate::corpora::{self, Corpus};
use crate::record::{Kind, Method, WALKER, default_threads};
use crate::suite::tasks::{SEARCH, Task, WALK, Work};
use crate::suite::tools::{Installed, RIVALS};

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
    #[arg(short = 'j', long, value_name = "LIST", value_parser = threads)]
    threads: Option<List<usize>>,

    /// Queues of hs, separated by commas, or `all` [default: walk: all; search: the default queue]
    #[arg(long, value_name = "LIST", value_parser = queues)]
    queue: Option<List<QueueKind>>,

    /// Idle policies of hs, separated by commas, or `all` [default: the default policy]
    #[arg(long, value_name = "LIST", value_parser = idles)]
    idle: Option<List<IdleKind>>,

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

/// Values separated by commas.
#[derive(Clone, Debug)]
struct List<T>(Vec<T>);

/// Numbers of threads, ascending, each once.
fn threads(text: &str) -> Result<List<usize>, String> {
    let one = |part: &str| match part.parse() {
        Ok(threads @ 1..=MAX_WORKERS) => Ok(threads),
        _ => Err(format!("'{part}' is no number from 1 to {MAX_WORKERS}")),
    };
    let mut list = text.split(',').map(one).collect::<Result<Vec<usize>, String>>()?;
    list.sort_unstable();
    list.dedup();
    Ok(List(list))
}

fn queues(text: &str) -> Result<List<QueueKind>, String> {
    names(text, QueueKind::ALL)
}

fn idles(text: &str) -> Result<List<IdleKind>, String> {
    names(text, IdleKind::ALL)
}

/// Names, each once, or `all`.
fn names<T>(text: &str, all: &[T]) -> Result<List<T>, String>
where
    T: FromStr<Err = UnknownName> + Copy + PartialEq,
{
    if text == "all" {
        return Ok(List(all.to_vec()));
    }
    let mut list = Vec::new();
    for part in text.split(',') {
        let one = part.parse().map_err(|error: UnknownName| error.to_string())?;
        if !list.contains(&one) {
            list.push(one);
        }
    }
    Ok(List(list))
}

/// The numbers of threads to try by default; what `hs` starts is among them.
fn usual_threads(cores: usize) -> Vec<usize> {
    let mut threads = THREADS.to_vec();
    threads.push(default_threads(cores));
    threads.sort_unstable();
    threads.dedup();
    threads
}

/// The tasks of a kind of session.
pub(crate) fn tasks_of(kind: Kind) -> &'static [Task] {
    if kind == Kind::Search { SEARCH } else { WALK }
}

impl Options {
    /// What is measured if nothing is typed at all.
    pub(crate) fn first_look() -> Options {
        Options { quick: true, ..Options::default() }
    }

    /// The tasks that were named, or all.
    pub(crate) fn tasks(&self, kind: Kind) -> Result<Vec<Task>, String> {
        let known = tasks_of(kind);
        if self.task.is_empty() {
            // Only the walker and the floor can read without searching.
            let is_wanted = |task: &&Task| self.has_walker() || task.work != Work::ReadAll;
            return Ok(known.iter().filter(is_wanted).copied().collect());
        }
        let find = |name: &String| {
            known.iter().find(|task| task.name == name).copied().ok_or_else(|| {
                let names: Vec<&str> = known.iter().map(|task| task.name).collect();
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
        let path = env::var_os("PATH").unwrap_or_default();
        if self.tools.is_empty() {
            return Ok(RIVALS.iter().filter_map(|rival| rival.find(&path)).collect());
        }
        let mut found = Vec::new();
        for name in self.tools.iter().filter(|name| !["none", WALKER].contains(&name.as_str())) {
            let Some(rival) = RIVALS.iter().find(|rival| rival.name == name) else {
                let names: Vec<_> = RIVALS.iter().map(|rival| rival.name).collect();
                let names = names.join(", ");
                return Err(format!(
                    "unknown tool '{name}', expected one of: {names}, {WALKER}, none"
                ));
            };
            match rival.find(&path) {
                Some(installed) => found.push(installed),
                None => warnings.push(format!("{name} is not installed")),
            }
        }
        Ok(found)
    }

    /// The corpora that were named, or the sample, which is made if it is missing.
    pub(crate) fn corpora(&self) -> io::Result<Vec<Corpus>> {
        let home = match &self.dir {
            Some(dir) => dir.clone(),
            None => corpora::home()?,
        };
        let none = self.corpora.is_empty() && self.path.is_empty();
        let names = self.corpora.iter().map(String::as_str).chain(none.then_some("sample"));
        let named = names.map(|name| corpora::open(&home, name));
        named.chain(self.path.iter().map(|path| corpora::at(path))).collect()
    }

    pub(crate) fn threads(&self, kind: Kind, cores: usize) -> Vec<usize> {
        match (&self.threads, kind) {
            (Some(list), _) => list.0.clone(),
            (None, Kind::Search) => Vec::new(),
            (None, _) if self.quick => {
                let mut threads = vec![1, cores, (4 * cores).min(MAX_WORKERS)];
                threads.dedup();
                threads
            }
            (None, _) => usual_threads(cores),
        }
    }

    pub(crate) fn queues(&self, kind: Kind) -> Vec<String> {
        let names = |kinds: &[QueueKind]| kinds.iter().map(|kind| kind.name().to_owned()).collect();
        match (&self.queue, kind) {
            (Some(list), _) => names(&list.0),
            (None, Kind::Search) => Vec::new(),
            (None, _) => names(QueueKind::ALL),
        }
    }

    pub(crate) fn idles(&self) -> Vec<String> {
        let kinds = self.idle.iter().flat_map(|list| &list.0);
        kinds.map(|kind| kind.name().to_owned()).collect()
    }

    pub(crate) fn method(&self, seed: u64, timer: String) -> Method {
        let (repeats, cost_runs) = if self.quick { (3, 1) } else { (7, 3) };
        Method {
            repeats: self.repeats.unwrap_or(repeats).into(),
            cost_runs: self.cost_runs.unwrap_or(cost_runs).into(),
            seed,
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
        assert_eq!(threads("4,1,2,4").unwrap().0, [1, 2, 4]);
        for bad in ["0", "57", "", "1,", "two", "-1"] {
            assert!(threads(bad).is_err(), "{bad}");
        }
        assert_eq!(queues("all").unwrap().0, QueueKind::ALL);
        let two = [QueueKind::Stack, QueueKind::Deque];
        assert_eq!(queues("stack,deque,stack").unwrap().0, two);
        let error = idles("nobody").unwrap_err();
        assert!(error.starts_with("unknown idle policy 'nobody', expected one of: "), "{error}");
    }

    #[test]
    fn the_default_is_always_tried() {
        for cores in [1, 2, 64] {
            assert_eq!(usual_threads(cores), THREADS);
        }
        assert_eq!(usual_threads(10), [1, 2, 4, 6, 8, 10, 12, 16, 24, 32]);
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
