//! Another program, run to its end: its output, its last words on standard error, and a time limit.
//!
//! Once interrupts are caught ([`catch_interrupts`]), children get a process group of their own: an
//! interrupt from the terminal reaches only this program, which then kills them with everything
//! they have started.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

/// How much of standard error is kept, in characters, counted from the end.
const COMPLAINT: usize = 2000;

/// How often an interrupt is looked for: too seldom to show in any figure.
const LOOK: Duration = Duration::from_millis(200);

/// A program that ended by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ended<T = Vec<u8>> {
    pub(crate) status: ExitStatus,
    /// What the reader made of its standard output.
    pub(crate) output: T,
    /// The end of what it wrote to standard error.
    pub(crate) complaint: String,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// It could not be started, or ended without a usable result, for this reason.
    Fault(String),
    /// It took longer than this and was killed.
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
pub(crate) fn run(command: Command, input: &[u8], limit: Duration) -> Result<Ended, Failure> {
    read(command, input, limit, |mut output| {
        let mut bytes = Vec::new();
        // What was read before an error is all there is.
        let _ = output.read_to_end(&mut bytes);
        bytes
    })
}

/// Runs `command` as [`run`] does; `reader` consumes the output as it comes.
pub(crate) fn read<T: Send + 'static>(
    mut command: Command,
    input: &[u8],
    limit: Duration,
    reader: impl FnOnce(Box<dyn Read>) -> T + Send + 'static,
) -> Result<Ended<T>, Failure> {
    if interrupted() {
        return Err(Failure::Interrupted);
    }
    let deadline = Instant::now() + limit;
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    if STOP.get().is_some() {
        command.process_group(0);
    }
    let name = command.get_program().to_owned();
    let not_started = |error: &dyn fmt::Display| {
        Failure::Fault(format!("cannot start: {}: {error}", name.display()))
    };
    let mut child = command.spawn().map_err(|error| not_started(&error))?;
    // The input is smaller than a pipe, so this cannot block; dropping the end closes it. A child
    // that is dead already is reported below.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input);
    }
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        kill(&mut child);
        return Err(not_started(&"no pipe"));
    };
    let output = on_a_thread(move || reader(Box::new(stdout)));
    let complaint = on_a_thread(move || last_words(stderr));
    let awaited = wait(&mut child, deadline, limit).and_then(|status| {
        // A process that the child has left behind may keep the pipe open.
        let left = deadline.saturating_duration_since(Instant::now());
        let output = output.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Failure::Hung(limit),
            RecvTimeoutError::Disconnected => Failure::of("its output could not be read"),
        })?;
        let complaint = complaint.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        Ok(Ended { status, output, complaint })
    });
    if awaited.is_err() {
        kill(&mut child);
    }
    awaited
}

fn wait(child: &mut Child, deadline: Instant, limit: Duration) -> Result<ExitStatus, Failure> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match child.wait_timeout(left.min(LOOK)) {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if interrupted() => return Err(Failure::Interrupted),
            Ok(None) if left.is_zero() => return Err(Failure::Hung(limit)),
            Ok(None) => {}
            Err(error) => return Err(Failure::of(error)),
        }
    }
}

fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    // The receiver is gone if the child was killed.
    thread::spawn(move || drop(sender.send(work())));
    receiver
}

fn last_words(mut stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = stderr.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(COMPLAINT);
    text.chars().skip(skipped).collect()
}

/// Kills the child and what it has started. This fails only for processes that have ended.
fn kill(child: &mut Child) {
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let (Some(_), Some(group)) = (STOP.get(), pid) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Set once the user has interrupted the session.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on an interrupt (Ctrl-C) or a request to end only makes [`interrupted`] true; a second
/// one ends the program.
pub(crate) fn catch_interrupts() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let flag = STOP.get_or_init(Default::default);
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(())
}

/// Whether the user has interrupted the session.
pub(crate) fn interrupted() -> bool {
    // Ordering: Relaxed, nothing but the flag itself is passed on.
    STOP.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(60);

    fn shell(script: &str, input: &str, limit: Duration) -> Result<Ended, Failure> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, input.as_bytes(), limit)
    }

    #[test]
    fn input_output_and_complaints_are_carried() {
        let ended =
            shell("cat; echo first >&2; echo last >&2; exit 3", "all is well", AMPLE).unwrap();
        assert_eq!(ended.output, b"all is well");
        assert_eq!((ended.status.code(), ended.complaint.as_str()), (Some(3), "first\nlast"));
        let killed = shell("kill -9 $$", "", AMPLE).unwrap();
        assert!(killed.status.to_string().contains("signal: 9"), "{}", killed.status);
    }

    #[test]
    fn a_hang_is_ended_with_what_it_started() {
        let started = Instant::now();
        let limit = Duration::from_millis(50);
        catch_interrupts().unwrap();
        // The shell waits for a child of its own, which keeps the pipe open.
        assert_eq!(shell("sleep 1000; true", "", limit), Err(Failure::Hung(limit)));
        assert_eq!(shell("exec >&- 2>&-; exec sleep 1000", "", limit), Err(Failure::Hung(limit)));
        assert!(started.elapsed() < AMPLE);
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(Command::new("no-such-program-here"), b"", AMPLE).unwrap_err().to_string();
        assert!(error.starts_with("cannot start: no-such-program-here: "), "{error}");
    }
}
