//! Differential tests: `hs` against git and ripgrep, and against itself with other settings, on
//! random input.
//!
//! - `generate`: random trees with random ignore files (negations, anchors, `**`, classes, escapes,
//!   trailing blanks, rules for directories, nested repositories) are listed by `hs` and by git or
//!   ripgrep.
//! - `session`: random files, patterns and flags; `hs` has to print the bytes that ripgrep prints.
//! - `fixed`: every flag on fixed trees, against ripgrep; `lists`: complete lists such as
//!   encodings, against ripgrep's.
//! - `order`: the order of sorted output, against ripgrep.
//! - `variants`: every queue, reader and number of workers prints what one worker prints.
//! - `several`: several patterns find what each of them finds alone.
//! - `known`: the differences from ripgrep that are known. Such cases are skipped and counted.
//!
//! A case that fails is minimised: parts of it are removed for as long as it fails, and the rest is
//! printed.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `HS_TEST_TREES` | random trees per test | 25 |
//! | `HS_TEST_SEED` | the seed of the first tree; a failure prints the seed of its tree | 1 |
//! | `HS_TEST_STEP` | only one of so many command lines of `fixed`: Wine is slow | 1 |
//! | `HS_TEST_PROGRAM` | another `hs`; one for Windows is compared with ripgrep for Windows | |
//! | `HS_TEST_JUDGE` | the path of ripgrep 15.2; empty: none | an installed `rg` 15.2 |

use std::{
    collections::BTreeSet,
    env,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use heist_queue::QueueKind;
use skipped_tests::skip;

#[path = "differential/answer.rs"]
mod answer;
#[path = "differential/fixed.rs"]
mod fixed;
#[allow(dead_code, reason = "shared with tests/hs/main.rs, which uses all of it")]
#[path = "harness/flags.rs"]
mod flags;
#[path = "differential/generate.rs"]
mod generate;
#[path = "differential/haystack.rs"]
mod haystack;
#[path = "harness/indexed.rs"]
mod indexed;
#[path = "differential/known.rs"]
mod known;
#[path = "differential/lists.rs"]
mod lists;
#[path = "differential/order.rs"]
mod order;
#[path = "harness/process.rs"]
mod process;
#[path = "harness/random.rs"]
mod random;
#[path = "differential/session.rs"]
mod session;
#[path = "differential/several.rs"]
mod several;
#[allow(dead_code, reason = "shared with tests/hs/main.rs, which uses all of it")]
#[path = "harness/sys/mod.rs"]
mod sys;
#[allow(dead_code, reason = "shared with tests/hs/main.rs, which uses all of it")]
#[path = "harness/temp_tree.rs"]
mod temp_tree;
#[path = "differential/variants.rs"]
mod variants;
#[path = "differential/words.rs"]
mod words;

use answer::Answer;
use generate::{Dialect, Shrink, TreeSpec};
use known::Tally;
use random::{Rng, env_number};
use session::Session;
use temp_tree::TempTree;

/// Paths relative to the top of the tree.
type Paths = BTreeSet<Vec<u8>>;

#[test]
fn files_are_those_that_git_lists() {
    if !runs("git", "--version") {
        return skip("git is not installed");
    }
    for seed in seeds() {
        let spec = TreeSpec::generate(&mut Rng::with_seed(seed), Dialect::Git);
        let args = if seed % 2 == 0 { vec![] } else { vec!["--dotfiles".to_string()] };
        compare(seed, spec, &args, |tree| git_files(tree, &tree.path(), b""));
    }
}

#[test]
fn ripgrep_lists_the_same_files() {
    let Some(oracle) = oracle() else { return };
    for seed in seeds() {
        let mut rng = Rng::with_seed(seed);
        let spec = TreeSpec::generate(&mut rng, Dialect::Ripgrep);
        let args = generate::flags(&mut rng);
        compare(seed, spec, &args, |tree| listed(tree, oracle.as_os_str(), &args));
    }
}

/// Sessions per tree of `HS_TEST_TREES`: they are much faster than trees.
const SESSIONS_PER_TREE: u64 = 100;

#[test]
fn ripgrep_prints_the_same_in_random_sessions() {
    let Some(oracle) = oracle() else { return };
    let seeds: Vec<u64> =
        seeds().flat_map(|seed| (0..SESSIONS_PER_TREE).map(move |n| seed * 1000 + n)).collect();
    let tally = Tally::default();
    let failures = in_parallel(&seeds, |&seed| {
        let session = Session::generate(&mut Rng::with_seed(seed));
        tally.count(session.known());
        let differs = |session: &Session| difference(session, oracle.as_os_str()).is_some();
        differs(&session).then(|| {
            let session = session.shrink(differs);
            let answers = difference(&session, oracle.as_os_str()).unwrap_or_default();
            format!("session {seed}, minimised: {session}\n{answers}")
        })
    });
    eprintln!("sessions:\n{tally}");
    assert_none(&failures);
}

/// The least number of command lines of `fixed` that are compared, not skipped as known.
const MIN_FIXED: usize = 400;

#[test]
fn ripgrep_prints_the_same_for_every_flag() {
    let Some(oracle) = oracle() else { return };
    let hs = process::program();
    let trees = fixed::trees();
    let step = env_number("HS_TEST_STEP", 1) as usize;
    let lines = trees.iter().flat_map(fixed::FixedTree::lines).step_by(step);
    let lines: Vec<fixed::Line<'_>> = lines.collect();
    let tally = Tally::default();
    let failures = in_parallel(&lines, |line| {
        let known = line.known();
        tally.count(known);
        if known.is_some() {
            return None;
        }
        let (ours, theirs) = (line.answer(hs.as_os_str()), line.answer(oracle.as_os_str()));
        let same = ours.agrees(&theirs, line.order());
        (!same).then(|| format!("{line}\n{}", ours.diff(&theirs)))
    });
    eprintln!("command lines:\n{tally}");
    assert_none(&failures);
    assert!(tally.compared() >= MIN_FIXED / step, "too few command lines:\n{tally}");
}

/// Sorted command lines per tree.
const LINES_PER_TREE: usize = 8;

#[test]
fn ripgrep_sorts_in_the_same_order() {
    let Some(oracle) = oracle() else { return };
    let hs = process::program();
    let hs = hs.as_os_str();
    for seed in seeds() {
        let mut rng = Rng::with_seed(seed);
        let tree = TreeSpec::generate(&mut rng, Dialect::Ripgrep).build();
        order::SortedRun::prepare(&tree, hs);
        for _ in 0..LINES_PER_TREE {
            let run = order::SortedRun::generate(&mut rng);
            if let Some(failure) = run.failure(&tree, hs, oracle.as_os_str()) {
                panic!("tree {seed}: {failure}\n{}", tree.describe());
            }
        }
    }
}

/// Fails if there are failures.
#[track_caller]
fn assert_none(failures: &[String]) {
    assert!(failures.is_empty(), "\n{}\n{} failures", failures.join("\n"), failures.len());
}

/// The answers of `hs` and the oracle, if they differ in a case that is not known.
fn difference(session: &Session, oracle: &OsStr) -> Option<String> {
    if session.known().is_some() {
        return None;
    }
    let tree = session.build();
    let hs = process::program();
    let (ours, theirs) = (session.answer(&tree, hs.as_os_str()), session.answer(&tree, oracle));
    let is_race = session.is_quiet() && session.has_several_workers();
    let agree = if is_race { Answer::agrees_except_messages } else { Answer::agrees };
    let same = agree(&ours, &theirs, session.order());
    (!same).then(|| ours.diff(&theirs))
}

/// Runs `check` on the cases, on all cores, and returns the failures.
fn in_parallel<T: Sync>(cases: &[T], check: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
            if let Some(failure) = check(case) {
                failures.lock().expect("checks do not panic").push(failure);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    failures.into_inner().expect("checks do not panic")
}

/// A tree runs one of so many variants, and the next tree the next: a number that shares no divisor
/// with the numbers of readers and of thread counts.
const VARIANTS_TAKE_TURNS: usize = 5;

#[test]
fn every_queue_reader_and_thread_count_lists_the_same() {
    let variants: Vec<Vec<String>> = QueueKind::NAMES
        .iter()
        .flat_map(|queue| ["linux", "portable"].map(|reader| (queue, reader)))
        .flat_map(|(queue, reader)| [1, 2, 5, 32].map(|threads| (queue, reader, threads)))
        .map(|(queue, reader, threads)| {
            vec![format!("--queue={queue}"), format!("--reader={reader}"), format!("-j{threads}")]
        })
        .collect();
    for seed in seeds() {
        let tree = TreeSpec::generate(&mut Rng::with_seed(seed), Dialect::Ripgrep).build();
        let expected = hs_files(&tree, &[]);
        let first = seed as usize % VARIANTS_TAKE_TURNS;
        for variant in variants.iter().skip(first).step_by(VARIANTS_TAKE_TURNS) {
            let found = hs_files(&tree, variant);
            assert!(
                found == expected,
                "tree {seed}: {variant:?} lists other files than no flags\n{}",
                Difference { ours: &found, theirs: &expected }
            );
        }
    }
}

#[test]
fn every_variant_prints_the_same() {
    let seeds: Vec<u64> = seeds().collect();
    assert_none(&in_parallel(&seeds, |&seed| {
        let mut rng = Rng::with_seed(seed);
        let cases =
            [variants::Case::generate_walk(&mut rng), variants::Case::generate_file(&mut rng)];
        let failure = cases.into_iter().find_map(|case| case.failure(&mut rng))?;
        Some(format!("case {seed}, minimised: {failure}"))
    }));
}

fn seeds() -> impl Iterator<Item = u64> {
    let first = env_number("HS_TEST_SEED", 1);
    first..first + env_number("HS_TEST_TREES", 25)
}

/// Fails with the minimised tree if `hs` and `theirs` list different files.
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
        "tree {seed}, flags {args:?}, minimised:\n{}\n{}",
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
    listed(tree, process::program().as_os_str(), args)
}

/// The files that `program --files --hidden` lists, except those inside `.git`, unless the program
/// is to leave them out by itself.
fn listed(tree: &TempTree, program: &OsStr, args: &[String]) -> Paths {
    let mut command = command(tree, program, &tree.path());
    command.args(["--files", "--hidden", "--null", "--no-messages", "--no-config"]).args(args);
    let stdout = stdout(&mut command, &[0, 1]);
    let paths = split(&stdout).map(|path| path.strip_prefix(b"./").unwrap_or(path));
    let has_git = !args.iter().any(|arg| arg == "--dotfiles");
    let is_listed = |path: &&[u8]| !has_git || !in_git_dir(path);
    let paths: Vec<_> = paths.filter(is_listed).map(<[u8]>::to_vec).collect();
    let set: Paths = paths.iter().cloned().collect();
    assert_eq!(set.len(), paths.len(), "{args:?} lists a path twice");
    set
}

/// The files that git reports as untracked and not ignored, including those of nested repositories.
fn git_files(tree: &TempTree, repo: &Path, prefix: &[u8]) -> Paths {
    let mut command = command(tree, OsStr::new("git"), repo);
    command.args(["ls-files", "-co", "--exclude-standard", "-z"]);
    let stdout = stdout(&mut command, &[0]);
    let mut paths = Paths::new();
    for path in split(&stdout) {
        let full = [prefix, path].concat();
        if path.ends_with(b"/") {
            paths.extend(git_files(tree, &repo.join(sys::name(path)), &full));
        } else {
            paths.insert(full);
        }
    }
    paths
}

fn command(tree: &TempTree, program: &OsStr, cwd: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(cwd).env_clear();
    sys::set_environment(&mut command, &tree.home());
    command.env("PATH", env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.args(indexed::flag(program));
    command
}

/// Runs `command`, which has to exit with one of `statuses`, and returns its stdout.
fn stdout(command: &mut Command, statuses: &[i32]) -> Vec<u8> {
    let outcome = process::run_in_time(command, None);
    let met = outcome.status.code().is_some_and(|code| statuses.contains(&code));
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    assert!(met, "{command:?}: {}\n{stderr}", outcome.status);
    outcome.stdout
}

/// Why a comparison is skipped.
const NO_JUDGE: &str = "no ripgrep 15.2 is installed or named by HS_TEST_JUDGE";

/// The ripgrep to compare with: `HS_TEST_JUDGE`, or the installed one if its version is 15.2.
fn oracle() -> Option<PathBuf> {
    let installed = || {
        let output = Command::new("rg").arg("--version").output().ok()?;
        output.stdout.starts_with(b"ripgrep 15.2.").then(|| PathBuf::from("rg"))
    };
    // An empty variable rules out the installed one, too.
    let oracle = match env::var_os("HS_TEST_JUDGE") {
        Some(_) => process::oracle(),
        None => installed(),
    };
    if oracle.is_none() {
        skip(NO_JUDGE);
    }
    oracle
}

fn runs(program: &str, arg: &str) -> bool {
    Command::new(program).arg(arg).output().is_ok()
}

fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&b| b == 0).filter(|path| !path.is_empty())
}

fn in_git_dir(path: &[u8]) -> bool {
    path.split(|&b| b == b'/').rev().skip(1).any(|name| name == b".git")
}
