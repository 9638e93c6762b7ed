//! The commands of a comparison: every number of threads with every queue of `hs` and of its
//! walker, the installed rivals, and the floor.

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

impl Choice {
    /// The rows of `task` on the corpus at `path`: in the directory itself, or on the file `target`
    /// in it.
    pub(crate) fn rows(&self, task: &Task, path: &Path, target: Option<&str>) -> Vec<Planned> {
        let mut all = self.of_heist(task, target);
        if self.walker && target.is_none() {
            all.extend(self.of_walker(task.work, path));
        }
        for rival in &self.rivals {
            all.extend(self.of_rival(rival, task, target));
        }
        all.extend(self.of_floor(task.work, target));
        all
    }

    /// One worker uses no queue, so that is one way, whatever the queues; then every queue and idle
    /// policy with every number of threads above 1.
    fn ways(&self) -> Vec<Way<'_>> {
        let mut ways: Vec<Way<'_>> = Vec::new();
        if self.threads.contains(&1) {
            ways.push((None, None, Some(1)));
        }
        let several = self.threads.iter().copied().filter(|&threads| threads > 1).map(Some);
        let mut several: Vec<Option<usize>> = several.collect();
        let mut queues: Vec<_> = self.queues.iter().map(|queue| Some(queue.as_str())).collect();
        let mut idles: Vec<_> = self.idles.iter().map(|idle| Some(idle.as_str())).collect();
        if self.threads.is_empty() && !(queues.is_empty() && idles.is_empty()) {
            several.push(None);
        }
        for list in [&mut queues, &mut idles] {
            if list.is_empty() {
                list.push(None);
            }
        }
        let pairs = queues.iter().flat_map(|&queue| idles.iter().map(move |&idle| (queue, idle)));
        ways.extend(pairs.flat_map(|(queue, idle)| several.iter().map(move |&j| (queue, idle, j))));
        ways
    }

    fn of_heist(&self, task: &Task, target: Option<&str>) -> Vec<Planned> {
        // First with its own choices, as its rivals are.
        let ways = [(None, None, None)].into_iter().chain(self.ways());
        let planned = ways.filter_map(|(queue, idle, threads)| {
            let mut planned = self.planned(&self.heist, task, threads, target)?;
            if let Means::Command { arguments, .. } = &mut planned.means {
                let flags = [("--queue", queue), ("--idle", idle)].into_iter();
                let flags = flags.filter_map(|(flag, value)| Some([flag, value?]));
                arguments.splice(0..0, flags.flatten().map(str::to_owned));
            }
            planned.row.queue = queue.map(str::to_owned);
            planned.row.idle = idle.map(str::to_owned);
            planned.counts_calls = (queue, idle, threads) == (None, None, None);
            Some(planned)
        });
        planned.collect()
    }

    /// heist's walker in this program. All its rows have to agree with the first of them.
    fn of_walker(&self, work: Work, path: &Path) -> Vec<Planned> {
        let mode = match work {
            Work::ListAll => Mode::All,
            Work::ListIgnore => Mode::Ignore,
            Work::ReadAll => Mode::Read,
            Work::SearchIgnore(_) | Work::SearchAll(_) => return Vec::new(),
        };
        let planned = |(queue, idle, threads): Way<'_>| {
            let walk = Walk {
                mode,
                queue: queue.unwrap_or(QueueKind::default().name()).to_owned(),
                idle: idle.unwrap_or(IdleKind::default().name()).to_owned(),
                threads: threads.unwrap_or(self.cores),
                path: path.to_owned(),
            };
            Planned {
                row: Row {
                    tool: WALKER.to_owned(),
                    queue: queue.map(str::to_owned),
                    idle: idle.map(str::to_owned),
                    threads: Some(walk.threads),
                    ..Row::default()
                },
                means: Means::Walk(walk),
                counts_calls: false,
            }
        };
        self.ways().into_iter().map(planned).collect()
    }

    /// A rival with its own choices, and with one thread, with one per core and with the most.
    fn of_rival(&self, rival: &Installed, task: &Task, target: Option<&str>) -> Vec<Planned> {
        let mut threads = vec![None];
        if rival.rival.has_threads() {
            let most = self.threads.last().copied();
            let telling = self.threads.iter().copied();
            threads.extend(
                telling.filter(|&j| [1, self.cores].contains(&j) || Some(j) == most).map(Some),
            );
        }
        let planned = threads.into_iter().filter_map(|threads| {
            let mut planned = self.planned(rival, task, threads, target)?;
            planned.counts_calls = threads.is_none();
            Some(planned)
        });
        planned.collect()
    }

    /// The least work possible, where it is known: not for rules, and not for a single file.
    fn of_floor(&self, work: Work, target: Option<&str>) -> Vec<Planned> {
        let (Some(program), None) = (&self.floor, target) else {
            return Vec::new();
        };
        let mode = match work {
            Work::ListAll => "list",
            Work::SearchAll(query) if query.flags.is_empty() => "read",
            Work::SearchIgnore(_) | Work::ReadAll => "read",
            Work::ListIgnore | Work::SearchAll(_) => return Vec::new(),
        };
        let mut threads = vec![1, self.cores];
        threads.dedup();
        let planned = |threads: usize| Planned {
            row: Row { tool: FLOOR.to_owned(), threads: Some(threads), ..Row::default() },
            means: Means::Command {
                program: program.clone(),
                arguments: ["floor", mode, &format!("-j{threads}"), "."].map(str::to_owned).into(),
                compared: None,
            },
            counts_calls: threads == self.cores,
        };
        threads.into_iter().map(planned).collect()
    }

    fn planned(
        &self,
        tool: &Installed,
        task: &Task,
        threads: Option<usize>,
        target: Option<&str>,
    ) -> Option<Planned> {
        let arguments = tool.rival.arguments(task.work, threads, &self.words, target)?;
        let compared = match task.work {
            Work::SearchIgnore(query) | Work::SearchAll(query) => query.compared,
            Work::ListAll | Work::ListIgnore | Work::ReadAll => Compared::Lines,
        };
        let program = tool.program.clone();
        Some(Planned {
            row: Row { tool: tool.rival.name.to_owned(), threads, ..Row::default() },
            means: Means::Command { program, arguments, compared: Some(compared) },
            counts_calls: false,
        })
    }
}

impl Means {
    /// The command as a shell would take it; for the record without the directories of programs and
    /// files, which are this machine's. Fails if an argument contains NUL.
    pub(crate) fn quoted(&self, for_record: bool) -> Result<String, String> {
        let Means::Command { program, arguments, .. } = self else { return Ok(String::new()) };
        let short = |text: &str| match Path::new(text).file_name() {
            Some(name) if for_record && Path::new(text).is_absolute() => {
                name.to_string_lossy().into_owned()
            }
            _ => text.to_owned(),
        };
        let program = program.to_string_lossy();
        let words = [&*program].into_iter().chain(arguments.iter().map(String::as_str));
        let words: Vec<String> = words.map(short).collect();
        shlex::try_join(words.iter().map(String::as_str)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::tasks::{SEARCH, WALK};
    use crate::suite::tools::{HEIST, RIVALS};

    fn choice(threads: &[usize], queues: &[&str]) -> Choice {
        let rivals = RIVALS.iter().filter(|rival| ["rg", "find"].contains(&rival.name));
        let installed = |rival: &'static crate::suite::tools::Rival| Installed {
            rival,
            program: PathBuf::from("/opt").join(rival.name),
            version: String::new(),
        };
        Choice {
            heist: installed(&HEIST),
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

    fn lines(choice: &Choice, task: &Task, target: Option<&str>) -> Vec<String> {
        let rows = choice.rows(task, Path::new("/"), target);
        rows.iter().map(|planned| planned.means.quoted(true).unwrap()).collect()
    }

    #[test]
    fn every_queue_meets_every_number_of_threads() {
        let all = lines(&choice(&[1, 2, 8], &["deque", "stack"]), &WALK[0], None);
        let expected = [
            "hs --files -uu ./",
            "hs -j1 --files -uu ./",
            "hs --queue deque -j2 --files -uu ./",
            "hs --queue deque -j8 --files -uu ./",
            "hs --queue stack -j2 --files -uu ./",
            "hs --queue stack -j8 --files -uu ./",
            "rg --files -uu ./",
            "rg -j1 --files -uu ./",
            "rg -j2 --files -uu ./",
            "rg -j8 --files -uu ./",
            "find . -type f",
            "benchsuite floor list -j1 .",
            "benchsuite floor list -j2 .",
        ];
        assert_eq!(all, expected);
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
        let named = |task: &Task| -> Vec<String> {
            let rows = choice.rows(task, Path::new("/tree"), None).into_iter();
            rows.filter(|one| one.row.is_walker()).map(|one| one.row.name()).collect()
        };
        let pairs = QueueKind::ALL.len() * IdleKind::ALL.len();
        let all = named(&WALK[0]);
        assert_eq!((all.len(), all[0].as_str()), (1 + 2 * pairs, "walker -j1"));
        assert!(all.contains(&"walker deque biased-event -j4".to_owned()), "{all:?}");
        let apart: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(apart.len(), all.len(), "no row twice");
        let task = |name| WALK.iter().find(|task| task.name == name).unwrap();
        assert_eq!((named(task("read")).len(), named(task("search")).len()), (all.len(), 0));
        let floors =
            |task| lines(&choice, task, None).iter().filter(|l| l.contains("floor")).count();
        assert_eq!(["list-all", "list-ignore", "read"].map(|name| floors(task(name))), [2, 0, 2]);
    }

    #[test]
    fn calls_are_counted_once_for_each_tool() {
        let rows = choice(&[1, 2, 8], &["deque", "stack"]).rows(&WALK[0], Path::new("/"), None);
        let counted = rows.iter().filter(|planned| planned.counts_calls);
        let names: Vec<String> = counted.map(|planned| planned.row.name()).collect();
        assert_eq!(names, ["hs", "rg", "find", "floor -j2"]);
    }

    #[test]
    fn a_search_without_choices_is_one_row_per_tool() {
        let all = lines(&choice(&[], &[]), &SEARCH[1], Some("big"));
        assert_eq!(all, ["hs -n -uu -e PM_RESUME big", "rg -n -uu -e PM_RESUME big"]);
        let all = lines(&choice(&[], &["stack"]), &SEARCH[1], Some("big"));
        assert_eq!(all[1], "hs --queue stack -n -uu -e PM_RESUME big");
        let words = SEARCH.iter().find(|task| task.name == "words-file").unwrap();
        let all = lines(&choice(&[], &[]), words, None);
        assert_eq!(all[0], "hs -n -uu -F -c -f words ./", "no place of this machine");
    }
}
