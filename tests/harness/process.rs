//! Runs a child process to its end, or to the end of the harness's patience.

use std::{
    env, fs,
    io::Write,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a child may take before it counts as hanging. Long enough for a machine that has much else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What a child left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// All that it wrote to stdout.
    pub(crate) stdout: Vec<u8>,
    /// All that it wrote to stderr; if it hung, what its threads were doing, too.
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
    let mut threads = String::new();
    if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // A child that does not read to the end is no fault; its output tells what it made of it.
        thread::spawn(move || pipe.write_all(&bytes));
    }
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let (output, hung) = match receiver.recv_timeout(PATIENCE) {
        Ok(output) => (output, false),
        Err(RecvTimeoutError::Timeout) => {
            threads = describe_threads(group);
            kill_process_group(group, Signal::KILL).expect("a hanging child can be killed");
            (receiver.recv().expect("a killed child ends"), true)
        }
        Err(RecvTimeoutError::Disconnected) => panic!("nobody waits for {command:?}"),
    };
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stderr = [output.stderr, threads.into_bytes()].concat();
    Outcome { status: output.status, stdout: output.stdout, stderr, hung }
}

/// What the threads of a process are doing, as far as the system tells: whether they run or sleep, and in which call.
fn describe_threads(process: Pid) -> String {
    let tasks = format!("/proc/{}/task", process.as_raw_nonzero());
    let threads = fs::read_dir(tasks).into_iter().flatten().flatten();
    let describe = |thread: fs::DirEntry| {
        let read = |name| fs::read_to_string(thread.path().join(name)).unwrap_or_default();
        format!(
            "thread: {} in {}, {}\n",
            read("stat").trim(),
            read("wchan"),
            read("syscall").trim()
        )
    };
    threads.map(describe).collect()
}

/// The program that stands in for `hs` and has the last word on what the tests expect, if any.
pub(crate) fn judge() -> Option<PathBuf> {
    env::var_os("HS_TEST_JUDGE").filter(|path| !path.is_empty()).map(PathBuf::from)
}
