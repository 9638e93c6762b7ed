//! Another program, run to its end: what it wrote, what it had to say, and an end to it when it hangs.
//!
//! Where interrupts are caught ([`catch_interrupts`]), children get a process group of their own: an
//! interrupt from the terminal reaches only this program, which then ends them with all they have
//! started.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How much of what a program complained about is kept, in characters, counted from the end.
const COMPLAINT: usize = 2000;

/// How often somebody looks whether the user wants to stop. Too seldom to be seen in any figure.
const LOOK: Duration = Duration::from_millis(200);

/// What a program did that ended by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ended<T = Vec<u8>> {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// What was made of its standard output.
    pub(crate) output: T,
    /// The end of what it wrote to standard error.
    pub(crate) complaint: String,
}

/// Why there is no end to speak of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It took longer than this and was killed.
    Hung(Duration),
    /// The user wanted to stop, so it was killed.
    Interrupted,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::NotStarted(why) => write!(f, "cannot start: {why}"),
            Failure::Hung(limit) => write!(f, "hung, killed after {} s", limit.as_secs_f64()),
            Failure::Interrupted => write!(f, "interrupted"),
        }
    }
}

/// Runs `command` with `input` on its standard input, for at most `limit`, and keeps its output.
///
/// # Errors
///
/// It did not end by itself.
pub(crate) fn run(command: Command, input: &[u8], limit: Duration) -> Result<Ended, Failure> {
    read(command, input, limit, |mut output| {
        let mut bytes = Vec::new();
        // What was read before an error is the most there is to tell.
        let _ = output.read_to_end(&mut bytes);
        bytes
    })
}

/// The same, but `reader` makes of the output what it likes, as it comes.
///
/// # Errors
///
/// It did not end by itself.
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
    let not_started =
        |error: &dyn std::fmt::Display| Failure::NotStarted(format!("{}: {error}", name.display()));
    let mut child = command.spawn().map_err(|error| not_started(&error))?;
    // What is written here is smaller than a pipe, so this cannot block; dropping the end closes it.
    // A child that is dead already is told of below.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input);
    }
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        end(&mut child);
        return Err(not_started(&"no pipe"));
    };
    // Nobody looks at the child while it works: both ends of the pipes sleep until it is through.
    let output = on_a_thread(move || reader(Box::new(stdout)));
    let complaint = on_a_thread(move || last_words(stderr));
    let awaited = wait_for(&output, deadline).and_then(|output| {
        // It has closed its output; what remains is to exit.
        let status = wait_until(&mut child, deadline).ok_or(None)?;
        Ok((output, status))
    });
    match awaited {
        Ok((output, status)) => {
            let complaint = complaint.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
            Ok(Ended { status, output, complaint })
        }
        Err(why) => {
            end(&mut child);
            Err(why.unwrap_or(Failure::Hung(limit)))
        }
    }
}

fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    // Nobody listens any more when the child was killed.
    thread::spawn(move || drop(sender.send(work())));
    receiver
}

/// What comes of `work` before the deadline; `None` is that nothing did.
fn wait_for<T>(work: &Receiver<T>, deadline: Instant) -> Result<T, Option<Failure>> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match work.recv_timeout(left.min(LOOK)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(None),
            Err(RecvTimeoutError::Timeout) if interrupted() => {
                return Err(Some(Failure::Interrupted));
            }
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn last_words(mut stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = stderr.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(COMPLAINT);
    text.chars().skip(skipped).collect()
}

fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
            _ => return None,
        }
    }
}

/// Kills the child and what it has started. It fails only for what is gone already.
fn end(child: &mut Child) {
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let (Some(_), Some(group)) = (STOP.get(), pid) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Set once the user has asked to stop.
static STOP: OnceLock<std::sync::Arc<std::sync::atomic::AtomicBool>> = OnceLock::new();

/// From now on an interrupt (Ctrl-C) or a request to end only makes [`interrupted`] true; a second one
/// ends the program.
///
/// # Errors
///
/// As the system says.
pub(crate) fn catch_interrupts() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let flag = STOP.get_or_init(Default::default);
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(())
}

/// Whether the user has asked to stop.
pub(crate) fn interrupted() -> bool {
    // Ordering: Relaxed, nothing but the wish itself is passed on.
    STOP.get().is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
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
