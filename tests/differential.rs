//! `hs` against git and ripgrep, and against itself, on trees and texts nobody would think of.
//!
//! Each tree has random names and random ignore files: negations, anchors, `**`, classes, escapes,
//! trailing blanks, directory-only rules, nested repositories. Where two answers differ, rules and
//! files are taken away for as long as they still do, and what is left is printed. Sessions are random
//! texts, patterns and flags; what is printed has to be what ripgrep prints, byte for byte. Every flag is
//! tried on trees that are always the same (`fixed`), and what comes in lists has to be in ripgrep's
//! (`lists`). Where the two are known to differ, `known` says so, and every run counts how often.
//!
//! | variable | meaning |
//! |---|---|
//! | `HS_TEST_TREES` | trees per test, 25 unless told |
//! | `HS_TEST_SEED` | the first tree's seed, 1 unless told; a failure names the seed of its tree |
//! | `HS_TEST_JUDGE` | path of ripgrep; unless told, the one that is installed, if it is 15.2 |

use std::{
    collections::BTreeSet,
    env,
    ffi::OsStr,
    fmt,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use heist_queue::QueueKind;

#[path = "differential/answer.rs"]
mod answer;
#[path = "differential/fixed.rs"]
mod fixed;
#[path = "harness/flags.rs"]
mod flags;
#[path = "differential/grow.rs"]
mod grow;
#[path = "differential/haystack.rs"]
mod haystack;
#[path = "differential/known.rs"]
mod known;
#[path = "differential/lists.rs"]
mod lists;
#[path = "differential/order.rs"]
mod order;
#[path = "harness/process.rs"]
mod process;
#[path = "differential/session.rs"]
mod session;
#[allow(dead_code, reason = "the vocabulary is shared with tests/hs.rs, which uses all of it")]
#[path = "harness/temp_tree.rs"]
mod temp_tree;
#[path = "differential/ways.rs"]
mod ways;
#[path = "differential/words.rs"]
mod words;

use answer::Answer;
use grow::{Dialect, Random, Smaller, TreeSpec};
use known::Tally;
use session::Session;
use temp_tree::TempTree;

/// Paths, relative to the top of the tree.
type Paths = BTreeSet<Vec<u8>>;

#[test]
fn git_decides_what_gitignore_files_mean() {
    if !runs("git", "--version") {
        eprintln!("skipped: there is no git to compare with");
        return;
    }
    for seed in seeds() {
        let spec = TreeSpec::grow(&mut Random::new(seed), Dialect::Git);
        compare(seed, spec, &[], |tree| git_files(tree, &tree.path(), b""));
    }
}

#[test]
fn ripgrep_decides_what_its_own_files_and_flags_mean() {
    let Some(judge) = judge() else {
        return;
    };
    for seed in seeds() {
        let mut random = Random::new(seed);
        let spec = TreeSpec::grow(&mut random, Dialect::Ripgrep);
        let args = grow::flags(&mut random);
        compare(seed, spec, &args, |tree| listed(tree, judge.as_os_str(), &args));
    }
}

/// How many sessions are tried for each tree that is asked for; they are much quicker.
const SESSIONS_PER_TREE: u64 = 100;

#[test]
fn ripgrep_decides_what_is_printed() {
    let Some(judge) = judge() else {
        return;
    };
    let seeds: Vec<u64> =
        seeds().flat_map(|seed| (0..SESSIONS_PER_TREE).map(move |n| seed * 1000 + n)).collect();
    let tally = Tally::default();
    let faults = in_parallel(&seeds, |&seed| {
        let session = Session::grow(&mut Random::new(seed));
        tally.count(session.known());
        let differs = |session: &Session| difference(session, judge.as_os_str()).is_some();
        differs(&session).then(|| {
            let session = session.shrink(differs);
            let answers = difference(&session, judge.as_os_str()).unwrap_or_default();
            format!("session {seed}, made smaller: {session}\n{answers}")
        })
    });
    report("sessions", &tally, &faults);
}

/// At least so many of the command lines of `fixed` have to be compared, not passed over as known.
const FIXED_AT_LEAST: usize = 400;

#[test]
fn ripgrep_decides_what_every_flag_does() {
    let Some(judge) = judge() else {
        return;
    };
    let trees = fixed::trees();
    let lines: Vec<fixed::Line<'_>> = trees.iter().flat_map(fixed::Tree::lines).collect();
    let tally = Tally::default();
    let hs = OsStr::new(env!("CARGO_BIN_EXE_hs"));
    let faults = in_parallel(&lines, |line| {
        let known = line.known();
        tally.count(known);
        if known.is_some() {
            return None;
        }
        let (ours, theirs) = (line.answer(hs), line.answer(judge.as_os_str()));
        let same = ours.agrees(&theirs, line.order());
        (!same).then(|| format!("{line}\n{}", ours.beside(&theirs)))
    });
    report("command lines", &tally, &faults);
    assert!(tally.compared() >= FIXED_AT_LEAST, "too few command lines:\n{tally}");
}

/// How many sorted command lines are tried for each tree.
const LINES_PER_TREE: usize = 8;

#[test]
fn ripgrep_decides_the_order() {
    let Some(judge) = judge() else {
        return;
    };
    let hs = OsStr::new(env!("CARGO_BIN_EXE_hs"));
    for seed in seeds() {
        let mut random = Random::new(seed);
        let tree = TreeSpec::grow(&mut random, Dialect::Ripgrep).build();
        order::Line::prepare(&tree, hs);
        for _ in 0..LINES_PER_TREE {
            let line = order::Line::grow(&mut random);
            if let Some(fault) = line.fault(&tree, hs, judge.as_os_str()) {
                panic!("tree {seed}: {fault}\n{}", tree.describe());
            }
        }
    }
}

/// Say what was compared, and fail if there are faults.
#[track_caller]
fn report(what: &str, tally: &Tally, faults: &[String]) {
    eprintln!("{what}:\n{tally}");
    assert!(faults.is_empty(), "\n{}\n{} faults", faults.join("\n"), faults.len());
}

/// What `hs` and the judge answer, if they differ where they should not.
fn difference(session: &Session, judge: &OsStr) -> Option<String> {
    if session.known().is_some() {
        return None;
    }
    let tree = session.build();
    let hs = OsStr::new(env!("CARGO_BIN_EXE_hs"));
    let (ours, theirs) = (session.answer(&tree, hs), session.answer(&tree, judge));
    let is_race = session.is_quiet() && session.has_several_workers();
    let agree = if is_race { Answer::agrees_but_for_messages } else { Answer::agrees };
    let same = agree(&ours, &theirs, session.order());
    (!same).then(|| ours.beside(&theirs))
}

/// What `check` finds wrong with the cases, all cores at work.
fn in_parallel<T: Sync>(cases: &[T], check: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
            if let Some(fault) = check(case) {
                faults.lock().expect("no check panics").push(fault);
            }
        }
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        for worker in (0..workers).map(|_| scope.spawn(work)) {
            drop(worker);
        }
    });
    faults.into_inner().expect("no check panics")
}

/// For how many trees a way is passed over once it was taken. No divisor of the numbers of readers and of thread counts.
const WAYS_TAKE_TURNS: usize = 5;

#[test]
fn every_queue_reader_and_thread_count_lists_the_same() {
    let ways: Vec<Vec<String>> = QueueKind::NAMES
        .iter()
        .flat_map(|queue| ["linux", "portable"].map(|reader| (queue, reader)))
        .flat_map(|(queue, reader)| [1, 2, 5, 32].map(|threads| (queue, reader, threads)))
        .map(|(queue, reader, threads)| {
            vec![format!("--queue={queue}"), format!("--reader={reader}"), format!("-j{threads}")]
        })
        .collect();
    for seed in seeds() {
        let tree = TreeSpec::grow(&mut Random::new(seed), Dialect::Ripgrep).build();
        let usual = hs_files(&tree, &[]);
        // Each tree in some ways, each way on some trees.
        for way in ways.iter().skip(seed as usize % WAYS_TAKE_TURNS).step_by(WAYS_TAKE_TURNS) {
            let found = hs_files(&tree, way);
            assert!(
                found == usual,
                "tree {seed}: {way:?} lists other files than no flag at all\n{}",
                Difference { ours: &found, theirs: &usual }
            );
        }
    }
}

#[test]
fn every_way_prints_the_same() {
    let seeds: Vec<u64> = seeds().collect();
    let faults = in_parallel(&seeds, |&seed| {
        let mut random = Random::new(seed);
        let cases = [ways::Case::grow_walk(&mut random), ways::Case::grow_file(&mut random)];
        let fault = cases.into_iter().find_map(|case| case.fault(&mut random))?;
        Some(format!("case {seed}, made smaller: {fault}"))
    });
    assert!(faults.is_empty(), "\n{}\n{} faults", faults.join("\n"), faults.len());
}

fn seeds() -> impl Iterator<Item = u64> {
    let number = |name: &str, default| match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|e| panic!("{name}={text}: {e}")),
        Err(_) => default,
    };
    let first = number("HS_TEST_SEED", 1);
    first..first + number("HS_TEST_TREES", 25)
}

/// Fail with the smallest tree on which `hs` and `theirs` differ, if they differ on this one.
fn compare(seed: u64, spec: TreeSpec, args: &[String], theirs: impl Fn(&TempTree) -> Paths) {
    let differs = |spec: &TreeSpec| {
        let tree = spec.build();
        hs_files(&tree, args) != theirs(&tree)
    };
    if !differs(&spec) {
        return;
    }
    let tree = spec.shrink(differs).build();
    panic!(
        "tree {seed}, flags {args:?}, made smaller:\n{}\n{}",
        Difference { ours: &hs_files(&tree, args), theirs: &theirs(&tree) },
        tree.describe()
    );
}

struct Difference<'a> {
    ours: &'a Paths,
    theirs: &'a Paths,
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in self.ours.difference(self.theirs) {
            writeln!(f, "only hs lists     {}", path.escape_ascii())?;
        }
        for path in self.theirs.difference(self.ours) {
            writeln!(f, "hs does not list  {}", path.escape_ascii())?;
        }
        Ok(())
    }
}

fn hs_files(tree: &TempTree, args: &[String]) -> Paths {
    listed(tree, OsStr::new(env!("CARGO_BIN_EXE_hs")), args)
}

/// What `--files --hidden` of `program` lists, without what lies in a `.git`.
fn listed(tree: &TempTree, program: &OsStr, args: &[String]) -> Paths {
    let mut command = command(tree, program, &tree.path());
    command.args(["--files", "--hidden", "--null", "--no-messages", "--no-config"]).args(args);
    let stdout = output(&mut command, &[0, 1]);
    let paths = split(&stdout).map(|path| path.strip_prefix(b"./").unwrap_or(path));
    let paths: Vec<_> = paths.filter(|path| !in_git_dir(path)).map(<[u8]>::to_vec).collect();
    let set: Paths = paths.iter().cloned().collect();
    assert_eq!(set.len(), paths.len(), "{args:?} lists a path twice");
    set
}

/// What git calls untracked and not ignored, nested repositories included.
fn git_files(tree: &TempTree, repo: &Path, prefix: &[u8]) -> Paths {
    let mut command = command(tree, OsStr::new("git"), repo);
    command.args(["ls-files", "-co", "--exclude-standard", "-z"]);
    let stdout = output(&mut command, &[0]);
    let mut paths = Paths::new();
    for path in split(&stdout) {
        let full = [prefix, path].concat();
        if path.ends_with(b"/") {
            paths.extend(git_files(tree, &repo.join(OsStr::from_bytes(path)), &full));
        } else {
            paths.insert(full);
        }
    }
    paths
}

fn command(tree: &TempTree, program: &OsStr, cwd: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    command.current_dir(cwd).env_clear();
    command.env("PATH", env::var_os("PATH").unwrap_or_default()).env("HOME", tree.home());
    command.env("GIT_CONFIG_SYSTEM", "/dev/null");
    command
}

fn output(command: &mut std::process::Command, statuses: &[i32]) -> Vec<u8> {
    let outcome = process::run(command, None);
    assert!(!outcome.hung, "{command:?} hung");
    let met = outcome.status.code().is_some_and(|code| statuses.contains(&code));
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    assert!(met, "{command:?}: {}\n{stderr}", outcome.status);
    outcome.stdout
}

/// The ripgrep to compare with: the one that is named, else the one that is installed, if it is of the
/// version whose command line `hs` has. Says so where there is none, past the test's captured output.
fn judge() -> Option<PathBuf> {
    let installed = || {
        let output = std::process::Command::new("rg").arg("--version").output().ok()?;
        output.stdout.starts_with(b"ripgrep 15.2.").then(|| PathBuf::from("rg"))
    };
    // A variable that is set and empty says that there shall be none.
    let judge = match env::var_os("HS_TEST_JUDGE") {
        Some(_) => process::judge(),
        None => installed(),
    };
    if judge.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: there is no ripgrep 15.2 to compare with, named by HS_TEST_JUDGE or installed"
        );
    }
    judge
}

fn runs(program: &str, arg: &str) -> bool {
    std::process::Command::new(program).arg(arg).output().is_ok()
}

fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&b| b == 0).filter(|path| !path.is_empty())
}

fn in_git_dir(path: &[u8]) -> bool {
    path.split(|&b| b == b'/').rev().skip(1).any(|name| name == b".git")
}
