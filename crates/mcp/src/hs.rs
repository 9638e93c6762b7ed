//! The program `hs`, and its runs, which end with the server.

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{self, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
    sync::{Semaphore, watch},
    time::timeout,
};

use crate::reports;

/// Flags that every run has. The environment enables no preset, and neither the user's
/// configuration nor the client's standard input is read. Other worktrees of a repository are
/// copies, which a client requests if it wants them.
const ALWAYS: [&str; 5] =
    ["--no-agent", "--no-config", "--no-stdin", "--color=never", "--no-worktrees"];

/// What a run may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// No other program is run, no link out of the directory is followed, and no file is written.
    Read,
    /// Files are written too, if the flags request that.
    Write,
}

impl Access {
    fn flag(self) -> Option<&'static str> {
        match self {
            Access::Read => Some("--safe"),
            Access::Write => None,
        }
    }
}

/// How long `hs` may take to end by itself after its `--timeout`.
const GRACE_AFTER_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the server waits for runs that it has ended.
const MAX_END_WAIT: Duration = Duration::from_secs(1);

/// The error that a run returns if it has ended with the server.
const ENDED: &str = "the server has ended";

/// The most runs at once. Each uses all cores, but one may wait for a disk or a pipe.
const MAX_RUNS: u32 = 8;

/// How many bytes are kept from the beginning of standard error. `hs` may report each line of each
/// ignore file.
const MAX_REPORTS: usize = 64 << 10;

/// How many bytes are kept from the end of standard error, which states what was shown.
const MAX_REPORTS_END: usize = 4 << 10;

/// Where a program is looked for, for a message that there is none.
const TRIED: &str = "tried --hs, the directory of heist-mcp, and PATH";

/// The program, and its runs.
#[derive(Clone, Debug)]
pub(crate) struct Hs {
    /// Absolute, as it is run in the directory that it searches, where a relative path would lead
    /// to another program.
    program: PathBuf,
    runs: Arc<Runs>,
}

/// What bounds the runs.
#[derive(Debug)]
struct Runs {
    permits: Semaphore,
    /// Whether the server has ended.
    ended: watch::Sender<bool>,
}

/// What a run has printed.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    /// The messages on standard error, without the program's name. A message may have several
    /// lines.
    pub(crate) messages: Vec<String>,
    /// Whether an error occurred.
    pub(crate) has_failed: bool,
}

impl Hs {
    /// Finds `hs`: `program`, or what lies beside this program, or in `PATH`.
    ///
    /// # Errors
    /// There is no such program.
    pub(crate) fn find(program: Option<PathBuf>) -> Result<Hs, String> {
        let name = format!("hs{}", env::consts::EXE_SUFFIX);
        let beside = || {
            let beside = env::current_exe().ok()?.with_file_name(&name);
            beside.is_file().then_some(beside)
        };
        let named = program.or_else(beside).unwrap_or_else(|| PathBuf::from(&name));
        let cannot_run =
            |error: io::Error| format!("cannot run {}: {error} ({TRIED})", named.display());
        let program = absolute(&named).map_err(cannot_run)?;
        let version = process::Command::new(&program).arg("--version").output();
        if !version.map_err(cannot_run)?.stdout.starts_with(b"hs") {
            let why = "its --version does not begin with \"hs\"";
            return Err(format!("{}: not the program hs: {why}", named.display()));
        }
        let runs =
            Runs { permits: Semaphore::new(MAX_RUNS as usize), ended: watch::Sender::new(false) };
        Ok(Hs { program, runs: Arc::new(runs) })
    }

    /// Ends all runs, and those that begin later.
    pub(crate) fn end_all(&self) {
        self.runs.ended.send_replace(true);
    }

    /// Ends all runs, and waits for their ends.
    pub(crate) async fn ended(&self) {
        self.end_all();
        // What has not ended by then is left to the system.
        let _ = timeout(MAX_END_WAIT, self.runs.permits.acquire_many(MAX_RUNS)).await;
    }

    /// Runs `hs` in `dir` with these flags and paths, when not too many others run. If the returned
    /// future is dropped, the run ends.
    ///
    /// # Errors
    /// The program cannot be run, or does not end in time.
    pub(crate) async fn run(
        &self,
        access: Access,
        dir: &Path,
        flags: &[String],
        paths: &[OsString],
        time: Duration,
    ) -> Result<Output, String> {
        let _permit = self.runs.permits.acquire().await.map_err(|error| error.to_string())?;
        let failed = |error: io::Error| format!("{}: {error}", self.program.display());
        let mut command = Command::new(&self.program);
        command.args(ALWAYS).args(access.flag()).args(flags).arg("--").args(paths).current_dir(dir);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut ended = self.runs.ended.subscribe();
        if *ended.borrow() {
            return Err(ENDED.to_owned());
        }
        let mut child = command.kill_on_drop(true).spawn().map_err(failed)?;
        let limit = time + GRACE_AFTER_TIMEOUT;
        let output = tokio::select! {
            output = timeout(limit, output(&mut child)) => output,
            () = until(&mut ended) => {
                // A process that is waited for leaves nothing behind.
                let _ = child.kill().await;
                return Err(ENDED.to_owned());
            }
        };
        let output =
            output.map_err(|_| format!("hs was ended: it had not finished after {limit:?}"))?;
        output.map_err(failed)
    }
}

/// Waits until the server has ended.
async fn until(ended: &mut watch::Receiver<bool>) {
    // An error means that the server is no longer there.
    drop(ended.wait_for(|is_ended| *is_ended).await);
}

/// What a run prints until it ends.
async fn output(child: &mut Child) -> io::Result<Output> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut results = Vec::new();
    let read = async {
        match stdout {
            Some(mut stdout) => stdout.read_to_end(&mut results).await,
            None => Ok(0),
        }
    };
    let (read, reports) = tokio::join!(read, ends(stderr));
    read?;
    let reports = reports?;
    let status = child.wait().await?;
    Ok(Output {
        stdout: results,
        messages: reports::split(&String::from_utf8_lossy(&reports)),
        has_failed: !matches!(status.code(), Some(0 | 1)),
    })
}

/// Reads all of `stream`, and returns its beginning and its end. Whole lines are left out between
/// them.
async fn ends(stream: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let Some(mut stream) = stream else { return Ok(Vec::new()) };
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    let mut buffer = vec![0; 8 << 10];
    loop {
        let len = stream.read(&mut buffer).await?;
        if len == 0 {
            break;
        }
        let (first, rest) = buffer[..len].split_at(len.min(MAX_REPORTS - head.len()));
        head.extend_from_slice(first);
        tail.extend_from_slice(rest);
        if tail.len() > 4 * MAX_REPORTS_END {
            tail.drain(..tail.len() - MAX_REPORTS_END);
        }
    }
    if tail.len() > MAX_REPORTS_END {
        let from = tail.len() - MAX_REPORTS_END;
        let line = tail[from..].iter().position(|byte| *byte == b'\n');
        tail.drain(..line.map_or(from, |line| from + line + 1));
        head.truncate(head.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
    }
    head.extend(tail);
    Ok(head)
}

/// Returns a program's absolute path. A name alone is looked up in the absolute directories in
/// `PATH`: what a relative one holds depends on where the program is run, which is a tree that may
/// contain a program with any name.
///
/// # Errors
/// There is no such program in `PATH`, or no current directory.
fn absolute(program: &Path) -> io::Result<PathBuf> {
    if program.file_name() != Some(program.as_os_str()) {
        return std::path::absolute(program);
    }
    let mut name = program.as_os_str().to_owned();
    if program.extension().is_none() {
        name.push(env::consts::EXE_SUFFIX);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&name))
        .find(|program| is_program(program));
    found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such program in PATH"))
}

/// Whether the system can run the file at `path`, judging by its mode.
#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let is_executable = |metadata: fs::Metadata| metadata.permissions().mode() & 0o111 != 0;
    path.is_file() && fs::metadata(path).is_ok_and(is_executable)
}

/// Whether there is a file at `path`.
#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, time::Duration};

    use super::{Access, Hs};

    // One test, as a process that another thread starts meanwhile would hold the script open.
    #[test]
    fn a_program_that_cannot_serve_is_named_with_the_reason() {
        let temp = tempfile::TempDir::new().expect("a directory");
        let find = |program: PathBuf| Hs::find(Some(program));
        let absent = temp.path().join("absent");
        let expected = format!(
            "cannot run {}: No such file or directory (os error 2) (tried --hs, the directory of \
             heist-mcp, and PATH)",
            absent.display()
        );
        assert_eq!(find(absent).expect_err("no program"), expected);
        let expected = "echo: not the program hs: its --version does not begin with \"hs\"";
        assert_eq!(find("echo".into()).expect_err("another program"), expected);
        let expected = "cannot run no-such-hs: no such program in PATH (tried --hs, the directory \
                        of heist-mcp, and PATH)";
        assert_eq!(find("no-such-hs".into()).expect_err("no program"), expected);

        let slow = temp.path().join("slow");
        let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec echo hs 1\nexec sleep 600\n";
        fs::write(&slow, script).expect("a script");
        fs::set_permissions(&slow, fs::Permissions::from_mode(0o755)).expect("a program");
        let hs = find(slow).expect("hs");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let ended = runtime.expect("a runtime").block_on(async {
            // Time passes at once while nothing happens.
            tokio::time::pause();
            hs.run(Access::Read, temp.path(), &[], &[], Duration::from_secs(10)).await
        });
        let expected = "hs was ended: it had not finished after 15s";
        assert_eq!(ended.expect_err("no end"), expected);
    }
}
