//! The rows in a comparison: every number of threads with every queue in `hs` and in its walker,
//! the installed rivals, and the floor.

use std::iter;
use std::path::{Path, PathBuf};

use heist_queue::{IdleKind, QueueKind};

use crate::process::Job;
use crate::record::{Corpus, FLOOR, INDEXED, Row, WALKER, default_threads};
use crate::suite::indexes::Before;
use crate::suite::tasks::{Compared, Task, Work};
use crate::suite::tools::Installed;
use crate::walker::{MeasuredWalk, WalkMode};

/// What commands are made of.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) heist: Installed,
    /// The queues of `hs` besides its own choice.
    pub(crate) queues: Vec<String>,
    /// Idle policies; none: its own choice.
    pub(crate) idles: Vec<String>,
    /// Numbers of threads for each of these queues, ascending.
    pub(crate) threads: Vec<usize>,
    pub(crate) rivals: Vec<Installed>,
    /// Whether heist's walker is measured alone as well.
    pub(crate) walker: bool,
    /// This program, for the floor; without it there is no floor.
    pub(crate) floor: Option<PathBuf>,
    /// The cores of this machine.
    pub(crate) cores: usize,
    /// A file with [`words`](crate::suite::tasks::words).
    pub(crate) words: PathBuf,
}

/// How a row is measured.
#[derive(Clone, Debug)]
pub(crate) struct RowPlan {
    pub(crate) means: Means,
    /// Which part of a command's output must equal what `hs` prints.
    pub(crate) compared: Compared,
    /// How many lines it must print at least.
    pub(crate) least: u64,
    /// Whether system calls are worth counting: once for each tool.
    pub(crate) counts_calls: bool,
    /// What happens before each run, where an index is updated.
    pub(crate) before: Option<Before>,
}

/// What is run for a row.
#[derive(Clone, Debug)]
pub(crate) enum Means {
    /// A command, timed from outside.
    Program(Job),
    /// A walk in a process of this program, which times itself.
    Walk(MeasuredWalk),
}

/// A queue, an idle policy and a number of threads, as far as they are given.
type Way<'a> = (Option<&'a str>, Option<&'a str>, Option<usize>);

/// The way that a program chooses itself.
const OWN: Way<'_> = (None, None, None);

impl Choice {
    /// The rows of `task` on a corpus, and how each is measured: in its directory, or on its file.
    pub(crate) fn rows(&self, task: &Task, corpus: &Corpus) -> Vec<(Row, RowPlan)> {
        if task.work == Work::UpdateIndex {
            let tool = self.rivals.iter().find(|tool| tool.rival.name == INDEXED);
            return tool
                .and_then(|tool| self.command(tool, task, OWN, corpus))
                .into_iter()
                .collect();
        }
        // First with its own choices, as its rivals are.
        let of_heist = iter::once(OWN).chain(self.ways());
        let heist = of_heist.filter_map(|way| self.command(&self.heist, task, way, corpus));
        let walks = if self.walker && !corpus.is_file() { self.ways() } else { Vec::new() };
        let walker = walks.into_iter().filter_map(|way| self.walk(task.work, &corpus.path, way));
        let rivals = self.rivals.iter().filter(|rival| rival.rival.is_ready_for(&corpus.path));
        let rivals = rivals.flat_map(|rival| {
            let ways = iter::once(OWN).chain(self.telling_threads(rival));
            ways.filter_map(move |way| self.command(rival, task, way, corpus))
        });
        heist.chain(walker).chain(rivals).chain(self.floor(task, corpus)).collect()
    }

    /// One worker uses no queue, so that is one way, whatever the queues; then every queue and idle
    /// policy with every number of threads above 1.
    fn ways(&self) -> Vec<Way<'_>> {
        let several = self.threads.iter().copied().filter(|&threads| threads > 1).map(Some);
        let mut several: Vec<Option<usize>> = several.collect();
        if self.threads.is_empty() && !(self.queues.is_empty() && self.idles.is_empty()) {
            several.push(None);
        }
        let mut ways = Vec::new();
        if self.threads.contains(&1) {
            ways.push((None, None, Some(1)));
        }
        for queue in or_none(&self.queues) {
            for idle in or_none(&self.idles) {
                ways.extend(several.iter().map(|&threads| (queue, idle, threads)));
            }
        }
        ways
    }

    /// One thread, one per core and the most, for a rival with a choice of threads.
    fn telling_threads<'a>(&'a self, rival: &Installed) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let most = self.threads.last().copied();
        let threads = self.threads.iter().copied().filter(|_| rival.rival.threads.is_some());
        threads
            .filter(move |&j| [1, self.cores].contains(&j) || Some(j) == most)
            .map(|j| (None, None, Some(j)))
    }

    fn command(
        &self,
        tool: &Installed,
        task: &Task,
        way: Way<'_>,
        corpus: &Corpus,
    ) -> Option<(Row, RowPlan)> {
        let (queue, idle, threads) = way;
        let (queue, sharing) = queue
            .and_then(|queue| queue.split_once(' '))
            .map_or((queue, None), |(queue, sharing)| (Some(queue), Some(sharing)));
        let flags = [("--queue", queue), ("--sharing", sharing), ("--idle", idle)].into_iter();
        let chosen = flags.filter_map(|(flag, value)| Some([flag, value?])).flatten();
        let mut arguments: Vec<String> = chosen.map(str::to_owned).collect();
        let path = &corpus.path;
        let (directory, target) = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if corpus.is_file() => {
                (parent, Some(name.to_string_lossy()))
            }
            _ => (&**path, None),
        };
        arguments.extend(tool.rival.arguments(task, threads, &self.words, target.as_deref())?);
        let (program, directory) = (tool.program.clone(), directory.to_owned());
        let environment = tool.environment.clone();
        let has_pipe = task.work.is_search();
        let job = Job { program, arguments, environment, directory, has_pipe };
        let row = Row { command: job.shown(), ..row(&tool.rival.name, way) };
        let (means, compared) = (Means::Program(job), task.compared);
        let before = (task.work == Work::UpdateIndex)
            .then(|| task.changed.map_or(Before::Remove, Before::Change));
        Some((row, RowPlan { means, compared, least: 0, counts_calls: way == OWN, before }))
    }

    /// heist's walker in this program. All its rows have to agree with the first of them.
    fn walk(
        &self,
        work: Work,
        path: &Path,
        (queue, idle, threads): Way<'_>,
    ) -> Option<(Row, RowPlan)> {
        let mode = match work {
            Work::ListAll => WalkMode::All,
            Work::ListIgnore => WalkMode::Ignore,
            Work::ReadAll => WalkMode::Read,
            Work::SearchIgnore | Work::SearchAll | Work::UpdateIndex | Work::Edit => return None,
        };
        let threads = threads.unwrap_or(self.cores);
        let walk = MeasuredWalk {
            mode,
            queue: queue.unwrap_or(QueueKind::default().name()).to_owned(),
            idle: idle.unwrap_or(IdleKind::default().name()).to_owned(),
            threads,
            path: path.to_owned(),
        };
        let row = row(WALKER, (queue, idle, Some(threads)));
        let means = Means::Walk(walk);
        let compared = Compared::Lines;
        Some((row, RowPlan { means, compared, least: 0, counts_calls: false, before: None }))
    }

    /// The least work possible, where it is known: not for rules, and not for a single file.
    fn floor(&self, task: &Task, corpus: &Corpus) -> Vec<(Row, RowPlan)> {
        let mode = match task.work {
            Work::ListAll => Some("list"),
            Work::SearchAll if task.flags.is_empty() => Some("read"),
            Work::SearchIgnore | Work::ReadAll => Some("read"),
            Work::ListIgnore | Work::SearchAll | Work::UpdateIndex | Work::Edit => None,
        };
        let (Some(mode), Some(program), false) = (mode, &self.floor, corpus.is_file()) else {
            return Vec::new();
        };
        // With very many cores, some threads are faster than all.
        let mut threads = vec![1, default_threads(self.cores), self.cores];
        threads.dedup();
        let planned = |threads: usize| {
            let job = Job {
                program: program.clone(),
                arguments: ["floor", mode, "--print", &format!("-j{threads}"), "."]
                    .map(str::to_owned)
                    .into(),
                environment: Vec::new(),
                directory: corpus.path.clone(),
                has_pipe: task.work.is_search(),
            };
            let row = Row { command: job.shown(), ..row(FLOOR, (None, None, Some(threads))) };
            let least = if mode == "list" { corpus.shape.files } else { 0 };
            let (means, compared) = (Means::Program(job), Compared::Lines);
            let counts_calls = threads == self.cores;
            (row, RowPlan { means, compared, least, counts_calls, before: None })
        };
        threads.into_iter().map(planned).collect()
    }
}

/// Each of `names`, or `None` once if there is none.
fn or_none(names: &[String]) -> Vec<Option<&str>> {
    if names.is_empty() { vec![None] } else { names.iter().map(|name| Some(&**name)).collect() }
}

fn row(tool: &str, (queue, idle, threads): Way<'_>) -> Row {
    let [queue, idle] = [queue, idle].map(|name| name.map(str::to_owned));
    Row { tool: tool.to_owned(), queue, idle, threads, ..Row::default() }
}
