//! The output of another program, read as it comes. Its errors are collected meanwhile, so that it never waits for
//! somebody to read them; it is never left behind as a zombie.

use std::{
    fmt::Write,
    fs::File,
    io::{self, Read},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
    time::Duration,
};

/// How much a program may complain, in bytes; what comes after is read and forgotten.
const MOST_COMPLAINTS: u64 = 1 << 20;

/// How often one looks whether a program that is no longer needed ends by itself, each time after twice as long, before
/// it is asked to: a second in all. Nobody reads its output any more, but it may have something else to do, such as
/// keeping it for the next time.
const LOOKS: u32 = 10;
/// How often then before it is killed: 127 ms in all.
const LAST_LOOKS: u32 = 7;

/// A running program. Dropping it ends it.
pub(crate) struct CommandOutput {
    child: Child,
    /// None once its output has ended, or is no longer wanted.
    stdout: Option<ChildStdout>,
    complaints: Option<JoinHandle<Vec<u8>>>,
    /// What is said before its complaints if it fails.
    prelude: String,
    /// How it failed. Who asks again is told again.
    fault: Option<String>,
}

impl CommandOutput {
    /// How many ends of pipes are open while a program is started: both of its output's and of its complaints'.
    pub(crate) const PIPES: usize = 4;

    /// Run `command` with `stdin` as its standard input. `prelude` begins the message if it fails.
    ///
    /// # Errors
    /// It cannot be run.
    pub(crate) fn spawn(command: &mut Command, stdin: File, prelude: String) -> io::Result<Self> {
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        let mut output = CommandOutput { child, stdout, complaints: None, prelude, fault: None };
        if let Some(mut stderr) = stderr {
            let collect = move || {
                let mut complaints = Vec::new();
                // A pipe that cannot be read has nothing more to tell.
                let _ = (&mut stderr).take(MOST_COMPLAINTS).read_to_end(&mut complaints);
                let _ = io::copy(&mut stderr, &mut io::sink());
                complaints
            };
            output.complaints = Some(thread::Builder::new().spawn(collect)?);
        }
        Ok(output)
    }

    /// Its output has ended: was it a success?
    fn finish(&mut self) -> io::Result<()> {
        self.stdout = None;
        if self.child.wait()?.success() {
            return Ok(());
        }
        let complaints = self.complaints();
        self.fail(&complaints)
    }

    /// The rest of its output is not wanted. Its failure counts if it says why, as in ripgrep: one that says nothing has
    /// most likely met the end of who reads it.
    ///
    /// # Errors
    /// As it says.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        if self.stdout.is_none() {
            return Ok(());
        }
        match self.end()? {
            Some(status) if !status.success() => match self.complaints() {
                silent if silent.is_empty() => Ok(()),
                complaints => self.fail(&complaints),
            },
            _ => Ok(()),
        }
    }

    fn complaints(&mut self) -> Vec<u8> {
        self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }

    fn fail(&mut self, complaints: &[u8]) -> io::Result<()> {
        let fault = message(&self.prelude, complaints);
        self.fault = Some(fault.clone());
        Err(io::Error::other(fault))
    }

    /// Nobody wants the rest of its output. Most programs notice when they write, or have nothing more to do; one that
    /// goes on is asked to end, and killed if it does not. Gives how it ended if it did so by itself.
    fn end(&mut self) -> io::Result<Option<ExitStatus>> {
        self.stdout = None;
        if let Some(status) = self.look(LOOKS)? {
            return Ok(Some(status));
        }
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process};
            // Without success it has ended already, or will be killed.
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            if self.look(LAST_LOOKS)?.is_some() {
                return Ok(None);
            }
        }
        self.child.kill()?;
        self.child.wait().map(|_| None)
    }

    /// Look so often whether it has ended.
    fn look(&mut self, looks: u32) -> io::Result<Option<ExitStatus>> {
        for look in 0..looks {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            thread::sleep(Duration::from_millis(1 << look));
        }
        self.child.try_wait()
    }
}

impl Read for CommandOutput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(fault) = &self.fault {
            return Err(io::Error::other(fault.clone()));
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
            // A program that can be neither ended nor waited for leaves nothing else to do.
            let _ = self.end();
        }
    }
}

/// What is said of a program that failed, in ripgrep's form.
fn message(prelude: &str, complaints: &[u8]) -> String {
    let complaints = String::from_utf8_lossy(complaints);
    let complaints = complaints.trim();
    let mut message = prelude.to_owned();
    if complaints.is_empty() {
        message.push_str("<stderr is empty>");
    } else {
        let line = "-".repeat(79);
        // Writing to a string does not fail.
        let _ = write!(message, "\n{line}\n{complaints}\n{line}");
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
        assert_eq!(read(&mut failing), (String::new(), fault), "and stays so");
        let (_, fault) = read(&mut sh("kill -9 $$", ""));
        assert_eq!(fault.as_deref(), Some("failed: <stderr is empty>"));
    }

    #[test]
    fn complaints_do_not_stop_a_program() {
        let script = "yes oops | head -c 3000000 >&2; echo a gem; exit 1";
        let (text, fault) = read(&mut sh(script, ""));
        assert_eq!(text, "a gem\n");
        let length = fault.unwrap().len() as u64;
        assert!((MOST_COMPLAINTS..MOST_COMPLAINTS + 1000).contains(&length), "{length}");
    }

    #[test]
    fn a_program_that_is_not_needed_is_ended() {
        for script in ["yes", "exec sleep 100", "trap '' TERM; while :; do sleep 0.01; done"] {
            let mut output = sh(script, "");
            if script == "yes" {
                output.read_exact(&mut [0; 10]).unwrap();
            }
            let pid = rustix::process::Pid::from_child(&output.child);
            let start = Instant::now();
            drop(output);
            assert!(start.elapsed() < Duration::from_secs(50), "{script}");
            let gone = rustix::process::test_kill_process(pid);
            assert_eq!(gone, Err(rustix::io::Errno::SRCH), "{script}: not even a zombie");
        }
    }
}
