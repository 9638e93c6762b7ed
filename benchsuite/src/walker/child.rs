//! Samples in processes of their own, so that memory is a sample's own and a hang can be ended.

use std::{
    env,
    ffi::OsStr,
    io::Read,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::walk::sample::{Outcome, Task};

/// The name of the hidden command that takes a [`Task`].
pub(crate) const COMMAND: &str = "walk-sample";

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
    let output = run_command(command, PATIENCE)?;
    serde_json::from_str(&output).map_err(|error| format!("unreadable sample: {error}: {output}"))
}

/// What a command writes to its standard output, if it succeeds in time.
fn run_command(mut command: Command, patience: Duration) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_owned();
    let mut child = command.spawn().map_err(|error| explain(&name, &error.to_string()))?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(explain(&name, "no pipe"));
    };
    // Nobody looks at the child while it works: both ends of the pipes sleep until it is through.
    let (sender, receiver) = mpsc::channel();
    let messages = gather(stderr);
    thread::spawn(move || sender.send(read_all(stdout)));
    let output = receiver.recv_timeout(patience);
    if output.is_err() {
        // It may have ended at this very moment, which is as well.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| explain(&name, &error.to_string()))?;
    match output {
        Err(_) => Err(format!("hung: nothing came of it in {} s", patience.as_secs_f64())),
        Ok(output) if status.success() => Ok(output),
        Ok(_) => {
            let messages = messages.join().unwrap_or_default();
            let last = messages.trim().lines().last().unwrap_or("no message");
            Err(format!("{status}: {}", last.strip_prefix("benchsuite: ").unwrap_or(last)))
        }
    }
}

fn gather(stream: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || read_all(stream))
}

fn read_all(mut stream: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is the most there is to tell.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn explain(name: &OsStr, error: &str) -> String {
    format!("{}: {error}", name.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> Result<String, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run_command(command, patience)
    }

    #[test]
    fn output_comes_back_and_failures_are_told() {
        let patience = Duration::from_secs(60);
        assert_eq!(shell("echo all is well", patience).unwrap(), "all is well\n");
        let error = shell("echo first >&2; echo 'benchsuite: last' >&2; exit 3", patience);
        assert_eq!(error.unwrap_err(), "exit status: 3: last");
        let killed = shell("kill -9 $$", patience).unwrap_err();
        assert!(killed.contains("signal: 9"), "{killed}");
    }

    #[test]
    fn a_hang_is_ended() {
        let error = shell("exec sleep 1000", Duration::from_millis(50)).unwrap_err();
        assert_eq!(error, "hung: nothing came of it in 0.05 s");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run_command(Command::new("no-such-program-here"), PATIENCE).unwrap_err();
        assert!(error.starts_with("no-such-program-here: "), "{error}");
    }
}
