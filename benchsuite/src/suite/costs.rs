//! The cost of a command besides time, in runs of their own.
//!
//! Memory, faults and switches are what the kernel reports to a parent about the children it has
//! waited for, so each run has a small process of this program in between, whose only child is the
//! command. The kernel counts as a child's memory also what the child was before it became the
//! command: a copy of its parent. That parent is small ([`run_between`] comes first in `main`), so
//! that figures from some 3 MiB on are the command's own.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

use crate::process::{self, Failure};
use crate::record::Figures;
use crate::suite::hyperfine::Job;

/// The hidden subcommand of the process in between.
pub(crate) const SUBCOMMAND: &str = "cost-run";

/// Time limit for probing `perf`.
const TRIAL: Duration = Duration::from_secs(60);

/// What the process in between reports.
#[derive(Serialize, Deserialize)]
struct Report {
    cost: Figures,
    /// The exit code; `None` after a signal.
    code: Option<i32>,
}

/// The process in between: runs the command it was given and reports its cost.
pub(crate) fn run_between(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let reported =
        report(arguments).and_then(|report| Ok(serde_json::to_writer(io::stdout(), &report)?));
    match reported {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "benchsuite: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(mut arguments: impl Iterator<Item = OsString>) -> io::Result<Report> {
    let missing = || io::Error::other("no command");
    let output = arguments.next().ok_or_else(missing)?;
    let output = if output == Job::NULL { Stdio::null() } else { Stdio::piped() };
    let mut command = Command::new(arguments.next().ok_or_else(missing)?);
    command.args(arguments).stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let mut child = command.spawn()?;
    if let Some(mut output) = child.stdout.take() {
        io::copy(&mut output, &mut io::sink())?;
    }
    let status = child.wait()?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cost = Figures::of([
        ("peak_bytes", usage.max_rss() as f64 * 1024.0),
        ("voluntary", usage.voluntary_context_switches() as f64),
        ("involuntary", usage.involuntary_context_switches() as f64),
        ("minor_faults", usage.minor_page_faults() as f64),
        ("major_faults", usage.major_page_faults() as f64),
    ]);
    Ok(Report { cost, code: status.code() })
}

/// Runs a command for its costs; it must end with `code`.
pub(crate) fn measure(job: Job<'_>, code: i32) -> Result<Figures, Failure> {
    let mut command = Command::new(std::env::current_exe().map_err(Failure::of)?);
    command.args([SUBCOMMAND, job.output]).arg(job.program).args(job.arguments);
    command.current_dir(job.directory);
    let ended = process::run(command, b"", job.limit)?;
    if !ended.status.success() {
        return Err(Failure::Fault(format!("{}: {}", ended.status, ended.complaint)));
    }
    let report: Report = serde_json::from_slice(&ended.output).map_err(Failure::of)?;
    if report.code != Some(code) {
        let ended = report.code.map_or("a signal".to_owned(), |code| code.to_string());
        return Err(Failure::Fault(format!("ended with {ended} instead of {code}")));
    }
    Ok(report.cost)
}

/// The event of `perf` that a thread went on another core.
pub(crate) const MIGRATIONS: &str = "migrations";
/// The event of `perf` of a system call.
pub(crate) const CALLS: &str = "raw_syscalls:sys_enter";

/// The events that `perf` can count here: it may be missing, or forbidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Perf(Vec<&'static str>);

impl Perf {
    /// Probes each event.
    pub(crate) fn find() -> Perf {
        let (program, directory) = (Path::new("true"), Path::new("."));
        let job = Job { program, arguments: &[], directory, output: Job::NULL, limit: TRIAL };
        let works = |event: &&str| count_event(event, job).is_ok();
        Perf([MIGRATIONS, CALLS].into_iter().filter(works).collect())
    }

    /// Whether it can count this.
    pub(crate) fn has(&self, event: &str) -> bool {
        self.0.contains(&event)
    }

    /// How often the event happens in a run of the command, if it can be counted.
    pub(crate) fn count(&self, event: &str, job: Job<'_>) -> Option<f64> {
        self.has(event).then(|| count_event(event, job).ok()).flatten()
    }
}

/// Counts one event in a run of a command.
fn count_event(event: &str, job: Job<'_>) -> Result<f64, Failure> {
    let file = tempfile::NamedTempFile::new().map_err(Failure::of)?;
    let mut perf = Command::new("perf");
    perf.args(["stat", "-x,", "-e", event, "-o"]).arg(file.path()).arg("--").arg(job.program);
    perf.args(job.arguments).current_dir(job.directory);
    // Its exit code is the command's, which other runs check.
    process::read(perf, b"", job.limit, |mut output| {
        io::copy(&mut output, &mut io::sink()).is_ok()
    })?;
    let text = std::fs::read_to_string(file.path()).map_err(Failure::of)?;
    counted(&text).ok_or_else(|| Failure::of("perf counted nothing"))
}

/// The number in what `perf stat -x,` writes.
fn counted(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| !line.is_empty() && !line.starts_with('#'))?;
    line.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_of_the_command_alone() {
        let run = |script: &str| {
            let arguments = ["pipe", "sh", "-c", script].map(OsString::from);
            report(arguments.into_iter()).expect("a report")
        };
        let small = run("exit 3");
        assert_eq!(small.code, Some(3));
        let cost = |name: &str| small.cost.get(name).expect(name);
        assert!(cost("peak_bytes") > 102_400.0 && cost("minor_faults") > 0.0);
        assert_eq!(run("kill -9 $$").code, None);
        assert!(report(std::iter::empty()).is_err());
    }

    #[test]
    fn counts_of_perf_are_read() {
        let text = "# started on Sat Nov 21\n\n123,,migrations:u,1000,100.00,,\n";
        assert_eq!(counted(text), Some(123.0));
        assert_eq!(counted("<not supported>,,migrations,0,,,\n"), None);
        assert_eq!(counted(""), None);
    }
}
