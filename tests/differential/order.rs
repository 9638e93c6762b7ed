//! Sorted runs over random trees: the output has to be ripgrep's, byte for byte, with every number
//! of threads, queue and reader.

use std::{ffi::OsStr, thread, time::Duration};

use heist_queue::QueueKind;

use crate::{
    TempTree, command, process,
    random::{Choose, Rng},
};

/// Flags that sort.
const SORTS: &str = "--sort=path --sortr=path --sort-files --sort=modified --sortr=modified
    --sort=created --sortr=created --sort=accessed --sortr=accessed";

/// Flags and patterns for which the output shows every file.
const MODES: [&[&str]; 6] = [
    &["--files"],
    &["--files", "--null"],
    &["--files-without-match", "-enowhere"],
    &["-c", "--include-zero", "-ea"],
    &["-n", "-e", ""],
    &["--heading", "-B1", "-ea"],
];

/// Paths to start from. Most exist in most trees, and some are nested.
const ROOTS: [&[&str]; 8] = [
    &[],
    &["."],
    &["./"],
    &["src", "a", "build"],
    &["a b", "./a", "b", "#x", "!y"],
    &["a", "a/b", "a"],
    &[".", "b.log", "ab"],
    &["x1", "../tree/src", "abc"],
];

/// A command line that sorts.
pub(crate) struct SortedRun {
    args: Vec<&'static str>,
    roots: &'static [&'static str],
    /// Flags of `hs` that must not change the output.
    variants: Vec<Vec<String>>,
}

impl SortedRun {
    pub(crate) fn generate(rng: &mut Rng) -> SortedRun {
        let mut args = vec![rng.pick(&SORTS.split_whitespace().collect::<Vec<_>>())];
        args.extend(rng.pick(&MODES));
        for (flag, percent) in [("--hidden", 70), ("--no-ignore", 30), ("--follow", 20)] {
            if rng.chance(percent) {
                args.push(flag);
            }
        }
        let mut variants = vec![vec!["-j1".to_owned()]];
        for threads in [2, 5] {
            let queue = rng.pick(QueueKind::NAMES);
            let reader = rng.pick(&["linux", "portable"]);
            variants.push(vec![
                format!("-j{threads}"),
                format!("--queue={queue}"),
                format!("--reader={reader}"),
            ]);
        }
        SortedRun { args, roots: rng.pick(&ROOTS), variants }
    }

    /// Reads every file once, later than it was written by a tick of the file system's clock: with
    /// `relatime`, only the first such read changes the time of access.
    pub(crate) fn prepare(tree: &TempTree, program: &OsStr) {
        thread::sleep(Duration::from_millis(20));
        let mut command = command(tree, program, &tree.path());
        process::run(command.args(["-uuu", "-c", "", "."]), None);
    }

    /// Compares every variant of `hs` with `oracle` and describes the first that differs.
    pub(crate) fn failure(&self, tree: &TempTree, hs: &OsStr, oracle: &OsStr) -> Option<String> {
        let theirs = self.answer(tree, oracle, &[]);
        self.variants.iter().find_map(|variant| {
            let ours = self.answer(tree, hs, variant);
            (ours != theirs).then(|| {
                format!(
                    "{:?} {:?} {variant:?}\nhs: {}\nripgrep: {}",
                    self.args,
                    self.roots,
                    ours.escape_ascii(),
                    theirs.escape_ascii()
                )
            })
        })
    }

    fn answer(&self, tree: &TempTree, program: &OsStr, variant: &[String]) -> Vec<u8> {
        let mut command = command(tree, program, &tree.path());
        command
            .args(["--no-config", "--no-messages"])
            .args(variant)
            .args(&self.args)
            .args(self.roots);
        process::run_in_time(&mut command, None).stdout
    }
}
