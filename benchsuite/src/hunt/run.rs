//! One command line, done by every tool in turn.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::suite::check::{self, Refusal};
use crate::suite::record::Outcome as Result;
use crate::suite::tasks::Compared;
use crate::suite::tools::{HEIST, Installed, RIVALS};

use super::draw::Query;
use super::record::{Case, Outcome};

/// How long a run may take. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Arguments by which trees are searched alike.
const MODES: &[(&str, &[&str])] = &[
    ("hs", &["--no-config", "--no-heading"]),
    ("rg", &["--no-config", "--no-heading"]),
    ("ugrep", &["-rI", "--ignore-files", "--no-heading"]),
];

/// What ugrep has too, under the same name and with the same meaning.
const SHARED_FLAGS: &[&str] = &["-n", "-i", "-w", "-c", "-o", "-l", "-x", "-v", "-C2", "-a", "-F"];

/// Somebody who takes part.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    installed: Installed,
    mode: Vec<String>,
    is_limited: bool,
}

impl Tool {
    /// `hs`, at this place, and the rivals of these names.
    ///
    /// # Errors
    ///
    /// One is unknown or not installed.
    pub(super) fn all(
        heist: PathBuf,
        rivals: &[String],
        threads: usize,
    ) -> std::result::Result<Vec<Tool>, String> {
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
    pub(super) fn described(&self) -> (String, String) {
        (self.installed.rival.name.to_owned(), self.installed.version.clone())
    }

    fn can(&self, query: &Query) -> bool {
        !self.is_limited || query.flags.iter().all(|flag| SHARED_FLAGS.contains(flag))
    }

    /// Runs it: what it printed and the processor time that it took.
    fn run(
        &self,
        arguments: &[String],
        tree: &Path,
    ) -> std::result::Result<(Result, f64), Refusal> {
        let mut command = Command::new(&self.installed.program);
        command.args(&self.mode).args(arguments).arg("./").current_dir(tree);
        let before = seconds_of_children();
        let checked = check::check(command, Compared::Lines, PATIENCE)?;
        Ok((checked.outcome, seconds_of_children() - before))
    }
}

/// Lets every tool do `query`, `repeats` times in turn. Nothing, if it is no query that `hs` and ripgrep accept, or if the
/// user wants to stop.
///
/// # Errors
///
/// The file of patterns cannot be written.
pub(super) fn run(
    query: &Query,
    tools: &[Tool],
    tree: &Path,
    repeats: u16,
) -> io::Result<Option<Case>> {
    let list = tempfile::Builder::new().prefix("patterns").suffix(".txt").tempfile()?;
    let arguments = arguments(query, list.path())?;
    let able: Vec<&Tool> = tools.iter().filter(|tool| tool.can(query)).collect();
    let mut results: Vec<Outcome> = Vec::new();
    let mut reference: Option<Result> = None;
    for round in 0..repeats {
        for (index, tool) in able.iter().enumerate() {
            let run = tool.run(&arguments, tree);
            let (found, seconds, fault) = match run {
                Ok((found, seconds)) => (Some(found), seconds, None),
                Err(Refusal::Fault(why)) => (None, 0.0, Some(why)),
                Err(Refusal::Interrupted) => return Ok(None),
            };
            if index == 0 {
                reference = found;
            }
            let agrees = match (&reference, &found) {
                (Some(house), Some(found)) => check::agree(house, found),
                (None, None) => true,
                _ => false,
            };
            if round == 0 {
                let (tool, _) = tool.described();
                results.push(Outcome { tool, seconds, agrees, fault });
            } else {
                let known = &mut results[index];
                known.seconds = known.seconds.min(seconds);
                known.agrees &= agrees;
                known.fault = known.fault.take().or(fault);
            }
        }
        if results.iter().all(|found| found.fault.is_some()) {
            return Ok(None);
        }
    }
    let shown = shlex::try_join(arguments.iter().map(String::as_str)).unwrap_or_default();
    let shown =
        if query.by_file { format!("{shown} # {} words", query.patterns.len()) } else { shown };
    let lines = reference.map_or(0, |found| found.lines);
    Ok(Some(Case { arguments: shown, lines, results }))
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

/// The processor time of all processes that this one has waited for.
fn seconds_of_children() -> f64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| {
        (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
    })
}
