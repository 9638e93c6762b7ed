//! The output of another program, read while it runs. Its standard error is collected in the
//! meantime, so it never blocks there, and it is never left as a zombie.

use std::{
    fmt::Write,
    fs::File,
    io::{self, Read},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{exit::park, sys::request_end};

/// The most bytes that are kept of the program's standard error; the rest is discarded.
const MAX_STDERR: u64 = 1 << 20;

/// The number of checks, each after twice the time of the last, whether a program whose output is
/// no longer needed ends by itself: a second in all. It may have work to finish, such as storing
/// its output. Then it receives SIGTERM.
const CHECKS: u32 = 10;
/// The number of further checks before it is killed: 127 ms in all.
const CHECKS_AFTER_SIGTERM: u32 = 7;

/// The programs that run for this one.
static RUNNING: Mutex<Running> = Mutex::new(Running { children: Vec::new(), is_over: false });

struct Running {
    children: Vec<Arc<Mutex<Child>>>,
    /// Whether no program may run any more.
    is_over: bool,
}

/// Ends all programs that run, and those that are about to be started. To be called when this
/// program ends while threads still wait for them.
pub(crate) fn end_commands() {
    let mut running = lock(&RUNNING);
    running.is_over = true;
    let children = running.children.clone();
    drop(running);
    // One that is locked has closed its output, and its thread ends it.
    let each = |act: &dyn Fn(&mut Child) -> bool| {
        let unlocked = children.iter().filter_map(|child| child.try_lock().ok());
        unlocked.map(|mut child| act(&mut child)).fold(false, |any, one| any | one)
    };
    let any_runs = || each(&|child| matches!(child.try_wait(), Ok(None)));
    if each(&|child| request_end(child))
        && check(CHECKS_AFTER_SIGTERM, || (!any_runs()).then_some(())).is_some()
    {
        return;
    }
    // It fails for those that have ended.
    each(&|child| child.kill().is_ok());
}

/// What `attempt` returns, which is called once more than `times`, each time after twice the time
/// of the last, until it returns something.
fn check<T>(times: u32, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    for round in 0..times {
        if let Some(found) = attempt() {
            return Some(found);
        }
        thread::sleep(Duration::from_millis(1 << round));
    }
    attempt()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running program. Dropping it ends the program.
pub(crate) struct CommandOutput {
    child: Arc<Mutex<Child>>,
    /// `None` once the output has ended or is no longer wanted.
    stdout: Option<ChildStdout>,
    errors: Option<JoinHandle<Vec<u8>>>,
    /// The beginning of the error message if it fails.
    prelude: String,
    /// Its error, which further reads repeat.
    fault: Option<String>,
}

impl CommandOutput {
    /// The number of pipe ends that are open while a program is started: two each for its output
    /// and its standard error.
    pub(crate) const PIPES: usize = 4;

    /// Runs `command` with `stdin` as its standard input. `prelude` begins the message if it fails.
    ///
    /// # Errors
    /// The program cannot be run.
    pub(crate) fn spawn(command: &mut Command, stdin: File, prelude: String) -> io::Result<Self> {
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        let child = Arc::new(Mutex::new(child));
        let mut output =
            CommandOutput { child: Arc::clone(&child), stdout, errors: None, prelude, fault: None };
        let mut running = lock(&RUNNING);
        if running.is_over {
            // Nothing is left to do about a program that cannot be ended.
            let _ = lock(&child).kill();
        }
        running.children.push(child);
        drop(running);
        if let Some(mut stderr) = stderr {
            let collect = move || {
                let mut errors = Vec::new();
                // A pipe that cannot be read has nothing more to give.
                let _ = (&mut stderr).take(MAX_STDERR).read_to_end(&mut errors);
                let _ = io::copy(&mut stderr, &mut io::sink());
                errors
            };
            output.errors = Some(thread::Builder::new().spawn(collect)?);
        }
        Ok(output)
    }

    /// Waits for the program after the end of its output.
    fn finish(&mut self) -> io::Result<()> {
        self.stdout = None;
        if lock(&self.child).wait()?.success() {
            return Ok(());
        }
        let errors = self.errors();
        self.fail(&errors)
    }

    /// Ends the program, whose further output is not wanted.
    ///
    /// # Errors
    /// The program failed and wrote to standard error, as in ripgrep. A program that fails silently
    /// has most likely met the closed pipe.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        if self.stdout.is_none() {
            return Ok(());
        }
        match self.end()? {
            Some(status) if !status.success() => match self.errors() {
                silent if silent.is_empty() => Ok(()),
                errors => self.fail(&errors),
            },
            _ => Ok(()),
        }
    }

    fn errors(&mut self) -> Vec<u8> {
        self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }

    fn fail(&mut self, errors: &[u8]) -> io::Result<()> {
        if lock(&RUNNING).is_over {
            // This program has ended it, which is no error.
            park();
        }
        let fault = message(&self.prelude, errors);
        self.fault = Some(fault.clone());
        Err(failed(fault))
    }

    /// Closes the output and ends the program. Most programs notice the closed pipe, or have
    /// nothing more to do; others receive SIGTERM and then SIGKILL. Returns its status if it ended
    /// by itself.
    fn end(&mut self) -> io::Result<Option<ExitStatus>> {
        self.stdout = None;
        if let Some(status) = self.check_exit(CHECKS)? {
            return Ok(Some(status));
        }
        // If this fails, it has ended already, or will be killed.
        let is_requested = request_end(&lock(&self.child));
        if is_requested && self.check_exit(CHECKS_AFTER_SIGTERM)?.is_some() {
            return Ok(None);
        }
        let mut child = lock(&self.child);
        child.kill()?;
        child.wait().map(|_| None)
    }

    /// Checks `checks` times whether the program has ended.
    fn check_exit(&mut self, checks: u32) -> io::Result<Option<ExitStatus>> {
        check(checks, || lock(&self.child).try_wait().transpose()).transpose()
    }
}

impl Read for CommandOutput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(fault) = &self.fault {
            return Err(failed(fault.clone()));
        }
        let Some(stdout) = &mut self.stdout else {
            return Ok(0);
        };
        let got = stdout.read(into)?;
        if got == 0 && !into.is_empty() {
            self.finish()?;
        }
        Ok(got)
    }
}

impl Drop for CommandOutput {
    fn drop(&mut self) {
        if self.stdout.is_some() {
            // Nothing is left to do about a program that cannot be ended.
            let _ = self.end();
        }
        lock(&RUNNING).children.retain(|child| !Arc::ptr_eq(child, &self.child));
    }
}

/// The error of a program that failed: all of its output is searched, also an incomplete last line.
fn failed(fault: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, fault)
}

/// The message about a program that failed, in ripgrep's form.
fn message(prelude: &str, errors: &[u8]) -> String {
    let errors = String::from_utf8_lossy(errors);
    let errors = errors.trim();
    let mut message = prelude.to_owned();
    if errors.is_empty() {
        message.push_str("<stderr is empty>");
    } else {
        let line = "-".repeat(79);
        // Writing to a string does not fail.
        let _ = write!(message, "\n{line}\n{errors}\n{line}");
    }
    message
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    fn sh(script: &str, stdin: &str) -> CommandOutput {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, stdin.as_bytes()).unwrap();
        io::Seek::rewind(&mut file).unwrap();
        let mut command = Command::new("sh");
        CommandOutput::spawn(command.args(["-c", script]), file, "failed: ".to_owned()).unwrap()
    }

    fn read(output: &mut CommandOutput) -> (String, Option<String>) {
        let mut bytes = Vec::new();
        let fault = output.read_to_end(&mut bytes).err().map(|error| error.to_string());
        (String::from_utf8(bytes).unwrap(), fault)
    }

    #[test]
    fn output_ends_with_success_or_a_message() {
        assert_eq!(read(&mut sh("cat", "a gem\n")), ("a gem\n".to_owned(), None));
        assert_eq!(read(&mut sh("echo well >&2", "")), (String::new(), None));
        let line = "-".repeat(79);
        let mut failing = sh("cat; echo ' oops ' >&2; exit 3", "a gem\n");
        let fault = Some(format!("failed: \n{line}\noops\n{line}"));
        assert_eq!(read(&mut failing), ("a gem\n".to_owned(), fault.clone()));
        assert_eq!(read(&mut failing), (String::new(), fault), "further reads repeat the error");
        let (_, fault) = read(&mut sh("kill -9 $$", ""));
        assert_eq!(fault.as_deref(), Some("failed: <stderr is empty>"));
    }

    #[test]
    fn output_on_standard_error_does_not_block_a_program() {
        let script = "yes oops | head -c 3000000 >&2; echo a gem; exit 1";
        let (text, fault) = read(&mut sh(script, ""));
        assert_eq!(text, "a gem\n");
        let length = fault.unwrap().len() as u64;
        assert!((MAX_STDERR..MAX_STDERR + 1000).contains(&length), "{length}");
    }

    #[test]
    fn a_program_that_is_not_needed_is_ended() {
        for script in ["yes", "exec sleep 100", "trap '' TERM; while :; do sleep 0.01; done"] {
            let mut output = sh(script, "");
            if script == "yes" {
                output.read_exact(&mut [0; 10]).unwrap();
            }
            let pid = rustix::process::Pid::from_child(&lock(&output.child));
            let start = Instant::now();
            drop(output);
            assert!(start.elapsed() < Duration::from_secs(50), "{script}");
            let gone = rustix::process::test_kill_process(pid);
            assert_eq!(gone, Err(rustix::io::Errno::SRCH), "{script}: it is no zombie");
        }
    }
}
