//! The rows of a comparison: every number of threads with every queue of `hs` and of its walker,
//! the installed rivals, and the floor.

use std::iter;
use std::path::{Path, PathBuf};

use heist_queue::{IdleKind, QueueKind};

use crate::record::{FLOOR, Row, WALKER};
use crate::suite::tasks::{Compared, Task, Work};
use crate::suite::tools::Installed;
use crate::walker::{Mode, Walk};

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

/// A row to be measured.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// Its row of the record, with nothing measured yet.
    pub(crate) row: Row,
    pub(crate) means: Means,
    /// Whether system calls are worth counting: once for each tool.
    pub(crate) counts_calls: bool,
}

/// How a row is measured.
#[derive(Clone, Debug)]
pub(crate) enum Means {
    /// A command, timed from outside.
    Command {
        program: PathBuf,
        arguments: Vec<String>,
        /// What of its output must equal that of `hs`; `None` for the floor.
        compared: Option<Compared>,
    },
    /// A walk in a process of this program, which times itself.
    Walk(Walk),
}

/// A queue, an idle policy and a number of threads, as far as they are given.
type Way<'a> = (Option<&'a str>, Option<&'a str>, Option<usize>);

/// The way that a program chooses itself.
const OWN: Way<'_> = (None, None, None);

impl Choice {
    /// The rows of `task` on the corpus at `path`: in the directory itself, or on the file `target`
    /// in it.
    pub(crate) fn rows(&self, task: &Task, path: &Path, target: Option<&str>) -> Vec<Planned> {
        // First with its own choices, as its rivals are.
        let of_heist = iter::once(OWN).chain(self.ways());
        let heist = of_heist.filter_map(|way| self.command(&self.heist, task, way, target));
        let walks = if self.walker && target.is_none() { self.ways() } else { Vec::new() };
        let walker = walks.into_iter().filter_map(|way| self.walk(task.work, path, way));
        let rivals = self.rivals.iter().flat_map(|rival| {
            let ways = iter::once(OWN).chain(self.telling_threads(rival));
            ways.filter_map(move |way| self.command(rival, task, way, target))
        });
        heist.chain(walker).chain(rivals).chain(self.floor(task, target)).collect()
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

    /// One thread, one per core and the most, for a rival whose threads can be set.
    fn telling_threads<'a>(&'a self, rival: &Installed) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let most = self.threads.last().copied();
        let threads = self.threads.iter().copied().filter(|_| rival.rival.has_threads());
        threads
            .filter(move |&j| [1, self.cores].contains(&j) || Some(j) == most)
            .map(|j| (None, None, Some(j)))
    }

    fn command(
        &self,
        tool: &Installed,
        task: &Task,
        way: Way<'_>,
        target: Option<&str>,
    ) -> Option<Planned> {
        let (queue, idle, threads) = way;
        let flags = [("--queue", queue), ("--idle", idle)].into_iter();
        let chosen = flags.filter_map(|(flag, value)| Some([flag, value?])).flatten();
        let mut arguments: Vec<String> = chosen.map(str::to_owned).collect();
        arguments.extend(tool.rival.arguments(task, threads, &self.words, target)?);
        let compared = Some(task.compared);
        Some(Planned {
            row: row(&tool.rival.name, way),
            means: Means::Command { program: tool.program.clone(), arguments, compared },
            counts_calls: way == OWN,
        })
    }

    /// heist's walker in this program. All its rows have to agree with the first of them.
    fn walk(&self, work: Work, path: &Path, (queue, idle, threads): Way<'_>) -> Option<Planned> {
        let mode = match work {
            Work::ListAll => Mode::All,
            Work::ListIgnore => Mode::Ignore,
            Work::ReadAll => Mode::Read,
            Work::SearchIgnore | Work::SearchAll => return None,
        };
        let threads = threads.unwrap_or(self.cores);
        let walk = Walk {
            mode,
            queue: queue.unwrap_or(QueueKind::default().name()).to_owned(),
            idle: idle.unwrap_or(IdleKind::default().name()).to_owned(),
            threads,
            path: path.to_owned(),
        };
        let row = row(WALKER, (queue, idle, Some(threads)));
        Some(Planned { row, means: Means::Walk(walk), counts_calls: false })
    }

    /// The least work possible, where it is known: not for rules, and not for a single file.
    fn floor(&self, task: &Task, target: Option<&str>) -> Vec<Planned> {
        let mode = match task.work {
            Work::ListAll => Some("list"),
            Work::SearchAll if task.flags.is_empty() => Some("read"),
            Work::SearchIgnore | Work::ReadAll => Some("read"),
            Work::ListIgnore | Work::SearchAll => None,
        };
        let (Some(mode), Some(program), None) = (mode, &self.floor, target) else {
            return Vec::new();
        };
        let mut threads = vec![1, self.cores];
        threads.dedup();
        let planned = |threads: usize| Planned {
            row: row(FLOOR, (None, None, Some(threads))),
            means: Means::Command {
                program: program.clone(),
                arguments: ["floor", mode, &format!("-j{threads}"), "."].map(str::to_owned).into(),
                compared: None,
            },
            counts_calls: threads == self.cores,
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

impl Means {
    /// The command as a shell would take it, without the directories of programs and files, which
    /// are this machine's.
    pub(crate) fn shown(&self) -> String {
        let Means::Command { program, arguments, .. } = self else { return String::new() };
        let short = |text: &str| match Path::new(text).file_name() {
            Some(name) if Path::new(text).is_absolute() => name.to_string_lossy().into_owned(),
            _ => text.to_owned(),
        };
        let program = program.to_string_lossy();
        let words = iter::once(&*program).chain(arguments.iter().map(String::as_str));
        let words: Vec<String> = words.map(short).collect();
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::record::Kind;
    use crate::suite::tasks::tasks_of;
    use crate::suite::tools::{Rival, heist, rivals};

    fn choice(threads: &[usize], queues: &[&str]) -> Choice {
        let installed = |rival: &'static Rival| Installed {
            rival,
            program: PathBuf::from("/opt").join(&rival.name),
            version: String::new(),
        };
        let rivals = rivals().iter().filter(|rival| ["rg", "find"].contains(&&*rival.name));
        Choice {
            heist: installed(heist()),
            queues: queues.iter().map(|&queue| queue.to_owned()).collect(),
            idles: Vec::new(),
            threads: threads.to_vec(),
            rivals: rivals.map(installed).collect(),
            walker: false,
            floor: Some(PathBuf::from("/opt/benchsuite")),
            cores: 2,
            words: PathBuf::from("/tmp/x/words"),
        }
    }

    fn rows(choice: &Choice, task: &str, target: Option<&str>) -> Vec<Planned> {
        let mut tasks = tasks_of(Kind::Walk).iter().chain(tasks_of(Kind::Search));
        let task = tasks.find(|found| found.name == task).expect("a task");
        choice.rows(task, Path::new("/tree"), target)
    }

    #[test]
    fn rows_are_every_queue_with_every_number_of_threads_and_rivals() {
        let lines = |choice: &Choice, task: &str, target| -> Vec<String> {
            rows(choice, task, target).iter().map(|planned| planned.means.shown()).collect()
        };
        let expected = "\
            hs --files -uu ./
            hs -j1 --files -uu ./
            hs --queue deque -j2 --files -uu ./
            hs --queue deque -j8 --files -uu ./
            hs --queue stack -j2 --files -uu ./
            hs --queue stack -j8 --files -uu ./
            rg --files -uu ./
            rg -j1 --files -uu ./
            rg -j2 --files -uu ./
            rg -j8 --files -uu ./
            find . -type f
            benchsuite floor list -j1 .
            benchsuite floor list -j2 .";
        let expected: Vec<&str> = expected.lines().map(str::trim).collect();
        let all = choice(&[1, 2, 8], &["deque", "stack"]);
        assert_eq!(lines(&all, "list-all", None), expected);
        let planned = rows(&all, "list-all", None).into_iter();
        let counted = planned.filter(|planned| planned.counts_calls).map(|one| one.row.name());
        assert_eq!(counted.collect::<Vec<_>>(), ["hs", "rg", "find", "floor -j2"]);

        let one_each = lines(&choice(&[], &[]), "rare", Some("big"));
        assert_eq!(one_each, ["hs -n -uu -e PM_RESUME big", "rg -n -uu -e PM_RESUME big"]);
        let with_queue = lines(&choice(&[], &["stack"]), "rare", Some("big"));
        assert_eq!(with_queue[1], "hs --queue stack -n -uu -e PM_RESUME big");
        let by_file = lines(&choice(&[], &[]), "words-file", None);
        assert_eq!(by_file[0], "hs -n -uu -F -c -f words ./", "no place of this machine");
    }

    #[test]
    fn the_walker_meets_every_queue_and_policy_and_alone_none() {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        let choice = Choice {
            walker: true,
            queues: names(QueueKind::NAMES),
            idles: names(IdleKind::NAMES),
            ..choice(&[1, 2, 4], &[])
        };
        let named = |task: &str| -> Vec<String> {
            let walks = rows(&choice, task, None).into_iter().filter(|one| one.row.is_walker());
            walks.map(|one| one.row.name()).collect()
        };
        let pairs = QueueKind::ALL.len() * IdleKind::ALL.len();
        let all = named("list-all");
        assert_eq!((all.len(), all[0].as_str()), (1 + 2 * pairs, "walker -j1"));
        assert!(all.contains(&"walker deque biased-event -j4".to_owned()), "{all:?}");
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "no row twice");
        assert_eq!((named("read").len(), named("search").len()), (all.len(), 0));
        let floors =
            |task| rows(&choice, task, None).iter().filter(|one| one.row.is_floor()).count();
        assert_eq!(["list-all", "list-ignore", "read"].map(floors), [2, 0, 2]);
    }
}
