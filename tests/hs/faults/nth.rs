//! Each system call fails in turn, or signals interrupt many: `hs` finds everything, or reports
//! what is missing.

use std::{fs, process::Command, sync::OnceLock};

use rustix::io::Errno;

use super::{Compiled, compiled};
use crate::harness::succeeds;
use crate::harness::{TempTree, process::Outcome, run::Run};

/// The path of `nth`, which runs a program and makes one of its system calls fail.
fn nth() -> Compiled {
    static PROGRAM: OnceLock<Compiled> = OnceLock::new();
    let path = compiled("nth.c", &["-O1"], &PROGRAM)?;
    let can_trace = succeeds(Command::new(&path).args(["read", "5", "1", "0", "true"]));
    can_trace.then_some(path).ok_or("system calls cannot be traced (ptrace)")
}

/// The calls that fail, the error, and the numbers of the failing calls.
pub(crate) struct Plan<'a> {
    pub(crate) calls: &'a str,
    pub(crate) error: Errno,
    pub(crate) first: usize,
    /// The distance to the next failing call; 0 if only the first fails.
    pub(crate) every: usize,
}

impl Plan<'_> {
    /// `run` with the failing calls.
    pub(crate) fn apply<'v>(&self, run: Run<'v>) -> Run<'v> {
        let program = match nth() {
            Ok(program) => program,
            Err(why) => return run.skips(why),
        };
        let Plan { calls, error, first, every } = self;
        run.skips_if_sanitized("a sanitizer handles SIGBUS, and makes system calls at the end")
            .env("NTH", program)
            .env("WHICH", format!("{calls} {} {first} {every}", error.raw_os_error()))
            .through_sh("exec \"$NTH\" $WHICH \"$@\"")
            .differs_from_ripgrep("ripgrep makes other system calls")
    }
}

/// The system calls of a walk and a search.
const CALLS: &str = "openat,openat2,getdents64,read,preadv2,pread64,fstat,newfstatat,statx,fstatfs";

/// Creates files that contain `gem`, and returns their paths.
fn create(tree: &TempTree) -> String {
    tree.wide(2, 2).file("dir000/deeper/file", "a gem\n").file("large", "gem\n".repeat(70_000));
    "dir000/deeper/file\ndir000/file000\ndir000/file001\ndir001/file000\ndir001/file001\nlarge\n"
        .to_string()
}

/// Whether everything expected is found, or only some of it, with a message and status 2.
fn is_honest(outcome: &Outcome, expected: &str) -> bool {
    let found = String::from_utf8_lossy(&outcome.stdout);
    let has = |text: &str, line: &str| text.lines().any(|other| other == line);
    match outcome.status.code() {
        Some(0) => found.len() == expected.len() && expected.lines().all(|line| has(&found, line)),
        Some(2) => !outcome.stderr.is_empty() && found.lines().all(|line| has(expected, line)),
        _ => false,
    }
}

hs_test!(a_failing_call_is_reported_or_has_no_effect, |tree, hs| {
    let expected = create(tree);
    let runs: [(&[&str], Errno); 4] = [
        (&["-l", "-j1", "gem"], Errno::IO),
        (&["-l", "-j3", "gem"], Errno::ACCESS),
        (&["--files", "-j3"], Errno::IO),
        (&["-l", "--reader=portable", "--sort=path", "gem"], Errno::IO),
    ];
    for (args, error) in runs {
        let is_honest = |outcome: &Outcome| is_honest(outcome, &expected);
        fail_each(CALLS, error, tree, is_honest, || hs.args(args));
    }
});

/// Repeats `run` for each of its `calls`, which fails.
fn fail_each<'v>(
    calls: &str,
    error: Errno,
    tree: &TempTree,
    is_honest: impl Fn(&Outcome) -> bool,
    run: impl Fn() -> Run<'v>,
) {
    let count = tree.home().join("count");
    for first in 1.. {
        let plan = Plan { calls, error, first, every: 0 };
        plan.apply(run().env("NTH_COUNT", &count))
            .satisfies("everything is found, or the error is reported", &is_honest);
        // A skipped run writes no count.
        let Ok(counted) = fs::read_to_string(&count) else { return };
        if counted.trim().parse().is_ok_and(|counted: usize| counted <= first) {
            return;
        }
    }
}

hs_test!(a_failing_check_for_ignore_files_is_reported, |tree, hs| {
    // More and longer names than one call lists, so that the ignore files can be in a later part.
    let long = "-long".repeat(40);
    tree.git_init(".").file(".gitignore", "rock*\n").file(".ignore", "/stone*\n");
    for n in 0..2000 {
        tree.file(format!("gem{n}{long}"), "").file(format!("rock{n}{long}"), "");
    }
    tree.file("stone", "");
    let is_right = |stdout: &[u8]| {
        let mut lines = stdout.split_inclusive(|&byte| byte == b'\n');
        lines.clone().count() == 2000 && lines.all(|line| line.starts_with(b"gem"))
    };
    let is_honest = |outcome: &Outcome| is_right(&outcome.stdout) || !outcome.stderr.is_empty();
    for reader in ["--reader=linux", "--reader=portable"] {
        let run =
            || hs.args(["--files", "-j1", reader]).differs_from_ripgrep("ripgrep has one reader");
        run().stdout_satisfies("only gems are listed", is_right);
        fail_each("newfstatat,statx", Errno::IO, tree, is_honest, run);
    }
});

hs_test!(a_failing_read_of_a_large_file_is_reported, |tree, hs| {
    let much = "rock\n".repeat(2_000_000) + "gem\n";
    tree.file("much", &much);
    let is_honest = |outcome: &Outcome| is_honest(outcome, "1\n");
    for args in [&["-j1"][..], &["-j4"], &["-U"], &["--mmap"]] {
        let run = || hs.args(["-c", "gem", "much"]).args(args);
        fail_each("read,pread64,preadv2,fstat,statx", Errno::IO, tree, is_honest, run);
    }
    let run = || hs.args(["-c", "gem"]).stdin(much.as_str());
    fail_each("read,poll,ppoll,fcntl", Errno::IO, tree, is_honest, run);
});

hs_test!(interrupted_calls_change_nothing, |tree, hs| {
    let expected = create(tree);
    let calls = "openat,openat2,getdents64,read,preadv2,pread64,write,futex";
    for every in [2, 3] {
        for args in [
            &["-l", "-j1", "gem"][..],
            &["-l", "-j4", "gem"],
            &["-l", "-j2", "-U", "gem\\n(gem)?"],
            &["--files", "-j2", "--queue=chase-lev"],
            &["-l", "--sort=path", "--mmap", "gem"],
        ] {
            let plan = Plan { calls, error: Errno::INTR, first: 1, every };
            plan.apply(hs.args(args)).prints_in_any_order(&expected);
        }
        let plan = Plan { calls, error: Errno::INTR, first: 2, every };
        plan.apply(hs.args(["-c", "gem", "large"])).prints("70000\n");
        plan.apply(hs.args(["-c", "gem"]).stdin("gem\n".repeat(50_000))).prints("50000\n");
    }
});
