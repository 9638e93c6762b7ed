//! Sorted runs over random trees: ripgrep says in which order everything comes, and no number of threads, no queue and
//! no reader may change a byte of it.

use std::{ffi::OsStr, thread, time::Duration};

use heist_queue::QueueKind;

use crate::{Random, TempTree, command, process};

/// Flags that sort.
const SORTS: [&str; 9] = [
    "--sort=path",
    "--sortr=path",
    "--sort-files",
    "--sort=modified",
    "--sortr=modified",
    "--sort=created",
    "--sortr=created",
    "--sort=accessed",
    "--sortr=accessed",
];

/// What is printed of every file, one way or another.
const ASKED: [&[&str]; 6] = [
    &["--files"],
    &["--files", "--null"],
    &["--files-without-match", "-enowhere"],
    &["-c", "--include-zero", "-ea"],
    &["-n", "-e", ""],
    &["--heading", "-B1", "-ea"],
];

/// Where it starts; some of these exist in most trees, some lie in others.
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

/// One command line that sorts.
pub(crate) struct Line {
    args: Vec<&'static str>,
    roots: &'static [&'static str],
    /// How `hs` shares the work.
    ways: Vec<Vec<String>>,
}

impl Line {
    pub(crate) fn grow(random: &mut Random) -> Line {
        let mut args = vec![SORTS[random.below(SORTS.len())]];
        args.extend(ASKED[random.below(ASKED.len())]);
        for (flag, percent) in [("--hidden", 70), ("--no-ignore", 30), ("--follow", 20)] {
            if random.chance(percent) {
                args.push(flag);
            }
        }
        let mut ways = vec![vec!["-j1".to_owned()]];
        for threads in [2, 5] {
            let queue = random.pick(QueueKind::NAMES);
            let reader = random.pick(&["linux", "portable"]);
            ways.push(vec![
                format!("-j{threads}"),
                format!("--queue={queue}"),
                format!("--reader={reader}"),
            ]);
        }
        Line { args, roots: ROOTS[random.below(ROOTS.len())], ways }
    }

    /// Read every file once, so that reading it again does not change when that was: later than it was written, by a clock that
    /// ticks every few milliseconds.
    pub(crate) fn prepare(tree: &TempTree, program: &OsStr) {
        thread::sleep(Duration::from_millis(20));
        let mut command = command(tree, program, &tree.path());
        process::run(command.args(["-uuu", "-c", "", "."]), None);
    }

    /// What is wrong with the answers of `hs`, if anything is.
    pub(crate) fn fault(&self, tree: &TempTree, hs: &OsStr, judge: &OsStr) -> Option<String> {
        let theirs = self.answer(tree, judge, &[]);
        self.ways.iter().find_map(|way| {
            let ours = self.answer(tree, hs, way);
            (ours != theirs).then(|| {
                format!(
                    "{:?} {:?} {way:?}\nhs: {}\nripgrep: {}",
                    self.args,
                    self.roots,
                    ours.escape_ascii(),
                    theirs.escape_ascii()
                )
            })
        })
    }

    fn answer(&self, tree: &TempTree, program: &OsStr, way: &[String]) -> Vec<u8> {
        let mut command = command(tree, program, &tree.path());
        command.args(["--no-config", "--no-messages"]).args(way).args(&self.args).args(self.roots);
        let outcome = process::run(&mut command, None);
        assert!(!outcome.hung, "{command:?} hung");
        outcome.stdout
    }
}
