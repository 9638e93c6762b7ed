//! The output of another program, read while it runs. Its standard error is collected in the
//! meantime, so it never blocks there, and it is never left as a zombie.

use std::{
    fmt::Write,
    io::{self, Read},
    process::{ChildStdout, Command, ExitStatus, Stdio},
    sync::Arc,
    thread::{self, JoinHandle},
};

use crate::{
    error::park,
    run::running::{self, Program},
};

/// How many bytes are kept from the program's standard error; the rest is discarded.
const MAX_STDERR: u64 = 1 << 20;

/// How often it is checked, after a time that doubles, whether a program ends by itself once its
/// output is no longer needed: a second in all. It may have work to finish, such as storing its
/// output. Then it is ended.
const CHECKS: u32 = 10;

/// A running program. Dropping it ends the program.
pub(crate) struct CommandOutput {
    program: Arc<Program>,
    /// `None` once the output has ended or is no longer wanted.
    stdout: Option<ChildStdout>,
    errors: Option<JoinHandle<Vec<u8>>>,
    /// How the error message begins if it fails.
    prelude: String,
    /// The program's error, which further reads repeat.
    fault: Option<String>,
}

impl CommandOutput {
    /// How many pipe ends are open while a program is started: two each for its output and its
    /// standard error.
    pub(crate) const PIPES: usize = 4;

    /// Runs `command` with `stdin` as its standard input. `prelude` begins the message if it fails.
    ///
    /// # Errors
    /// The program cannot be run.
    pub(crate) fn spawn(
        command: &mut Command,
        stdin: impl Into<Stdio>,
        prelude: String,
    ) -> io::Result<Self> {
        let (program, stdout, stderr) = Program::start(command, stdin)?;
        let mut output = CommandOutput { program, stdout, errors: None, prelude, fault: None };
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

    /// Waits for the program after its output has ended.
    fn finish(&mut self) -> io::Result<()> {
        self.stdout = None;
        if self.program.wait()?.success() {
            return Ok(());
        }
        let errors = self.errors();
        self.fail(&errors)
    }

    /// Ends the program. No more of its output is wanted.
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
        if running::are_ended() {
            // This program has ended it, which is no error.
            park();
        }
        let fault = message(&self.prelude, errors);
        self.fault = Some(fault.clone());
        Err(failed(fault))
    }

    /// Closes the output and ends the program. Most programs notice the closed pipe, or have
    /// nothing more to do; others, and what they have started, receive SIGTERM and then SIGKILL.
    /// Returns its status if it ended by itself.
    fn end(&mut self) -> io::Result<Option<ExitStatus>> {
        self.stdout = None;
        let status = self.program.wait_for(CHECKS)?;
        self.program.end();
        if status.is_none() {
            self.program.wait()?;
        }
        Ok(status)
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
        self.program.forget();
    }
}

/// The error for a program that failed: all its output is searched, also an incomplete last line.
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
    use std::time::{Duration, Instant};

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
            let program = Arc::clone(&output.program);
            let errors = output.errors.take().unwrap();
            let start = Instant::now();
            drop(output);
            assert!(start.elapsed() < Duration::from_secs(50), "{script}");
            assert!(program.is_reaped(), "{script}: it is no zombie");
            // What it has started may be a zombie until init waits for it, and so be in the group.
            // Standard error is inherited, and ends when the last such process does.
            while !errors.is_finished() {
                assert!(start.elapsed() < Duration::from_secs(50), "{script}: a member remains");
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
