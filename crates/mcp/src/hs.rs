//! The program `hs`, run in a directory that no path leads out of.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Component, Path, PathBuf},
    process::{self, Stdio},
    time::Duration,
};

use tokio::{process::Command, time::timeout};

/// Flags of every run. Neither the user's configuration nor the client's standard input is read, no
/// other program is run, and no link out of the directory is followed.
const ALWAYS: [&str; 4] = ["--no-config", "--no-stdin", "--safe", "--color=never"];

/// How long `hs` may take to end by itself after the time of `--timeout`.
const GRACE: Duration = Duration::from_secs(5);

/// Where a program is looked for, for a message that there is none.
const TRIED: &str = "tried --hs, the directory of heist-mcp, and PATH";

/// The program, and the directory that it searches.
#[derive(Clone, Debug)]
pub(crate) struct Hs {
    /// Absolute, as it is run in `dir`, where a relative path would lead to another program.
    program: PathBuf,
    /// Canonical.
    dir: PathBuf,
}

/// What a run has printed.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    /// The lines of standard error, without the name of the program.
    pub(crate) messages: Vec<String>,
    /// Whether an error occurred.
    pub(crate) has_failed: bool,
}

impl Hs {
    /// Finds `hs`: `program`, or what lies beside this program, or in `PATH`.
    ///
    /// # Errors
    /// There is no such program or directory.
    pub(crate) fn find(program: Option<PathBuf>, dir: &Path) -> Result<Hs, String> {
        let dir = fs::canonicalize(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        if !dir.is_dir() {
            return Err(format!("{}: not a directory", dir.display()));
        }
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
        Ok(Hs { program, dir })
    }

    /// Returns the paths for a run, relative to the directory; by default, that is the directory.
    ///
    /// # Errors
    /// A path does not exist or lies elsewhere.
    pub(crate) fn inside(&self, paths: &[String]) -> Result<Vec<PathBuf>, String> {
        let inside = |path: &String| {
            let full = fs::canonicalize(self.dir.join(path)).map_err(|e| format!("{path}: {e}"))?;
            match full.strip_prefix(&self.dir) {
                Ok(below) => Ok(Path::new(".").join(below)),
                Err(_) => Err(format!("{path}: outside the directory that may be searched")),
            }
        };
        paths.iter().map(inside).collect()
    }

    /// Returns paths that need not lead to anything, relative to the directory.
    ///
    /// # Errors
    /// A path lies elsewhere by its text.
    pub(crate) fn below(&self, paths: &[String]) -> Result<Vec<PathBuf>, String> {
        let below = |path: &String| {
            let below = Path::new(path);
            let below = below.strip_prefix(&self.dir).unwrap_or(below);
            let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            match below.components().all(is_name) && !path.is_empty() {
                true => Ok(Path::new(".").join(below)),
                false => Err(format!(
                    "{path}: only paths below the directory, without .., can be explained"
                )),
            }
        };
        paths.iter().map(below).collect()
    }

    /// Runs `hs` with these flags and paths. If the returned future is dropped, the run ends.
    ///
    /// # Errors
    /// The program cannot be run, or does not end in time.
    pub(crate) async fn run(
        &self,
        flags: &[String],
        paths: &[PathBuf],
        time: Duration,
    ) -> Result<Output, String> {
        let paths = paths.iter().map(|path| path.as_os_str());
        let args = flags.iter().map(OsStr::new).chain([OsStr::new("--")]).chain(paths);
        let args: Vec<OsString> = args.map(OsStr::to_owned).collect();
        let mut command = Command::new(&self.program);
        command.args(ALWAYS).args(args).current_dir(&self.dir);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let limit = time + GRACE;
        let output = timeout(limit, command.output()).await;
        let output =
            output.map_err(|_| format!("hs was ended: it had not finished after {limit:?}"))?;
        let output = output.map_err(|error| format!("{}: {error}", self.program.display()))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let without_name = |line: &str| line.strip_prefix("hs: ").unwrap_or(line).to_owned();
        Ok(Output {
            stdout: output.stdout,
            messages: stderr.lines().map(without_name).collect(),
            has_failed: !matches!(output.status.code(), Some(0 | 1)),
        })
    }
}

/// Returns the absolute path of a program. A name alone is looked up in the absolute directories of
/// `PATH`: what a relative one holds depends on where the program is run, which is a tree that may
/// contain a program of any name.
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
    use std::os::unix::fs::PermissionsExt as _;
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

    use super::Hs;

    // One test, as a process that another thread starts meanwhile would hold the script open.
    #[test]
    fn a_program_that_cannot_serve_is_named_with_the_reason() {
        let temp = tempfile::TempDir::new().expect("a directory");
        let find = |program: PathBuf| Hs::find(Some(program), temp.path());
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
            hs.run(&[], &[], Duration::from_secs(10)).await
        });
        let expected = "hs was ended: it had not finished after 15s";
        assert_eq!(ended.expect_err("no end"), expected);
    }
}
