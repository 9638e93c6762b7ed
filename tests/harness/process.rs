//! Runs a child process to its end, or to the end of the harness's patience.

use std::{
    env,
    io::Write,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a child may take before it counts as hanging.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What a child left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// All that it wrote to stdout.
    pub(crate) stdout: Vec<u8>,
    /// All that it wrote to stderr.
    pub(crate) stderr: Vec<u8>,
    /// It was killed because it took longer than [`PATIENCE`].
    pub(crate) hung: bool,
}

/// Run `command` with `stdin` as its input (none: `/dev/null`) and collect what it writes.
pub(crate) fn run(command: &mut Command, stdin: Option<Vec<u8>>) -> Outcome {
    let input = if stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    // A group of its own, so that what a shell started is killed along with the shell.
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let group = Pid::from_child(&child);
    if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // A child that does not read to the end is no fault; its output tells what it made of it.
        thread::spawn(move || pipe.write_all(&bytes));
    }
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let (output, hung) = match receiver.recv_timeout(PATIENCE) {
        Ok(output) => (output, false),
        Err(RecvTimeoutError::Timeout) => {
            kill_process_group(group, Signal::KILL).expect("a hanging child can be killed");
            (receiver.recv().expect("a killed child ends"), true)
        }
        Err(RecvTimeoutError::Disconnected) => panic!("nobody waits for {command:?}"),
    };
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    Outcome { status: output.status, stdout: output.stdout, stderr: output.stderr, hung }
}

/// The program that stands in for `hs` and has the last word on what the tests expect, if any.
pub(crate) fn judge() -> Option<PathBuf> {
    env::var_os("HS_TEST_JUDGE").filter(|path| !path.is_empty()).map(PathBuf::from)
}
