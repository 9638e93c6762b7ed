//! One system call fails, each in its turn, or signals interrupt many: all is found, or what is
//! missing is told of.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use rustix::io::Errno;

use super::compiled;
use crate::harness::{TempTree, process::Outcome, run::Run};

/// The path of `nth`, which runs a program of which one call fails, where there is one and it may.
fn nth() -> Option<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let path = compiled("nth.c", &["-O1"], &PROGRAM)?;
    let works =
        Command::new(&path).args(["read", "5", "1", "0", "true"]).stderr(Stdio::null()).status();
    let works = works.is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: system calls cannot be asked about here");
    }
    works.then_some(path)
}

/// Which calls fail, how, and when.
struct Plan<'a> {
    calls: &'a str,
    error: Errno,
    first: usize,
    /// Every so many after the first; 0: none.
    every: usize,
}

impl Plan<'_> {
    fn meets<'v>(&self, run: Run<'v>, program: &Path) -> Run<'v> {
        let Plan { calls, error, first, every } = self;
        run.skips_if_sanitized(
            "a sanitizer handles SIGBUS before the runtime does, and makes calls at the end",
        )
        .env("NTH", program)
        .env("WHICH", format!("{calls} {} {first} {every}", error.raw_os_error()))
        .through_sh("exec \"$NTH\" $WHICH \"$@\"")
        .differs_from_ripgrep("ripgrep makes other calls")
    }
}

/// What a walk and a search ask for.
const CALLS: &str = "openat,openat2,getdents64,read,preadv2,pread64,fstat,newfstatat,statx,fstatfs";

/// The paths of some files that hold `gem`.
fn plant(tree: &TempTree) -> String {
    tree.wide(2, 2).file("dir000/deeper/file", "a gem\n").file("large", "gem\n".repeat(70_000));
    "dir000/deeper/file\ndir000/file000\ndir000/file001\ndir001/file000\ndir001/file001\nlarge\n"
        .to_string()
}

/// Whether everything is there, or only what should be, with a message and the status of an error.
fn is_honest(outcome: &Outcome, expected: &str) -> bool {
    let found = String::from_utf8_lossy(&outcome.stdout);
    let has = |text: &str, line: &str| text.lines().any(|other| other == line);
    match outcome.status.code() {
        Some(0) => found.len() == expected.len() && expected.lines().all(|line| has(&found, line)),
        Some(2) => !outcome.stderr.is_empty() && found.lines().all(|line| has(expected, line)),
        _ => false,
    }
}

hs_test!(whichever_call_fails_nothing_is_missing_in_silence, |tree, hs| {
    let Some(program) = nth() else { return };
    let expected = plant(tree);
    let runs: [(&[&str], Errno); 4] = [
        (&["-l", "-j1", "gem"], Errno::IO),
        (&["-l", "-j3", "gem"], Errno::ACCESS),
        (&["--files", "-j3"], Errno::IO),
        (&["-l", "--reader=portable", "--sort=path", "gem"], Errno::IO),
    ];
    for (args, error) in runs {
        let is_honest = |outcome: &Outcome| is_honest(outcome, &expected);
        fail_each(&program, CALLS, error, tree, is_honest, || hs.args(args));
    }
});

/// Run what `run` gives once for each of its `calls`, which fails.
fn fail_each<'v>(
    program: &Path,
    calls: &str,
    error: Errno,
    tree: &TempTree,
    is_honest: impl Fn(&Outcome) -> bool,
    run: impl Fn() -> Run<'v>,
) {
    let count = tree.home().join("count");
    for first in 1.. {
        let plan = Plan { calls, error, first, every: 0 };
        plan.meets(run().env("NTH_COUNT", &count), program)
            .satisfies("all is as it should be, or what is not is told of", &is_honest);
        // There is none where the run is skipped.
        let Ok(counted) = fs::read_to_string(&count) else { return };
        if counted.trim().parse().is_ok_and(|counted: usize| counted <= first) {
            return;
        }
    }
}

hs_test!(whichever_question_for_ignore_files_fails_it_is_told_of, |tree, hs| {
    let Some(program) = nth() else { return };
    // Several times what is listed at once, so that the names may well be in a later part; long,
    // for there to be few.
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
        run().stdout_satisfies("it is all gems", is_right);
        fail_each(&program, "newfstatat,statx", Errno::IO, tree, is_honest, run);
    }
});

hs_test!(whichever_read_of_much_fails_it_is_told_of, |tree, hs| {
    let Some(program) = nth() else { return };
    let much = "rock\n".repeat(2_000_000) + "gem\n";
    tree.file("much", &much);
    let is_honest = |outcome: &Outcome| is_honest(outcome, "1\n");
    for args in [&["-j1"][..], &["-j4"], &["-U"], &["--mmap"]] {
        let run = || hs.args(["-c", "gem", "much"]).args(args);
        fail_each(&program, "read,pread64,preadv2,fstat,statx", Errno::IO, tree, is_honest, run);
    }
    let run = || hs.args(["-c", "gem"]).stdin(much.as_str());
    fail_each(&program, "read,poll,ppoll,fcntl", Errno::IO, tree, is_honest, run);
});

hs_test!(signals_interrupt_whatever_may_wait_and_change_nothing, |tree, hs| {
    let Some(program) = nth() else { return };
    let expected = plant(tree);
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
            plan.meets(hs.args(args), &program).prints_in_any_order(&expected);
        }
        let plan = Plan { calls, error: Errno::INTR, first: 2, every };
        plan.meets(hs.args(["-c", "gem", "large"]), &program).prints("70000\n");
        plan.meets(hs.args(["-c", "gem"]).stdin("gem\n".repeat(50_000)), &program)
            .prints("50000\n");
    }
});
