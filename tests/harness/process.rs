//! Runs child processes, and kills those that hang.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use super::{
    indexed,
    sys::{self, Group},
};

/// The time after which a child counts as hanging, unless the machine is overloaded.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// How many times [`TIMEOUT`] a child may take on an overloaded machine.
const MAX_TIMEOUTS: u32 = 20;

/// The result of a child process.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// Stderr; if the child hung, also the states of its threads.
    pub(crate) stderr: Vec<u8>,
    /// Whether the child was killed because it did nothing for longer than [`TIMEOUT`].
    pub(crate) hung: bool,
}

/// Runs `command` as [`run`] does, and fails if it hangs.
#[track_caller]
pub(crate) fn run_in_time(command: &mut Command, stdin: Option<Vec<u8>>) -> Outcome {
    let outcome = run(command, stdin);
    let messages = String::from_utf8_lossy(&outcome.stderr);
    assert!(!outcome.hung, "{command:?} hung: {messages}");
    outcome
}

/// Runs `command` to its end. Standard input is a pipe with the bytes `stdin`, or `/dev/null` if it
/// is `None`.
///
/// Runs a program again that Wine ended, which [`was_ended_by_wine`] describes.
pub(crate) fn run(command: &mut Command, stdin: Option<Vec<u8>>) -> Outcome {
    indexed::prepare(command, false);
    let is_in_wine = cfg!(unix) && is_for_windows(&program());
    for _ in 0..if is_in_wine { 3 } else { 0 } {
        let outcome = run_once(command, stdin.clone());
        if outcome.hung || !was_ended_by_wine(&outcome) {
            return outcome;
        }
    }
    run_once(command, stdin)
}

/// Whether Wine, not the program, ended a run. On a busy machine, a program can take longer to exit
/// than the second after which Wine's server kills it. A shell reports that as 137 if the program
/// was its last command, and otherwise only by the message `Killed`. If the program first notices
/// that its connection to the server is closed, it exits with 1 and a message of Wine's own.
fn was_ended_by_wine(outcome: &Outcome) -> bool {
    let messages = String::from_utf8_lossy(&outcome.stderr);
    matches!(outcome.status.code(), None | Some(137))
        || messages.lines().any(|line| line == "Killed" || line.starts_with("wine client error:"))
}

fn run_once(command: &mut Command, stdin: Option<Vec<u8>>) -> Outcome {
    let input = if stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    sys::start_group(command);
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let group = Group::of(&child);
    let mut threads = String::new();
    if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // An error is ignored: a child need not read its input to the end.
        thread::spawn(move || pipe.write_all(&bytes));
    }
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let mut waited = 0;
    let (output, hung) = loop {
        waited += 1;
        match receiver.recv_timeout(TIMEOUT) {
            Ok(output) => break (output, false),
            // The child makes no progress because the machine is overloaded.
            Err(RecvTimeoutError::Timeout)
                if waited < MAX_TIMEOUTS && group.is_starved(TIMEOUT) => {}
            Err(RecvTimeoutError::Timeout) => {
                threads = group.describe_threads();
                group.kill().expect("a hanging child can be killed");
                break (receiver.recv().expect("a killed child ends"), true);
            }
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the thread that waits for {command:?} has ended")
            }
        }
    };
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stderr = [output.stderr, threads.into_bytes()].concat();
    Outcome { status: output.status, stdout: output.stdout, stderr, hung }
}

/// The ripgrep that `HS_TEST_JUDGE` names.
pub(crate) fn oracle() -> Option<PathBuf> {
    env::var_os("HS_TEST_JUDGE").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The program under test: the one that `HS_TEST_PROGRAM` names, or the one that was just built.
pub(crate) fn program() -> PathBuf {
    let named = env::var_os("HS_TEST_PROGRAM").map(PathBuf::from);
    named.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_hs")))
}

/// Whether `program` is one for Windows.
pub(crate) fn is_for_windows(program: &Path) -> bool {
    program.extension().is_some_and(|extension| extension == "exe")
}
