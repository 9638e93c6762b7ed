//! Which commands a comparison has: every number of threads with every queue of `hs`, the rivals that are there,
//! and the floor.

use std::path::{Path, PathBuf};

use crate::suite::record::{FLOOR, Row};
use crate::suite::tasks::{Compared, Task, Work};
use crate::suite::tools::Installed;

/// What commands are made of.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// `hs`.
    pub(crate) heist: Installed,
    /// The queues of `hs` besides its own choice.
    pub(crate) queues: Vec<String>,
    /// Numbers of threads for each of these queues, ascending.
    pub(crate) threads: Vec<usize>,
    /// Those who are there besides.
    pub(crate) rivals: Vec<Installed>,
    /// This program, for the floor; if none, there is no floor.
    pub(crate) floor: Option<PathBuf>,
    /// The cores of this machine.
    pub(crate) cores: usize,
    /// A file with [`words`](crate::suite::tasks::words).
    pub(crate) words: PathBuf,
}

/// A command.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// Its row of the record, with nothing measured yet.
    pub(crate) row: Row,
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// What of its output is compared; nothing: the floor's is its own.
    pub(crate) compared: Option<Compared>,
    /// Whether system calls are worth counting: once for each tool.
    pub(crate) counts_calls: bool,
}

impl Choice {
    /// The commands of `task`, on `target` in the current directory or on all of it.
    pub(crate) fn commands(&self, task: &Task, target: Option<&str>) -> Vec<Planned> {
        let mut all = self.of_heist(task, target);
        for rival in &self.rivals {
            all.extend(self.of_rival(rival, task, target));
        }
        all.extend(self.of_floor(task.work, target));
        all
    }

    fn of_heist(&self, task: &Task, target: Option<&str>) -> Vec<Planned> {
        // First as it is by itself, as its rivals are.
        let mut ways: Vec<(Option<&str>, Option<usize>)> = vec![(None, None)];
        if self.threads.contains(&1) {
            // One worker uses no queue, whichever is chosen.
            ways.push((None, Some(1)));
        }
        let several = self.threads.iter().copied().filter(|&threads| threads > 1).map(Some);
        let mut several: Vec<_> = several.collect();
        let mut queues: Vec<_> = self.queues.iter().map(|queue| Some(queue.as_str())).collect();
        match (queues.is_empty(), self.threads.is_empty()) {
            (true, _) => queues.push(None),
            (false, true) => several.push(None),
            (false, false) => {}
        }
        ways.extend(queues.iter().flat_map(|&queue| several.iter().map(move |&j| (queue, j))));
        let planned = ways.into_iter().filter_map(|(queue, threads)| {
            let mut planned = self.planned(&self.heist, task, threads, target)?;
            if let Some(queue) = queue {
                planned.arguments.splice(0..0, ["--queue".to_owned(), queue.to_owned()]);
            }
            planned.row.queue = queue.map(str::to_owned);
            planned.counts_calls = (queue, threads) == (None, None);
            Some(planned)
        });
        planned.collect()
    }

    /// A rival as it is by itself, and with one thread, with one per core and with the most.
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

    /// The least work there is, where it is known: none is for rules, and a file is no tree.
    fn of_floor(&self, work: Work, target: Option<&str>) -> Vec<Planned> {
        let (Some(program), None) = (&self.floor, target) else {
            return Vec::new();
        };
        let mode = match work {
            Work::ListAll => "list",
            Work::SearchAll(query) if query.flags.is_empty() => "read",
            Work::SearchIgnore(_) => "read",
            _ => return Vec::new(),
        };
        let mut threads = vec![1, self.cores];
        threads.dedup();
        let planned = |threads: usize| Planned {
            row: Row { tool: FLOOR.to_owned(), threads: Some(threads), ..Row::default() },
            program: program.clone(),
            arguments: ["floor", mode, &format!("-j{threads}"), "."].map(str::to_owned).into(),
            compared: None,
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
            Work::ListAll | Work::ListIgnore => Compared::Lines,
            Work::SearchIgnore(query) | Work::SearchAll(query) => query.compared,
        };
        Some(Planned {
            row: Row { tool: tool.rival.name.to_owned(), threads, ..Row::default() },
            program: tool.program.clone(),
            arguments,
            compared: Some(compared),
            counts_calls: false,
        })
    }
}

impl Planned {
    /// The command as a shell would take it; for the record without the places of programs and files, which are
    /// this machine's.
    ///
    /// # Errors
    ///
    /// An argument has a NUL.
    pub(crate) fn quoted(&self, for_record: bool) -> Result<String, String> {
        let short = |text: &str| match Path::new(text).file_name() {
            Some(name) if for_record && Path::new(text).is_absolute() => {
                name.to_string_lossy().into_owned()
            }
            _ => text.to_owned(),
        };
        let program = self.program.to_string_lossy();
        let words: Vec<String> = [&*program]
            .into_iter()
            .chain(self.arguments.iter().map(String::as_str))
            .map(short)
            .collect();
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
            threads: threads.to_vec(),
            rivals: rivals.map(installed).collect(),
            floor: Some(PathBuf::from("/opt/benchsuite")),
            cores: 2,
            words: PathBuf::from("/tmp/x/words"),
        }
    }

    fn lines(choice: &Choice, task: &Task, target: Option<&str>) -> Vec<String> {
        let commands = choice.commands(task, target);
        commands.iter().map(|planned| planned.quoted(true).unwrap()).collect()
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
    fn calls_are_counted_once_for_each_tool() {
        let commands = choice(&[1, 2, 8], &["deque", "stack"]).commands(&WALK[0], None);
        let counted = commands.iter().filter(|planned| planned.counts_calls);
        let names: Vec<String> = counted.map(|planned| planned.row.name()).collect();
        assert_eq!(names, ["hs", "rg", "find", "floor -j2"]);
    }

    #[test]
    fn a_search_without_choices_is_one_line_per_tool() {
        let all = lines(&choice(&[], &[]), &SEARCH[1], Some("big"));
        assert_eq!(all, ["hs -n -uu -e PM_RESUME big", "rg -n -uu -e PM_RESUME big"]);
        let all = lines(&choice(&[], &["stack"]), &SEARCH[1], Some("big"));
        assert_eq!(all[1], "hs --queue stack -n -uu -e PM_RESUME big");
        let words = SEARCH.iter().find(|task| task.name == "words-file").unwrap();
        let all = lines(&choice(&[], &[]), words, None);
        assert_eq!(all[0], "hs -n -uu -F -c -f words ./", "no place of this machine");
    }
}
