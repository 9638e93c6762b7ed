//! Runs of `hs`, about which tests have [expectations].

use std::{
    borrow::Cow,
    cell::OnceCell,
    env,
    ffi::{OsStr, OsString},
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    thread,
};

use skipped_tests::skip_part;

use super::{
    TempTree, indexed,
    process::{self, Outcome},
    sys, windows,
};
use text::{crash, show};
pub(crate) use text::{messages, sorted_lines};

mod expectations;
mod text;

/// The program in a tree. [`args`](Hs::args) starts a [`Run`].
#[derive(Debug)]
pub(crate) struct Hs<'v> {
    tree: &'v TempTree,
}

impl<'v> Hs<'v> {
    pub(crate) fn new(tree: &'v TempTree) -> Hs<'v> {
        tree.install(&program());
        Hs { tree }
    }

    /// Returns a run of the words of a line: `NAME=VALUE` as often as needed, `hs`, arguments.
    pub(crate) fn words(&self, words: &[String]) -> Run<'v> {
        let name = words.iter().position(|word| word == "hs");
        let (settings, args) = words.split_at(name.expect("the line runs `hs`"));
        settings.iter().fold(self.args(&args[1..]), |run, setting| {
            let (name, value) = setting.split_once('=').expect("NAME=VALUE in front of `hs`");
            run.env(name, value)
        })
    }

    /// Returns a run of a line for the shell, in which `hs` is the program.
    pub(crate) fn line(&self, line: &str) -> Run<'v> {
        self.args([""; 0]).through_sh(line)
    }

    /// Returns a run of a line for the shell on a new terminal.
    pub(crate) fn line_on_terminal(&self, line: &str) -> Run<'v> {
        self.args([line])
            .on_terminal()
            .through_sh("exec script --quiet --return --command \"$2\" /dev/null")
    }

    /// Returns a run with these arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run<'v> {
        Run {
            tree: self.tree,
            program: program(),
            place: None,
            args: args.into_iter().map(|arg| arg.as_ref().to_os_string()).collect(),
            cwd: PathBuf::new(),
            env: Vec::new(),
            stdin: None,
            script: None,
            is_unprivileged: false,
            is_normalised: is_for_windows(),
            skipped: false,
            lack: None,
            is_left_out: false,
            outcome: OnceCell::new(),
            checked: Checked::default(),
        }
    }
}

/// A command line and the expectations about it. The first expectation runs it.
#[derive(Debug)]
pub(crate) struct Run<'v> {
    tree: &'v TempTree,
    program: PathBuf,
    /// Where the run stands, if that is not in Rust.
    place: Option<String>,
    args: Vec<OsString>,
    cwd: PathBuf,
    env: Vec<(String, OsString)>,
    stdin: Option<Vec<u8>>,
    script: Option<String>,
    is_unprivileged: bool,
    /// Whether output and expectations are normalised before they are compared, as those of
    /// programs for Windows are.
    is_normalised: bool,
    skipped: bool,
    /// What this machine lacks for the run.
    lack: Option<String>,
    /// Whether the run does not concern the program.
    is_left_out: bool,
    outcome: OnceCell<Outcome>,
    checked: Checked,
}

/// The results that the test has checked; the others must have their defaults.
#[derive(Debug, Default)]
struct Checked {
    status: bool,
    stdout: bool,
    stderr: bool,
}

/// Settings of the run.
impl Run<'_> {
    /// States where the run stands, for reports.
    pub(crate) fn at(mut self, place: &str) -> Self {
        self.place = Some(place.to_string());
        self
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Run::arg)
    }

    /// Adds an argument, which need not be UTF-8.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_os_string());
        self
    }

    /// Runs in a directory of the tree.
    pub(crate) fn cwd(mut self, dir: impl AsRef<Path>) -> Self {
        self.cwd = dir.as_ref().to_path_buf();
        self
    }

    /// Sets an environment variable. Only `PATH` and `HOME` are set by default.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.to_string(), value.as_ref().to_os_string()));
        self
    }

    /// Uses this file of the tree as the configuration file.
    pub(crate) fn config(self, name: &str) -> Self {
        let path = self.tree.join(name);
        self.env("HEIST_CONFIG_PATH", &path).env("RIPGREP_CONFIG_PATH", &path)
    }

    /// Makes standard input a pipe with these bytes. The default is `/dev/null`.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Runs `script` in a shell, in which `"$@"` is the command line.
    pub(crate) fn through_sh(mut self, script: &str) -> Self {
        if script.contains("ulimit -v") && is_sanitized() {
            self.leave_out("a sanitizer reserves more memory than any limit allows");
        }
        if !has_shell() {
            self.skip("there is no shell `sh`");
        } else if is_for_windows() && script.contains("ulimit ") {
            self.leave_out("Windows has no such limits, and Wine exceeds them");
        } else if is_emulated() && script.contains("ulimit ") {
            self.leave_out("the emulator exceeds such limits");
        }
        self.script = Some(script.to_string());
        self
    }

    /// Runs on a new terminal, made by the program `script`. Skipped if that is not installed.
    pub(crate) fn on_terminal(mut self) -> Self {
        if is_for_windows() {
            self.leave_out("Windows has consoles in place of terminals");
        } else if Command::new("script").arg("--version").output().is_err() {
            self.skip("script is not installed");
        }
        self.through_sh("exec script --quiet --return --command \"$*\" /dev/null")
            .env("TERM", "xterm")
    }

    /// Runs as the user `nobody` if the test runs as root. Skipped if that user cannot run the
    /// program.
    pub(crate) fn by_unprivileged_user(mut self) -> Self {
        if is_for_windows() {
            self.leave_out("Windows has no user nobody");
        } else if sys::is_root() {
            self.is_unprivileged = true;
            match self.tree.program_for_nobody(&self.program) {
                Some(program) => self.program = program,
                None => self.skip("the user nobody cannot enter the directory of the tree"),
            }
        }
        self
    }

    /// Marks an intended difference from ripgrep. Left out if `HS_TEST_JUDGE` is set.
    pub(crate) fn differs_from_ripgrep(mut self, reason: &str) -> Self {
        if process::oracle().is_some() {
            self.leave_out(&format!("differs from ripgrep: {reason}"));
        }
        self
    }

    /// Left out if the program is one for Windows, for the reason `why`.
    pub(crate) fn unix_only(mut self, why: &str) -> Self {
        if is_for_windows() {
            self.leave_out(why);
        }
        self
    }

    /// Left out unless the program is one for Windows, whose output is compared as it is.
    pub(crate) fn windows_only(mut self) -> Self {
        if !is_for_windows() {
            self.leave_out("it is about Windows");
        }
        self.is_normalised = false;
        self
    }

    /// Whether the run is not made.
    pub(crate) fn is_skipped(&self) -> bool {
        self.skipped
    }

    /// Turns off the check for leaks, which fails if system calls fail.
    pub(crate) fn without_leak_check(self) -> Self {
        self.env("ASAN_OPTIONS", "detect_leaks=0")
    }

    /// Left out if `hs` is built with a sanitizer.
    pub(crate) fn skips_if_sanitized(mut self, why: &str) -> Self {
        if is_sanitized() {
            self.leave_out(why);
        }
        self
    }

    /// Skips the run because this machine lacks what `why` names.
    pub(crate) fn skips(mut self, why: &str) -> Self {
        self.skip(why);
        self
    }

    /// Does not make the run, because this machine lacks what `why` names. That is reported at the
    /// end of the run, unless it is left out for another reason.
    fn skip(&mut self, why: &str) {
        self.lack = Some(why.to_owned());
        self.skipped = true;
    }

    /// Does not make the run, because it does not concern the program that is tested.
    fn leave_out(&mut self, why: &str) {
        eprintln!("left out `{}`: {why}", self.line());
        self.skipped = true;
        self.is_left_out = true;
    }
}

/// Execution and reports.
impl Run<'_> {
    /// An expectation in the form in which outcomes are compared.
    pub(crate) fn portable<'t>(&self, expected: &'t [u8]) -> Cow<'t, [u8]> {
        if self.is_normalised { windows::like_unix(expected).into() } else { expected.into() }
    }

    /// Executes the run if it has not been, and fails with a report if `fault` returns a
    /// description.
    #[track_caller]
    fn check(&self, fault: impl FnOnce(&Outcome) -> Option<String>) {
        if self.skipped {
            return;
        }
        let outcome = self.outcome.get_or_init(|| self.execute());
        let hung =
            outcome.hung.then(|| format!("it hung, and was killed after {:?}", process::TIMEOUT));
        let crashed = crash(&outcome.stderr).map(|word| format!("it crashed: {word}"));
        if let Some(fault) = hung.or(crashed).or_else(|| fault(outcome)) {
            panic!("{}", self.report(outcome, &fault));
        }
    }

    fn execute(&self) -> Outcome {
        let mut command = if let Some(script) = &self.script {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(&self.program);
            shell
        } else {
            Command::new(&self.program)
        };
        // The arguments of some scripts are not those of the program.
        if self.script.as_ref().is_none_or(|script| script.contains("\"$@\"")) {
            command.args(indexed::flag(program().as_os_str()));
        }
        command.args(&self.args).current_dir(self.tree.join(&self.cwd)).env_clear();
        sys::set_environment(&mut command, &self.tree.home());
        let path = env::var_os("PATH").unwrap_or_default();
        let public = self.is_unprivileged.then(|| self.tree.public_bin());
        let dirs = public.into_iter().chain([self.tree.bin()]).chain(env::split_paths(&path));
        let path = env::join_paths(dirs);
        command.env("PATH", path.expect("directories"));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        indexed::prepare(&mut command, self.is_unprivileged);
        if self.is_unprivileged {
            sys::set_nobody(&mut command);
        }
        let outcome = process::run(&mut command, self.stdin.clone());
        if self.is_normalised { windows::normalised(outcome) } else { outcome }
    }

    /// The command line, for reports.
    fn line(&self) -> String {
        if let Some(place) = &self.place {
            return place.clone();
        }
        let mut line = String::from("hs");
        for arg in &self.args {
            let _ = write!(line, " {arg:?}");
        }
        if let Some(script) = &self.script {
            let _ = write!(line, "   through sh: {script}");
        }
        line
    }

    fn report(&self, outcome: &Outcome, fault: &str) -> String {
        format!(
            "\n{fault}\n---- command\n{}\n---- program\n{}\n---- cwd\n{}\n---- environment\n{:?}\n\
             ---- status\n{}\n---- stdout\n{}\n---- stderr\n{}\n---- tree\n{}----\n",
            self.line(),
            self.program.display(),
            self.tree.join(&self.cwd).display(),
            self.env,
            outcome.status,
            show(&outcome.stdout),
            show(&outcome.stderr),
            self.tree.describe(),
        )
    }
}

/// Checks the defaults of what the test has not checked.
impl Drop for Run<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        if let (Some(why), false) = (&self.lack, self.is_left_out) {
            skip_part(self.place.as_deref().unwrap_or_default(), why);
        }
        let Checked { status, stdout, stderr } = self.checked;
        assert!(status || stdout || stderr, "no expectation about `{}`", self.line());
        self.check(|outcome| {
            if !status && outcome.status.code() != Some(0) {
                Some("expected exit status: 0".to_string())
            } else if !stdout && !outcome.stdout.is_empty() {
                Some("expected nothing on stdout".to_string())
            } else if !stderr && !outcome.stderr.is_empty() {
                Some("expected nothing on stderr".to_string())
            } else {
                None
            }
        });
    }
}

/// The judge, or the program under test.
fn program() -> PathBuf {
    process::oracle().unwrap_or_else(process::program)
}

/// Whether the program runs in an emulator of another processor, see `ci/emulated`.
pub(crate) fn is_emulated() -> bool {
    env::var_os("HS_TEST_EMULATED").is_some_and(|value| !value.is_empty())
}

/// Whether the program is one for Windows.
pub(crate) fn is_for_windows() -> bool {
    process::is_for_windows(&program())
}

/// Whether there is a shell, which Windows lacks unless it has Git's.
pub(crate) fn has_shell() -> bool {
    static HAS_SHELL: OnceLock<bool> = OnceLock::new();
    *HAS_SHELL.get_or_init(|| Command::new("sh").args(["-c", ":"]).output().is_ok())
}

/// Whether `hs` is built with a sanitizer, as `ci/sanitize` does.
fn is_sanitized() -> bool {
    env::var_os("HS_TEST_SANITIZED").is_some()
}
