//! A run in a process of its own, and the watchdog over it.
//!
//! The parent starts this program again with a hidden subcommand, writes the task to its standard
//! input as JSON and reads the sample from its output. So peak memory is that of one run, a hang
//! can be killed, and a crash takes nothing along. While the child measures, the parent sleeps.

use std::io::{self, Read, Write};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::machine::Ticks;
use crate::meter::{Sample, peak_bytes};
use crate::process::{self, Failure};
use crate::queues::case::Case;
use crate::queues::scenario;
use crate::turns::Run;
use crate::walker::Walk;

/// The hidden subcommand.
pub(crate) const SUBCOMMAND: &str = "sample";

/// What a child does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// A row of a scenario of `queues`.
    Case(Case),
    /// A walk of a tree.
    Walk(Walk),
}

/// Runs `task` in a process of its own for at most `limit`.
pub(crate) fn measure(task: &Task, limit: Duration) -> Result<Sample, Failure> {
    let mut command = Command::new(std::env::current_exe().map_err(Failure::of)?);
    command.arg(SUBCOMMAND);
    read_sample(command, &serde_json::to_vec(task).map_err(Failure::of)?, limit)
}

/// The sample that a command writes to its standard output.
fn read_sample(command: Command, input: &[u8], limit: Duration) -> Result<Sample, Failure> {
    let ended = process::run(command, input, limit).map_err(|failure| match failure {
        Failure::Hung(limit) => {
            Failure::Fault(format!("HUNG, killed after {} s", limit.as_secs_f64()))
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

/// Runs `task` once as a turn of its row.
pub(crate) fn run(task: &Task, limit: Duration) -> Result<Run, Failure> {
    let before = Ticks::now();
    let sample = measure(task, limit)?;
    Ok(Run {
        figures: sample.figures(),
        result: sample.result,
        invalid: sample.fault(),
        disturbed: Ticks::now().is_stolen_since(before),
    })
}

/// The child's side: reads a task from standard input, runs it, writes the sample. An error is what
/// kept the task from being run, and becomes the child's complaint.
pub(crate) fn serve() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let mut sample = match serde_json::from_str(&input)? {
        Task::Case(case) => scenario::measure(&case),
        Task::Walk(walk) => walk.run(),
    }
    .map_err(io::Error::other)?;
    sample.peak_bytes = sample.peak_bytes.or_else(peak_bytes);
    // JSON has no word for them.
    sample.columns.retain(|_, value| value.is_finite());
    writeln!(io::stdout(), "{}", serde_json::to_string(&sample)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        read_sample(command, b"", limit).unwrap_err().to_string()
    }

    #[test]
    fn failures_name_their_cause() {
        let limit = Duration::from_secs(60);
        let error = shell("echo all is well", limit);
        assert!(error.starts_with("FAILED: no sample: expected value"), "{error}");
        let error = shell("echo first >&2; echo last >&2; exit 3", limit);
        assert_eq!(error, "FAILED: exit status: 3: first\nlast");
        assert!(shell("kill -9 $$", limit).contains("signal: 9"));
        let missing = read_sample(Command::new("no-such-program-here"), b"", limit).unwrap_err();
        assert!(missing.to_string().contains("no-such-program-here: "), "{missing}");
        let hung = shell("exec sleep 1000", Duration::from_millis(50));
        assert_eq!(hung, "HUNG, killed after 0.05 s");
    }
}
