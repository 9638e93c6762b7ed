//! A run in a process of its own, and the watchdog over it.
//!
//! The parent starts this program again with a hidden subcommand, writes the task to its standard
//! input as JSON and reads the outcome from its output. So peak memory is one run's, a hang can be
//! killed, and a crash takes nothing along. While the child measures, the parent sleeps.

use std::env;
use std::io::{self, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use serde::{Deserialize, Serialize};

use crate::machine::Ticks;
use crate::meter::peak_bytes;
use crate::process::{self, Failure, Job};
use crate::queues::case::Case;
use crate::queues::scenario;
use crate::record::{Figures, Outcome};
use crate::turns::Run;
use crate::walker::MeasuredWalk;

/// The hidden subcommand.
pub(crate) const SUBCOMMAND: &str = "sample";

/// The argument after which a child runs the program that follows, with a pipe for its output.
const PIPE_ARGUMENT: &str = "pipe";
/// The argument after which a child runs the program that follows, without a pipe for its output.
const NULL_ARGUMENT: &str = "null";

/// How many bytes a block has in which the kernel reports what was written to files.
const BLOCK_BYTES: f64 = 512.0;

/// The work of a child process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ChildTask {
    /// A row in a `queues` scenario.
    Case(Case),
    /// A walk of a tree.
    Walk(MeasuredWalk),
}

/// Runs `task` once, in a process of its own, for at most `limit`.
pub(crate) fn run(task: &ChildTask, limit: Duration) -> Result<Run, Failure> {
    let before = Ticks::now();
    let input = serde_json::to_vec(task).map_err(Failure::of)?;
    let run = read_run(&mut own_process()?, &input, limit)?;
    Ok(Run { disturbed: Ticks::now().is_stolen_since(before), ..run })
}

/// Runs another program as the only child of such a process, for its memory, faults and switches.
pub(crate) fn run_program(job: &Job, limit: Duration) -> Result<Run, Failure> {
    let mut command = own_process()?;
    command
        .arg(if job.has_pipe { PIPE_ARGUMENT } else { NULL_ARGUMENT })
        .arg(&job.program)
        .args(&job.arguments);
    job.place(&mut command);
    read_run(&mut command, b"", limit)
}

fn own_process() -> Result<Command, Failure> {
    let mut command = Command::new(env::current_exe().map_err(Failure::of)?);
    command.arg(SUBCOMMAND);
    Ok(command)
}

/// The run that a command writes to its standard output.
fn read_run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Run, Failure> {
    let ended = process::run(command, input, limit).map_err(|failure| match failure {
        Failure::Hung(limit) => {
            Failure::of(format!("HUNG, killed after {} s", limit.as_secs_f64()))
        }
        Failure::Fault(why) => Failure::Fault(format!("FAILED: {why}")),
        Failure::Interrupted => failure,
    })?;
    let complaint = ended.complaint;
    if !ended.status.success() {
        return Err(Failure::Fault(format!("FAILED: {}: {complaint}", ended.status)));
    }
    serde_json::from_slice(&ended.output)
        .map_err(|error| Failure::Fault(format!("FAILED: no sample: {error}; {complaint}")))
}

/// The child's side: runs the program in its arguments, or else the task that it reads from
/// standard input, and writes the outcome. An error is what kept the task from being run, and
/// becomes the child's complaint.
pub(crate) fn serve() -> ExitCode {
    let mut arguments = env::args_os().skip(2);
    let outcome = match (arguments.next(), arguments.next()) {
        (Some(output), Some(program)) => {
            let mut command = Command::new(program);
            command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
            cost_of(command.stdout(if output == PIPE_ARGUMENT {
                Stdio::piped()
            } else {
                Stdio::null()
            }))
        }
        _ => run_task(),
    };
    let write = |run| writeln!(io::stdout(), "{}", serde_json::to_string(&run)?);
    match outcome.and_then(write) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "benchsuite: {error}");
            ExitCode::from(2)
        }
    }
}

fn run_task() -> io::Result<Run> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let measured = match serde_json::from_str(&input)? {
        ChildTask::Case(case) => scenario::measure(&case).map(Run::from),
        ChildTask::Walk(walk) => walk.run(),
    };
    let mut run = measured.map_err(io::Error::other)?;
    run.figures.0.extend(peak_bytes().map(|bytes| ("peak_bytes".to_owned(), bytes as f64)));
    Ok(run)
}

/// The figures of a program's run that are times.
pub(crate) const TIMES: [&str; 3] = ["wall", "user", "system"];

/// The times of a command, and its other costs.
///
/// Memory, faults and switches are what the kernel reports to a parent about the children it has
/// waited for, so this process must have no other child. The kernel counts as a child's memory also
/// what the child was before it became the command: a copy of its parent. That parent is small
/// ([`serve`] comes first in `main`, and parses nothing), so that figures from some 3 MiB on are
/// the command's own.
fn cost_of(command: &mut Command) -> io::Result<Run> {
    let begun = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut output) = child.stdout.take() {
        io::copy(&mut output, &mut io::sink())?;
    }
    let status = child.wait()?;
    let wall = begun.elapsed().as_secs_f64();
    let code = status.code().ok_or_else(|| io::Error::other(status.to_string()))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let result = Some(Outcome { code, ..Outcome::default() });
    let seconds = |time: TimeVal| time.num_microseconds() as f64 / 1e6;
    let mut figures = Figures::of([
        ("wall", wall),
        ("user", seconds(usage.user_time())),
        ("system", seconds(usage.system_time())),
        ("voluntary", usage.voluntary_context_switches() as f64),
        ("involuntary", usage.involuntary_context_switches() as f64),
        ("peak_bytes", usage.max_rss() as f64 * 1024.0),
        ("minor_faults", usage.minor_page_faults() as f64),
        ("major_faults", usage.major_page_faults() as f64),
    ]);
    // Most commands write no file.
    let written = usage.block_writes() as f64 * BLOCK_BYTES;
    figures.0.extend((written > 0.0).then(|| ("written_bytes".to_owned(), written)));
    Ok(Run { figures, result, ..Run::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> String {
        read_run(Command::new("sh").args(["-c", script]), b"", limit).unwrap_err().to_string()
    }

    #[test]
    fn failures_name_their_cause() {
        let limit = Duration::from_secs(60);
        let error = shell("echo all is well", limit);
        assert!(error.starts_with("FAILED: no sample: expected value"), "{error}");
        let error = shell("echo first >&2; echo last >&2; exit 3", limit);
        assert_eq!(error, "FAILED: exit status: 3: first\nlast");
        assert!(shell("kill -9 $$", limit).contains("signal: 9"));
        let missing = read_run(&mut Command::new("no-such-program-here"), b"", limit).unwrap_err();
        assert!(missing.to_string().contains("no-such-program-here: "), "{missing}");
        let hung = shell("exec sleep 1000", Duration::from_millis(50));
        assert_eq!(hung, "HUNG, killed after 0.05 s");
    }

    #[test]
    fn the_cost_is_that_of_the_command_alone() {
        let run =
            |script: &str| cost_of(Command::new("sh").args(["-c", script]).stdout(Stdio::piped()));
        let small = run("exit 3").unwrap();
        assert_eq!(small.result.map(|result| result.code), Some(3));
        assert!(small.figures.0["peak_bytes"] > 102_400.0);
        assert!(small.figures.0["minor_faults"] > 0.0);
        assert!(run("kill -9 $$").unwrap_err().to_string().contains("signal: 9"));
    }
}
