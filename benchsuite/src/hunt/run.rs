//! One command line, run by every tool in turn.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::draw::Query;
use crate::process::Failure;
use crate::record::{self, Comparison, Figures, Row};
use crate::suite::check::check;
use crate::suite::tasks::Compared;
use crate::suite::tools::{HEIST, Installed, RIVALS};
use crate::turns::{Run, Turns};

/// How long a run may take. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Arguments by which trees are searched alike.
const MODES: &[(&str, &[&str])] = &[
    ("hs", &["--no-config", "--no-heading"]),
    ("rg", &["--no-config", "--no-heading"]),
    ("ugrep", &["-rI", "--ignore-files", "--no-heading"]),
];

/// The flags that ugrep has too, under the same name and with the same meaning.
const SHARED_FLAGS: &[&str] = &["-n", "-i", "-w", "-c", "-o", "-l", "-x", "-v", "-C2", "-a", "-F"];

/// A program that takes part.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    installed: Installed,
    mode: Vec<String>,
    /// Whether it has only [`SHARED_FLAGS`].
    is_limited: bool,
}

impl Tool {
    /// `hs`, at this place, and the rivals of these names. An unknown name is an error, and so is a
    /// rival that is not installed.
    pub(super) fn all(
        heist: PathBuf,
        rivals: &[String],
        threads: usize,
    ) -> Result<Vec<Tool>, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut tools = vec![HEIST.at(heist)];
        for name in rivals {
            let is_known = MODES.iter().skip(1).any(|(known, _)| known == name);
            let rival = RIVALS.iter().find(|rival| is_known && rival.name == name);
            let rival = rival.ok_or(format!("unknown tool '{name}', expected rg or ugrep"))?;
            tools.push(rival.find(&path).ok_or(format!("{name} is not installed"))?);
        }
        Ok(tools.into_iter().map(|installed| Tool::new(installed, threads)).collect())
    }

    fn new(installed: Installed, threads: usize) -> Tool {
        let name = installed.rival.name;
        let is_limited = name == "ugrep";
        let flags = MODES.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, f)| f);
        let mut mode: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        mode.push(format!("-{}{threads}", if is_limited { 'J' } else { 'j' }));
        Tool { installed, mode, is_limited }
    }

    /// Its name and version.
    pub(super) fn described(&self) -> record::Tool {
        let Installed { rival, version, .. } = &self.installed;
        record::Tool { name: rival.name.to_owned(), version: version.clone() }
    }

    fn can(&self, query: &Query) -> bool {
        !self.is_limited || query.flags.iter().all(|flag| SHARED_FLAGS.contains(flag))
    }

    /// Runs it once: its result and its processor time.
    fn run(&self, arguments: &[String], tree: &Path) -> Result<Run, Failure> {
        let mut command = Command::new(&self.installed.program);
        command.args(&self.mode).args(arguments).arg("./").current_dir(tree);
        let before = cpu_of_children();
        let checked = check(command, Compared::Lines, PATIENCE)?;
        let after = cpu_of_children();
        let figures = Figures::of([("user", after.0 - before.0), ("system", after.1 - before.1)]);
        Ok(Run { figures, result: Some(checked.outcome), ..Run::default() })
    }
}

/// Runs `query` with every tool, `repeats` times in turn. `None` if no tool accepts it, or if the
/// user stops the hunt.
pub(super) fn run(
    query: &Query,
    tools: &[Tool],
    tree: &Path,
    repeats: usize,
) -> io::Result<Option<Comparison>> {
    let list = tempfile::Builder::new().prefix("patterns").suffix(".txt").tempfile()?;
    let arguments = arguments(query, list.path())?;
    let able: Vec<&Tool> = tools.iter().filter(|tool| tool.can(query)).collect();
    let mut rows: Vec<Row> = Vec::new();
    for tool in &able {
        let mut row = Row { tool: tool.installed.rival.name.to_owned(), ..Row::default() };
        match tool.run(&arguments, tree) {
            Ok(run) => (row.result, row.runs) = (run.result, vec![run.figures]),
            Err(Failure::Interrupted) => return Ok(None),
            Err(failure) => row.fail(failure.to_string()),
        }
        row.agrees = Some(match (rows.first().unwrap_or(&row).result, row.result) {
            (Some(house), Some(found)) => house.agrees(&found),
            (None, None) => true,
            _ => false,
        });
        rows.push(row);
    }
    if rows.iter().all(|row| row.fault.is_some()) {
        return Ok(None);
    }
    let turns = Turns { repeats: repeats - 1, seed: 0, deadline: None, repeats_disturbed: false };
    let taken =
        turns.take(&mut rows, &mut |_| (), &mut |index, _| able[index].run(&arguments, tree));
    if taken.is_err() {
        return Ok(None);
    }
    let mut task = shlex::try_join(arguments.iter().map(String::as_str)).unwrap_or_default();
    if query.by_file {
        task += &format!(" # {} words", query.patterns.len());
    }
    let corpus = tree.display().to_string();
    Ok(Some(Comparison { corpus, task, rows, ..Comparison::default() }))
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
