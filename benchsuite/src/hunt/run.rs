//! One command line, run by every tool in turn.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::draw::Query;
use crate::process::Failure;
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
        let list = tempfile::Builder::new().prefix("patterns").suffix(".txt").tempfile()?;
        let arguments = arguments(query, list.path())?;
        let able = self.tools.iter().filter_map(|tool| {
            let mode = tool.rival.hunt(&query.flags, self.threads)?;
            Some((tool, [mode, arguments.clone()].concat()))
        });
        let able: Vec<(&Installed, Vec<String>)> = able.collect();
        let mut rows: Vec<Row> = Vec::new();
        for (tool, arguments) in &able {
            let mut row = Row { tool: tool.rival.name.clone(), ..Row::default() };
            let Ok(run) = attempt(&mut row, self.once(tool, arguments)) else { return Ok(None) };
            row.result = run.as_ref().and_then(|run| run.result);
            row.runs.extend(run.map(|run| run.figures));
            row.agrees = Some(match (rows.first().unwrap_or(&row).result, row.result) {
                (Some(house), Some(found)) => house.agrees(&found),
                (None, None) => true,
                _ => false,
            });
            rows.push(row);
        }
        let repeats = self.repeats - 1;
        let turns = Turns { repeats, seed: 0, deadline: None, repeats_disturbed: false };
        let mut measure = |index: usize, _: &Row| self.once(able[index].0, &able[index].1);
        if rows.iter().all(|row| row.fault.is_some())
            || turns.take(&mut rows, &mut |_| (), &mut measure).is_err()
        {
            return Ok(None);
        }
        let mut task = shlex::try_join(arguments.iter().map(String::as_str)).unwrap_or_default();
        if query.by_file {
            task += &format!(" # {} words", query.patterns.len());
        }
        let corpus = self.tree.display().to_string();
        Ok(Some(Comparison { corpus, task, rows, ..Comparison::default() }))
    }

    /// Runs a tool once: its result and its processor time.
    fn once(&self, tool: &Installed, arguments: &[String]) -> Result<Run, Failure> {
        let mut command = Command::new(&tool.program);
        command.args(arguments).arg("./").current_dir(self.tree);
        let before = cpu_of_children();
        let checked = check(command, Compared::Lines, PATIENCE)?;
        let after = cpu_of_children();
        let figures = Figures::of([("user", after.0 - before.0), ("system", after.1 - before.1)]);
        Ok(Run { figures, result: Some(checked.outcome), ..Run::default() })
    }
}

fn arguments(query: &Query, list: &Path) -> io::Result<Vec<String>> {
    let mut arguments: Vec<String> = query.flags.iter().map(|&flag| flag.to_owned()).collect();
    if query.by_file {
        fs::write(list, query.patterns.join("\n") + "\n")?;
        arguments.extend(["-f".to_owned(), list.display().to_string()]);
    } else {
        arguments.extend(query.patterns.iter().flat_map(|p| ["-e".to_owned(), p.clone()]));
    }
    Ok(arguments)
}

/// The time in the program and in the kernel, in seconds, of all processes that this one has waited
/// for.
fn cpu_of_children() -> (f64, f64) {
    let seconds = |time: nix::sys::time::TimeVal| time.num_microseconds() as f64 / 1e6;
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or((0.0, 0.0), |usage| (seconds(usage.user_time()), seconds(usage.system_time())))
}
