//! One command line, run by every tool in turn.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::draw::Query;
use crate::process::{Failure, Job};
use crate::record::{Comparison, Figures, Row};
use crate::suite::check::check;
use crate::suite::tasks::Compared;
use crate::suite::tools::Installed;
use crate::turns::{Run, Turns, attempt};

/// How long a run may take. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// What all command lines of a hunt have in common.
pub(super) struct Hunt<'a> {
    /// `hs`, and its rivals.
    pub(super) tools: Vec<Installed>,
    /// Threads of each of them.
    pub(super) threads: usize,
    pub(super) tree: &'a Path,
    /// Runs of each command line and tool.
    pub(super) repeats: usize,
}

impl Hunt<'_> {
    /// Runs `query` with every tool that has its flags, in turn. `None` if no tool accepts it, or
    /// if the user stops the hunt.
    pub(super) fn run(&self, query: &Query) -> io::Result<Option<Comparison>> {
        let words = tempfile::NamedTempFile::new()?;
        if query.by_file {
            fs::write(words.path(), query.patterns.join("\n") + "\n")?;
        }
        let arguments = arguments(query, &words.path().display().to_string());
        let (mut jobs, mut rows) = (Vec::<Job>::new(), Vec::<Row>::new());
        for tool in &self.tools {
            let Some(mode) = tool.rival.hunt(&query.flags, self.threads) else { continue };
            let arguments = [mode, arguments.clone(), vec!["./".to_owned()]].concat();
            let (program, directory) = (tool.program.clone(), self.tree.to_owned());
            let job = Job { program, arguments, directory, has_pipe: true };
            let mut row = Row { tool: tool.rival.name.clone(), ..Row::default() };
            let Ok(run) = attempt(&mut row, once(&job)) else { return Ok(None) };
            row.result = run.as_ref().and_then(|run| run.result);
            row.runs.extend(run.map(|run| run.figures));
            row.agrees = Some(match (rows.first().unwrap_or(&row).result, row.result) {
                (Some(house), Some(found)) => house.agrees(&found),
                (house, found) => house == found,
            });
            rows.push(row);
            jobs.push(job);
        }
        let repeats = self.repeats - 1;
        let turns = Turns { repeats, seed: 0, deadline: None, repeats_disturbed: false };
        if rows.iter().all(|row| row.fault.is_some())
            || turns.take(&mut rows, &mut |_| (), &mut |index, _| once(&jobs[index])).is_err()
        {
            return Ok(None);
        }
        let shown = self::arguments(query, "words");
        let mut task = shlex::try_join(shown.iter().map(String::as_str)).unwrap_or_default();
        if query.by_file {
            task += &format!(" # {} words", query.patterns.len());
        }
        let corpus = self.tree.display().to_string();
        Ok(Some(Comparison { corpus, task, rows, ..Comparison::default() }))
    }
}

/// Runs a command once: its result and its processor time.
fn once(job: &Job) -> Result<Run, Failure> {
    let before = cpu_of_children();
    let run = check(&mut job.command(), Compared::Lines, PATIENCE)?;
    let after = cpu_of_children();
    let figures = Figures::of([("user", after.0 - before.0), ("system", after.1 - before.1)]);
    Ok(Run { figures, ..run })
}

/// The arguments of a command line; `words` is the file that holds patterns by file.
fn arguments(query: &Query, words: &str) -> Vec<String> {
    let by_option = query.patterns.iter().flat_map(|pattern| ["-e", pattern]);
    let by_file: Vec<&str> = if query.by_file { vec!["-f", words] } else { by_option.collect() };
    query.flags.iter().copied().chain(by_file).map(str::to_owned).collect()
}

/// The time in the program and in the kernel, in seconds, of all processes that this one has waited
/// for.
fn cpu_of_children() -> (f64, f64) {
    let seconds = |time: nix::sys::time::TimeVal| time.num_microseconds() as f64 / 1e6;
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or((0.0, 0.0), |usage| (seconds(usage.user_time()), seconds(usage.system_time())))
}
