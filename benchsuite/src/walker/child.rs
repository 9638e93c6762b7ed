//! Samples in processes of their own, so that memory is a sample's own and a hang can be ended.

use std::{env, process::Command, time::Duration};

use crate::process::{self, Failure};
use crate::walker::sample::{Outcome, Task};

/// The name of the hidden command that takes a [`Task`].
pub(crate) const COMMAND: &str = "walker-sample";

/// How long a sample may take. Only a hang takes longer, or a tree that nobody wants to walk a hundred
/// times.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runs a task as a process of this program.
///
/// # Errors
///
/// What the process had to say, how it died, or that it took too long.
pub(crate) fn run(task: &Task) -> Result<Outcome, String> {
    let program = env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let mut command = Command::new(program);
    command.arg(COMMAND).args(task.arguments());
    run_command(command, PATIENCE)
}

/// The sample that a command writes to its standard output, if it succeeds in time.
fn run_command(command: Command, patience: Duration) -> Result<Outcome, String> {
    let ended = process::run(command, b"", patience).map_err(|failure| match failure {
        Failure::Hung(limit) => format!("hung: nothing came of it in {} s", limit.as_secs_f64()),
        failure => failure.to_string(),
    })?;
    if !ended.status.success() {
        let last = ended.complaint.lines().last().unwrap_or("no message");
        let last = last.strip_prefix("benchsuite: ").unwrap_or(last);
        return Err(format!("{}: {last}", ended.status));
    }
    let output = String::from_utf8_lossy(&ended.output);
    serde_json::from_str(&output).map_err(|error| format!("unreadable sample: {error}: {output}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run_command(command, patience).unwrap_err()
    }

    #[test]
    fn failures_are_told() {
        let patience = Duration::from_secs(60);
        let error = shell("echo all is well", patience);
        assert!(error.ends_with(": all is well\n"), "{error}");
        let error = shell("echo first >&2; echo 'benchsuite: last' >&2; exit 3", patience);
        assert_eq!(error, "exit status: 3: last");
        let killed = shell("kill -9 $$", patience);
        assert!(killed.contains("signal: 9"), "{killed}");
        let missing = run_command(Command::new("no-such-program-here"), PATIENCE).unwrap_err();
        assert!(missing.contains("no-such-program-here: "), "{missing}");
    }

    #[test]
    fn a_hang_is_ended() {
        let error = shell("exec sleep 1000", Duration::from_millis(50));
        assert_eq!(error, "hung: nothing came of it in 0.05 s");
    }
}
