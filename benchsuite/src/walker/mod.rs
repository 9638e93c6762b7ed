//! `benchsuite walker`: real trees, walked by heist's walker in this program, by every queue with every
//! number of threads: nothing is printed, matched or started but the walk. Whole programs are
//! compared by `benchsuite walk`.
//!
//! ```text
//! corpus ──> plan ──> compare: rounds in random order ──> table, verdict, record
//!                        └─ child: a process per sample ──> sample: heist-walk with a tally, or the floor
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `corpus` | the trees, and what the system remembers of them |
//! | `plan` | configurations and modes |
//! | `compare` | samples in turns; who disagrees is INVALID |
//! | `child` | a process for each sample |
//! | `sample` | one walk in this process, timed |
//! | `tally` | what a walk saw, and whether another saw the same |
//! | `table` | Markdown in the shape of the published tables |
//! | `verdict` | the result in words |
//! | `record` | everything as JSON |
//!
//! A line is worth printing only if the walk saw what a walk with one worker saw: as many directories,
//! files and symbolic links, with the same paths.

mod child;
mod compare;
mod corpus;
mod plan;
mod record;
mod sample;
#[cfg(test)]
mod samples;
mod table;
mod tally;
mod verdict;

use std::{
    io::{self, Write},
    num::NonZeroUsize,
    path::PathBuf,
    process::ExitCode,
    str::FromStr,
    thread,
};

use clap::Args;
use heist_queue::{IdleKind, MAX_WORKERS, QueueKind};

use compare::{Comparison, compare};
pub(crate) use corpus::Cache;
use corpus::Tree;
use plan::{Configuration, Mode, Plan};
pub(crate) use plan::{default_threads, usual_threads};
use record::Record;
pub(crate) use sample::Task;
use table::About;

use crate::machine::seed_by_clock;
use crate::random::Random;

/// What was typed.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Numbers of threads, separated by commas [default: 1,2,4,6,8,12,16,24,32, and what hs starts]
    #[arg(short = 'j', long, value_name = "LIST", value_parser = threads)]
    threads: Option<List<usize>>,

    /// Queues, separated by commas, or `all`
    #[arg(long, value_name = "LIST", default_value = "all", value_parser = queues)]
    queue: List<QueueKind>,

    /// Idle policies, separated by commas, or `all` [default: what hs uses]
    #[arg(long, value_name = "LIST", value_parser = idles)]
    idle: Option<List<IdleKind>>,

    /// What the walks do
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["all", "ignore"])]
    mode: Vec<Mode>,

    /// Samples of each configuration
    #[arg(long, value_name = "N", default_value = "11")]
    repeats: NonZeroUsize,

    /// Write every sample to FILE, with a description of this machine
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Make the system forget all files before each walk; only root may
    #[arg(long)]
    cold: bool,

    /// The trees [default: the current directory]
    path: Vec<PathBuf>,
}

/// Things typed with commas between them.
#[derive(Clone, Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

/// Numbers of threads with commas between them, ascending, each once.
///
/// # Errors
///
/// Which is none.
pub(crate) fn threads(text: &str) -> Result<List<usize>, String> {
    let one = |part: &str| match part.parse() {
        Ok(threads @ 1..=MAX_WORKERS) => Ok(threads),
        _ => Err(format!("'{part}' is no number from 1 to {MAX_WORKERS}")),
    };
    let mut list = text.split(',').map(one).collect::<Result<Vec<usize>, String>>()?;
    list.sort_unstable();
    list.dedup();
    Ok(List(list))
}

/// Queues with commas between them, or `all`.
///
/// # Errors
///
/// Which is none, and which there are.
pub(crate) fn queues(text: &str) -> Result<List<QueueKind>, String> {
    names(text, QueueKind::ALL)
}

fn idles(text: &str) -> Result<List<IdleKind>, String> {
    names(text, IdleKind::ALL)
}

fn names<T: FromStr<Err = heist_queue::UnknownName> + Copy + PartialEq>(
    text: &str,
    all: &[T],
) -> Result<List<T>, String> {
    if text == "all" {
        return Ok(List(all.to_vec()));
    }
    let mut list = Vec::new();
    for part in text.split(',') {
        let one = part.parse().map_err(|error: heist_queue::UnknownName| error.to_string())?;
        if !list.contains(&one) {
            list.push(one);
        }
    }
    Ok(List(list))
}

/// Measures, prints tables and a verdict for each tree and mode, and tells whether every line was
/// valid: 0 or 1.
///
/// # Errors
///
/// A path is no tree, `--cold` is not allowed, a record cannot be written, or a tree cannot be walked
/// even once.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let trees = Tree::named(&options.path)?;
    let cache = Cache::choose(options.cold)?;
    if let Some(path) = &options.json {
        Record::try_path(path)?;
    }
    let cores = thread::available_parallelism()?.get();
    let seed = seed_by_clock();
    let mut shuffler = Random::new(seed);
    let mut record = Record::new(seed, options.repeats.get(), cores);
    print(&format!("{}\n\n", record.origin()))?;
    let mut verdicts = String::new();
    let mut all_valid = true;
    for tree in &trees {
        for mode in options.modes() {
            let title = format!("{}, {}, {}", tree.name(), mode.name(), cache.name());
            let about = About { title: &title, cores, is_cold: cache == Cache::Cold };
            let configurations = options.plan(cores).configurations(mode);
            let job = Job { tree, mode, cache, repeats: options.repeats.get(), title: &title };
            let comparison = job.compare(&configurations, &mut shuffler)?;
            print(&format!("{}\n", table::report(&comparison, about)))?;
            verdicts += &format!("{}\n", verdict::verdict(&comparison, about));
            all_valid &= comparison.is_valid();
            record.add(tree, mode, cache, &comparison);
        }
    }
    print(&verdicts)?;
    if let Some(path) = &options.json {
        record.write(path)?;
    }
    Ok(if all_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Takes one sample and prints it as JSON, for the process that asked for it.
///
/// # Errors
///
/// What kept the sample from being taken.
pub(crate) fn run_sample(task: &Task) -> io::Result<()> {
    let outcome = task.run().map_err(io::Error::other)?;
    print(&serde_json::to_string(&outcome)?)
}

impl Options {
    /// The modes asked for, each once.
    fn modes(&self) -> Vec<Mode> {
        let mut modes = Vec::new();
        for &mode in &self.mode {
            if !modes.contains(&mode) {
                modes.push(mode);
            }
        }
        modes
    }

    fn plan(&self, cores: usize) -> Plan {
        Plan {
            threads: self.threads.clone().map_or_else(|| usual_threads(cores), |list| list.0),
            queues: self.queue.0.clone(),
            idles: self.idle.clone().map_or_else(|| vec![IdleKind::default()], |list| list.0),
        }
    }
}

/// The comparison of one tree and mode.
struct Job<'a> {
    tree: &'a Tree,
    mode: Mode,
    cache: Cache,
    repeats: usize,
    title: &'a str,
}

impl Job<'_> {
    fn compare(
        &self,
        configurations: &[Configuration],
        shuffler: &mut Random,
    ) -> io::Result<Comparison> {
        let mut sampler = |configuration: &Configuration| {
            self.cache.prepare().map_err(|error| error.to_string())?;
            child::run(&Task::new(configuration, self.mode, self.tree.path.clone()))
        };
        let mut tell = |round: usize| {
            let (title, repeats) = (self.title, self.repeats);
            // Progress is worth no failure.
            let _ = writeln!(io::stderr(), "benchsuite: {title}: round {round} of {repeats}");
        };
        compare(configurations, self.repeats, shuffler, &mut sampler, &mut tell)
            .map_err(|error| io::Error::other(format!("{}: {error}", self.title)))
    }
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
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
        assert_eq!(queues("stack,deque,stack").unwrap().0, [QueueKind::Stack, QueueKind::Deque]);
        let error = idles("nobody").unwrap_err();
        assert!(error.starts_with("unknown idle policy 'nobody', expected one of: "), "{error}");
    }
}
