//! The command `hs` as a user types it, and what is expected of it.

use std::{
    cell::OnceCell,
    env,
    ffi::{OsStr, OsString},
    fmt::Write,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use super::{
    TempTree,
    process::{self, Outcome},
};

/// The user and group that own nothing.
const NOBODY: u32 = 65534;

/// The program in its tree; every use of it begins a new [`Run`].
#[derive(Debug)]
pub(crate) struct Hs<'v> {
    tree: &'v TempTree,
}

impl<'v> Hs<'v> {
    /// The program, to be run in `tree`.
    pub(crate) fn new(tree: &'v TempTree) -> Hs<'v> {
        Hs { tree }
    }

    /// A run with these arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run<'v> {
        Run {
            tree: self.tree,
            args: args.into_iter().map(|arg| arg.as_ref().to_os_string()).collect(),
            cwd: PathBuf::new(),
            env: Vec::new(),
            stdin: None,
            script: None,
            is_unprivileged: false,
            skipped: false,
            outcome: OnceCell::new(),
            told: Told::default(),
        }
    }
}

/// One command line and what is expected of it. It runs when the first expectation is stated.
#[derive(Debug)]
pub(crate) struct Run<'v> {
    tree: &'v TempTree,
    args: Vec<OsString>,
    cwd: PathBuf,
    env: Vec<(&'static str, OsString)>,
    stdin: Option<Vec<u8>>,
    script: Option<&'static str>,
    is_unprivileged: bool,
    skipped: bool,
    outcome: OnceCell<Outcome>,
    told: Told,
}

/// What the test has said something about; the rest has to be quiet.
#[derive(Debug, Default)]
struct Told {
    status: bool,
    stdout: bool,
    stderr: bool,
}

/// How the command is run.
impl Run<'_> {
    /// More arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Run::arg)
    }

    /// One more argument, for those that are not text.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_os_string());
        self
    }

    /// Run in a directory below the tree's tree.
    pub(crate) fn cwd(mut self, dir: impl AsRef<Path>) -> Self {
        self.cwd = dir.as_ref().to_path_buf();
        self
    }

    /// Set an environment variable. Nothing but `PATH` and `HOME` is set otherwise.
    pub(crate) fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name, value.as_ref().to_os_string()));
        self
    }

    /// Use this file of the tree as the configuration file.
    pub(crate) fn config(self, name: &str) -> Self {
        let path = self.tree.join(name);
        self.env("HEIST_CONFIG_PATH", &path).env("RIPGREP_CONFIG_PATH", &path)
    }

    /// Feed these bytes through a pipe. Without it stdin is `/dev/null`.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Run `script` in a shell, in which `"$@"` is the command.
    pub(crate) fn through_sh(mut self, script: &'static str) -> Self {
        if script.contains("ulimit -v") && is_sanitized() {
            self.skip("a sanitizer reserves more memory than any limit allows");
        }
        self.script = Some(script);
        self
    }

    /// Run on a terminal of its own, made by `script`; skipped where that is missing.
    pub(crate) fn on_terminal(mut self) -> Self {
        if Command::new("script").arg("--version").output().is_err() {
            self.skip("there is no `script` to make a terminal with");
        }
        self.through_sh("exec script --quiet --return --command \"$*\" /dev/null")
            .env("TERM", "xterm")
    }

    /// Run without root's power over permissions; skipped where nobody may not run the program.
    pub(crate) fn as_unprivileged_user(mut self) -> Self {
        if rustix::process::geteuid().is_root() {
            self.is_unprivileged = true;
            let probe = Command::new(program()).arg("--version").uid(NOBODY).gid(NOBODY).output();
            if let Err(error) = probe {
                self.skip(&format!("nobody may not run {}: {error}", program().display()));
            }
        }
        self
    }

    /// Heist differs from ripgrep here on purpose: skipped when a judge stands in for `hs`.
    pub(crate) fn differs_from_ripgrep(mut self, reason: &str) -> Self {
        if process::oracle().is_some() {
            self.skip(&format!("not like the judge: {reason}"));
        }
        self
    }

    /// Some system calls fail: what a sanitizer looks for at the end, leaks, takes those very calls.
    pub(crate) fn without_leak_check(self) -> Self {
        self.env("ASAN_OPTIONS", "detect_leaks=0")
    }

    /// Skipped where `hs` was built with a sanitizer.
    pub(crate) fn skips_if_sanitized(mut self, why: &str) -> Self {
        if is_sanitized() {
            self.skip(why);
        }
        self
    }

    fn skip(&mut self, why: &str) {
        eprintln!("skipped `{}`: {why}", self.line());
        self.skipped = true;
    }
}

/// What is expected.
impl Run<'_> {
    /// Exactly this goes to stdout.
    #[track_caller]
    pub(crate) fn prints(mut self, expected: impl AsRef<[u8]>) -> Self {
        self.told.stdout = true;
        let expected = expected.as_ref();
        self.check(|outcome| {
            (outcome.stdout != expected).then(|| format!("expected stdout:\n{}", show(expected)))
        });
        self
    }

    /// Exactly these lines go to stdout, in any order.
    #[track_caller]
    pub(crate) fn prints_in_any_order(mut self, expected: impl AsRef<[u8]>) -> Self {
        self.told.stdout = true;
        let expected = sorted_lines(expected.as_ref());
        self.check(|outcome| {
            let differs = sorted_lines(&outcome.stdout) != expected;
            differs.then(|| format!("expected stdout, sorted:\n{}", show(&expected.concat())))
        });
        self
    }

    /// What goes to stdout satisfies `holds`; `what` says it in words.
    #[track_caller]
    pub(crate) fn stdout_satisfies(mut self, what: &str, holds: impl Fn(&[u8]) -> bool) -> Self {
        self.told.stdout = true;
        self.check(|outcome| {
            (!holds(&outcome.stdout)).then(|| format!("stdout should be such that {what}"))
        });
        self
    }

    /// What goes to stdout, whatever that is and however the run ends, to compare it with that of another.
    #[track_caller]
    pub(crate) fn stdout(mut self) -> Vec<u8> {
        self.told = Told { status: true, stdout: true, stderr: true };
        self.check(|_| None);
        self.outcome.get().map(|outcome| outcome.stdout.clone()).unwrap_or_default()
    }

    /// The run as a whole satisfies `holds`; `what` says it in words.
    #[track_caller]
    pub(crate) fn satisfies(mut self, what: &str, holds: impl Fn(&Outcome) -> bool) -> Self {
        self.told = Told { status: true, stdout: true, stderr: true };
        self.check(|outcome| (!holds(outcome)).then(|| format!("expected that {what}")));
        self
    }

    /// Nothing is found: no output, status 1.
    #[track_caller]
    pub(crate) fn finds_nothing(self) -> Self {
        self.prints("").exits(1)
    }

    /// The exit status is `code`.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        self.exits_with_one_of(&[code])
    }

    /// The exit status is one of `codes`, where a race decides which.
    #[track_caller]
    pub(crate) fn exits_with_one_of(mut self, codes: &[i32]) -> Self {
        self.told.status = true;
        self.check(|outcome| {
            let met = outcome.status.code().is_some_and(|code| codes.contains(&code));
            (!met).then(|| format!("expected exit status: one of {codes:?}"))
        });
        self
    }

    /// Stderr, without the program's name before each message, contains `text`.
    #[track_caller]
    pub(crate) fn stderr_contains(mut self, text: &str) -> Self {
        self.told.stderr = true;
        self.check(|outcome| {
            let met = messages(&outcome.stderr).contains(text);
            (!met).then(|| format!("expected on stderr:\n{text}"))
        });
        self
    }

    /// Every line on stderr, without the program's name, satisfies `holds`; `what` says it in words.
    #[track_caller]
    pub(crate) fn stderr_lines_are(mut self, what: &str, holds: impl Fn(&str) -> bool) -> Self {
        self.told.stderr = true;
        self.check(|outcome| {
            let stray = messages(&outcome.stderr).lines().any(|line| !holds(line));
            stray.then(|| format!("expected on stderr nothing but {what}"))
        });
        self
    }

    /// An error in the command line: status 2, nothing printed, and a message containing `text`.
    #[track_caller]
    pub(crate) fn refuses(self, text: &str) -> Self {
        self.prints("").stderr_contains(text).exits(2)
    }
}

/// Running and reporting.
impl Run<'_> {
    /// Run if that has not happened yet, and fail with a report if `fault` finds one.
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
        let mut command = if let Some(script) = self.script {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(program());
            shell
        } else {
            Command::new(program())
        };
        command.args(&self.args).current_dir(self.tree.join(&self.cwd)).env_clear();
        command.env("PATH", env::var_os("PATH").unwrap_or_default()).env("HOME", self.tree.home());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if self.is_unprivileged {
            command.uid(NOBODY).gid(NOBODY);
        }
        process::run(&mut command, self.stdin.clone())
    }

    /// The command as typed.
    fn line(&self) -> String {
        let mut line = String::from("hs");
        for arg in &self.args {
            let _ = write!(line, " {arg:?}");
        }
        if let Some(script) = self.script {
            let _ = write!(line, "   through sh: {script}");
        }
        line
    }

    fn report(&self, outcome: &Outcome, fault: &str) -> String {
        format!(
            "\n{fault}\n---- command\n{}\n---- program\n{}\n---- cwd\n{}\n---- environment\n{:?}\n\
             ---- status\n{}\n---- stdout\n{}\n---- stderr\n{}\n---- tree\n{}----\n",
            self.line(),
            program().display(),
            self.tree.join(&self.cwd).display(),
            self.env,
            outcome.status,
            show(&outcome.stdout),
            show(&outcome.stderr),
            self.tree.describe(),
        )
    }
}

/// Checks that what the test did not mention was quiet.
impl Drop for Run<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let Told { status, stdout, stderr } = self.told;
        assert!(status || stdout || stderr, "nothing is expected of `{}`", self.line());
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

fn program() -> PathBuf {
    process::oracle().unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_hs")))
}

/// Whether `hs` was built with a sanitizer; `ci/sanitize` says so.
fn is_sanitized() -> bool {
    env::var_os("HS_TEST_SANITIZED").is_some()
}

/// What tells of a panic or the like, which no test expects.
fn crash(stderr: &[u8]) -> Option<&'static str> {
    let words = ["panicked at", "has overflowed its stack", "memory allocation of", "Sanitizer"];
    let text = String::from_utf8_lossy(stderr);
    words.into_iter().find(|word| text.contains(word) && process::oracle().is_none())
}

/// Stderr as text, each message without the name of the program that wrote it.
fn messages(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let strip = |line: &str| {
        let rest = line.strip_prefix("hs: ").or_else(|| line.strip_prefix("rg: "));
        rest.unwrap_or(line).to_string() + "\n"
    };
    text.lines().map(strip).collect()
}

fn sorted_lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<_> = text.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    lines.sort();
    lines
}

/// Bytes for a person: text as it is, anything else escaped; cut where it is endless.
fn show(bytes: &[u8]) -> String {
    const MOST: usize = 8000;
    let shown = &bytes[..bytes.len().min(MOST)];
    let text = match std::str::from_utf8(shown) {
        Ok(text) if !text.contains(['\0', '\r', '\x1b']) => text.to_string(),
        _ => shown.escape_ascii().to_string().replace("\\n", "\\n\n"),
    };
    if bytes.len() > MOST { format!("{text}… {} bytes in all", bytes.len()) } else { text }
}
