//! Another program, run to its end: its output, its last words on standard error, and a time limit.
//!
//! Children get a process group of their own: an interrupt from the terminal reaches only this
//! program, which then kills them with everything they have started. Their standard error is a
//! file, for which no reader is needed; it is opened to append, so that what a child has written to
//! `/dev/stderr`, which it opens anew, is not written over.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::iter;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How much of standard error is kept, in characters, counted from the end.
const COMPLAINT: usize = 2000;

/// How often an interrupt is looked for: too seldom to show in any figure.
const LOOK: Duration = Duration::from_millis(200);

/// What every command that is measured finds in its environment: no configuration of `hs` and
/// ripgrep, and no place where an index of the user could lie.
pub(crate) const NO_CHOICES: [(&str, &str); 3] =
    [("HEIST_CONFIG_PATH", ""), ("RIPGREP_CONFIG_PATH", ""), ("XDG_CACHE_HOME", "/dev/null")];

/// A command that is measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Environment variables that differ from this program's.
    pub(crate) environment: Vec<(&'static str, PathBuf)>,
    /// Where it runs.
    pub(crate) directory: PathBuf,
    /// Whether its timed runs print to a pipe, since some tools stop at the first match if the
    /// output goes to `/dev/null`, which is the least work for all.
    pub(crate) has_pipe: bool,
}

impl Job {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        self.place(&mut command);
        command
    }

    /// Gives a command the environment and the directory of this one.
    pub(crate) fn place(&self, command: &mut Command) {
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        command.envs(NO_CHOICES).envs(environment).current_dir(&self.directory);
    }

    /// The command as a shell takes it. Fails if a word contains NUL.
    pub(crate) fn quoted(&self) -> Result<String, Failure> {
        let program = self.program.to_string_lossy();
        let words = iter::once(&*program).chain(self.arguments.iter().map(String::as_str));
        shlex::try_join(words).map_err(Failure::of)
    }

    /// The command as a shell takes it, without the directories of programs and files, which are
    /// this machine's.
    pub(crate) fn shown(&self) -> String {
        let short = |text: &str| match Path::new(text).file_name() {
            Some(name) if text.starts_with('/') => name.to_string_lossy().into_owned(),
            _ => text.to_owned(),
        };
        let program = short(&self.program.to_string_lossy()).into();
        let arguments = self.arguments.iter().map(|argument| short(argument)).collect();
        let set = self.environment.iter();
        let set = set.map(|(name, value)| format!("{name}={} ", short(&value.to_string_lossy())));
        let command = Job { program, arguments, ..Job::default() }.quoted().unwrap_or_default();
        set.collect::<String>() + &command
    }
}

/// A program that ended by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ended<T = Vec<u8>> {
    pub(crate) status: ExitStatus,
    /// What the reader made of its standard output.
    pub(crate) output: T,
    /// The end of what it wrote to standard error.
    pub(crate) complaint: String,
}

impl<T> Ended<T> {
    /// The last line of its messages.
    pub(crate) fn last_words(&self) -> &str {
        self.complaint.lines().last().unwrap_or("no message")
    }
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The run could not be started, or ended without a usable result, for this reason.
    Fault(String),
    /// The run took longer than this and was killed.
    Hung(Duration),
    /// The user interrupted the session, so it was killed.
    Interrupted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Fault(why) => write!(f, "{why}"),
            Failure::Hung(limit) => write!(f, "hung, killed after {} s", limit.as_secs_f64()),
            Failure::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl Failure {
    pub(crate) fn of(why: impl fmt::Display) -> Failure {
        Failure::Fault(why.to_string())
    }
}

/// Runs `command` with `input` on standard input for at most `limit`, and keeps its output.
pub(crate) fn run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Ended, Failure> {
    read(command, input, limit, |mut output| {
        let mut bytes = Vec::new();
        // What was read before an error is all there is.
        let _ = output.read_to_end(&mut bytes);
        bytes
    })
}

/// Runs `command` as [`run`] does; `reader` consumes the output as it comes.
pub(crate) fn read<T: Send + 'static>(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
    reader: impl FnOnce(ChildStdout) -> T + Send + 'static,
) -> Result<Ended<T>, Failure> {
    if interrupted() {
        return Err(Failure::Interrupted);
    }
    let deadline = Instant::now() + limit;
    let complaint = tempfile::Builder::new().append(true).tempfile().map_err(Failure::of)?;
    let complaint = complaint.into_file();
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(complaint.try_clone().map_err(Failure::of)?);
    let mut child = command.process_group(0).spawn().map_err(|error| {
        Failure::Fault(format!("cannot start: {}: {error}", command.get_program().display()))
    })?;
    let pid = Pid::from_child(&child);
    // The input is smaller than a pipe, so this cannot block; dropping the end closes it. A child
    // that is dead already is reported below.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input);
    }
    let (sender, receiver) = channel();
    let stdout = child.stdout.take();
    thread::spawn(move || {
        let output = stdout.map(reader);
        // This leaves the status to the other thread, which has killed the child if it fails.
        let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        drop(sender.send(output));
    });
    let failure = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(LOOK)) {
            Ok(Some(output)) => {
                let status = child.wait().map_err(Failure::of)?;
                return Ok(Ended { status, output, complaint: last_words(complaint) });
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                break Failure::of("its output could not be read");
            }
            Err(RecvTimeoutError::Timeout) if interrupted() => break Failure::Interrupted,
            Err(RecvTimeoutError::Timeout) if left.is_zero() => break Failure::Hung(limit),
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    // This fails only for processes that have ended. The child is waited for, so that its processor
    // time is not taken for a later run's; the thread ends when the pipe does.
    let _ = kill_process_group(pid, Signal::KILL);
    let _ = child.wait();
    Err(failure)
}

fn last_words(mut complaint: File) -> String {
    let mut bytes = Vec::new();
    let _ = complaint.rewind().and_then(|()| complaint.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(COMPLAINT);
    text.chars().skip(skipped).collect()
}

/// The first line that a program prints about its version.
pub(crate) fn version(program: &Path) -> Result<String, Failure> {
    let mut command = Command::new(program);
    let ended = run(command.arg("--version"), b"", Duration::from_secs(10))?;
    let text = String::from_utf8_lossy(&ended.output);
    Ok(text.trim_start().lines().next().unwrap_or_default().trim_end().to_owned())
}

/// Set once the user has interrupted the session.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on an interrupt (Ctrl-C) or a request to end only makes [`interrupted`] true; a second
/// one ends the program.
pub(crate) fn catch_interrupts() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, STOP.clone())?;
        signal_hook::flag::register(signal, STOP.clone())?;
    }
    Ok(())
}

/// Whether the user has interrupted the session.
pub(crate) fn interrupted() -> bool {
    // Ordering: Relaxed, nothing but the flag itself is passed on.
    STOP.load(Ordering::Relaxed)
}

/// The exit code of a session: 130 if the user has interrupted it, or 1 if a result is wrong.
pub(crate) fn exit_code(is_wrong: bool) -> ExitCode {
    if interrupted() { ExitCode::from(130) } else { ExitCode::from(u8::from(is_wrong)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hang_is_ended_with_what_it_started() {
        let (limit, ample) = (Duration::from_millis(50), Duration::from_secs(60));
        // The first shell waits for a child of its own; the second one holds no pipe.
        for script in ["sleep 1000; true", "exec >&- 2>&-; exec sleep 1000"] {
            let (sender, receiver) = channel();
            let begun = Instant::now();
            let mut sh = Command::new("sh");
            let ended = read(sh.args(["-c", script]), b"", limit, move |mut output| {
                // A pipe ends when everything that holds it is dead or has closed it.
                let _ = io::copy(&mut output, &mut io::sink());
                let _ = sender.send(());
            });
            assert_eq!(ended, Err(Failure::Hung(limit)));
            assert!(begun.elapsed() < ample, "the child was not killed: {script}");
            assert_eq!(receiver.recv_timeout(ample), Ok(()), "its child was not killed: {script}");
        }
    }
}
