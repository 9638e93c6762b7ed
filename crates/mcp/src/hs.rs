//! The program `hs`, run in a directory that no path leads out of.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
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

/// The program, and the directory that it searches.
#[derive(Clone, Debug)]
pub(crate) struct Hs {
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
        let program = program.or_else(beside).unwrap_or_else(|| PathBuf::from(&name));
        let version = process::Command::new(&program).arg("--version").output();
        let program_name = program.display();
        let tried = "tried --hs, the directory of heist-mcp, and PATH";
        let version =
            version.map_err(|error| format!("cannot run {program_name}: {error} ({tried})"))?;
        if !version.stdout.starts_with(b"hs") {
            let why = "its --version does not begin with \"hs\"";
            return Err(format!("{program_name}: not the program hs: {why}"));
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
