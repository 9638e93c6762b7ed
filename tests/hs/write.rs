//! `--write` and `--undo`: random texts, runs that are killed, and a disk that takes no more.
//!
//! | what | tests |
//! |---|---|
//! | random trees and flags against another engine, `git apply` and the old files | `oracle` |
//! | one system call fails | `calls` |
//! | power is lost, in a model of the disk | `power` |
//! | runs that are killed, that write at once, and that lose permissions | here, `kills` |

use std::{
    collections::BTreeMap,
    fs,
    time::{Instant, SystemTime},
};

use crate::harness::{
    self, TempTree,
    process::Outcome,
    random::{Choose, Rng, env_number},
    run::Run,
};

#[cfg(target_os = "linux")]
#[path = "write/calls.rs"]
mod calls;
#[path = "write/kills.rs"]
mod kills;
#[path = "write/oracle.rs"]
mod oracle;
#[cfg(target_os = "linux")]
#[path = "write/power.rs"]
mod power;
#[path = "write/searches.rs"]
mod searches;

/// What writes in these tests, where the search does not matter.
const WRITE_ARGS: [&str; 5] = ["before", "-r", "after", "--write", "--yes"];

/// The outcome of a run that writes; `None` if it is left out.
fn finished(run: Run<'_>) -> Option<Outcome> {
    let run = run.differs_from_ripgrep("it writes no file");
    run.unix_only("modes, owners and the place of the journal are those of Unix").outcome()
}

/// The texts of the files of a tree, with the times at which they were modified.
type Files = BTreeMap<String, (Vec<u8>, SystemTime)>;

/// The files of the tree, but for those that a killed run has left.
fn files(tree: &TempTree) -> Files {
    let entries = fs::read_dir(tree.path()).expect("the tree");
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("names are text");
        let modified = entry.metadata().expect("a file").modified().expect("times");
        (name, (fs::read(entry.path()).expect("a file"), modified))
    };
    let all = entries.map(|entry| file(entry.expect("an entry")));
    all.filter(|(name, _)| !name.starts_with(".heist-")).collect()
}

/// The numbers of the changes in the journal of a user, in order.
fn changes(tree: &TempTree) -> Vec<u64> {
    let entries = fs::read_dir(tree.home().join(".local/state/heist/changes"));
    let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut numbers: Vec<u64> = names.filter_map(|name| name.to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn texts(files: &Files) -> BTreeMap<&str, &[u8]> {
    files.iter().map(|(name, (text, _))| (name.as_str(), text.as_slice())).collect()
}

/// Lines with and without matches, with any line ends.
fn text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(..12) {
        for _ in 0..rng.usize(..5) {
            text += rng.pick(&["before", "beforehand", "Before", "x", "é", "a-b", ", ", " "]);
        }
        text += rng.pick(&["\n", "\n", "\r\n", "\n\n"]);
    }
    text += rng.pick(&["", "before", "x before y"]);
    text
}

/// A text in UTF-16, with a mark and with bytes in this order.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

hs_test!(a_text_in_utf_16_becomes_what_it_becomes_in_utf_8, |tree, hs| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 16));
    let has_git = harness::has_git();
    for _ in 0..env_number("HS_TEST_TREES", 15) {
        let mut text = text(&mut rng) + rng.pick(&["", "\u{1f600} before \u{1f600}", "\u{20ac}x"]);
        if rng.bool() {
            text = format!("\u{1f600}{text}");
        }
        let search = rng.pick(&[
            ["before", "after"],
            ["é|x", "\u{1f600}"],
            [".", "$0$0"],
            [r"^\S+", ""],
            ["$", "é"],
        ]);
        tree.file("a", &text);
        tree.file("big", utf16(&text, u16::to_be_bytes));
        tree.file("little", utf16(&text, u16::to_le_bytes));
        let before = files(tree);
        let args = [search[0], "-r", search[1], "--write"];
        let shown = hs.args(args).args(["--dry-run", "little"]);
        let Some(patch) = finished(shown) else { return };
        let Some(outcome) = finished(hs.args(args).args(["--yes"])) else { return };
        let new = fs::read_to_string(tree.path().join("a")).expect("a text");
        let after = files(tree);
        assert_eq!(after["big"].0, utf16(&new, u16::to_be_bytes), "{args:?} {outcome:?}");
        assert_eq!(after["little"].0, utf16(&new, u16::to_le_bytes), "{args:?} {outcome:?}");
        if has_git && !patch.stdout.is_empty() {
            // Git applies the patch to the old bytes, below a directory that is no repository.
            fs::write(tree.join("patch"), &patch.stdout).expect("a file");
            let applied = tree.home().join("applied");
            fs::create_dir_all(&applied).expect("a directory");
            fs::write(applied.join("little"), &before["little"].0).expect("a file");
            let mut git = harness::git(tree, &applied);
            git.args(["apply", "--whitespace=nowarn"]).arg(tree.join("patch"));
            git.env("GIT_CEILING_DIRECTORIES", tree.home());
            let output = git.output().expect("git runs");
            assert!(output.status.success(), "{output:?}");
            assert_eq!(fs::read(applied.join("little")).expect("a file"), after["little"].0);
            fs::remove_file(tree.join("patch")).expect("a file");
        }
        if outcome.status.code() == Some(0) {
            let Some(outcome) = finished(hs.args(["--undo"])) else { return };
            assert_eq!(outcome.status.code(), Some(0), "{outcome:?}");
            assert_eq!(files(tree), before);
        }
    }
});

hs_test!(what_is_written_is_what_is_printed, |tree, hs| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 51));
    let searches: [&[&str]; 9] = [
        &["before", "-r", "after"],
        &["before", "-r", ""],
        &["-w", "before", "-r", "${0}s"],
        &["-i", "before", "-r", "$$"],
        &["-F", "a-b", "-r", "b"],
        &[r"(\w)-(\w)", "-r", "$2--$1"],
        &["-x", "x before y", "-r", "é"],
        &["-U", r"(?s)before.x", "-r", "joined"],
        &["-m2", "[bB]efore|x", "-r", "<$0>"],
    ];
    for _ in 0..env_number("HS_TEST_TREES", 25) {
        let old: BTreeMap<String, String> =
            (0..rng.usize(1..5)).map(|at| (format!("f{at}"), text(&mut rng))).collect();
        for (name, text) in &old {
            tree.file(name, text);
        }
        let search = rng.pick(&searches);
        let before = files(tree);
        let mut expected = BTreeMap::new();
        for (name, text) in &old {
            // The lines between matches and behind the last one are printed as they are.
            let printed = hs.args(search).args(["--passthru", "-N", "--color=never", name]);
            let Some(outcome) = finished(printed) else {
                return;
            };
            let mut printed = outcome.stdout;
            if !text.ends_with('\n') && printed.ends_with(b"\n") {
                printed.pop();
            }
            expected.insert(name.as_str(), printed);
        }
        let write = hs.args(search).args(["--write", "--yes"]);
        let Some(outcome) = finished(write) else {
            return;
        };
        let after = files(tree);
        let expected = expected.iter().map(|(name, text)| (*name, text.as_slice())).collect();
        assert_eq!(texts(&after), expected, "{search:?} {old:?}");
        let has_changed = texts(&after) != texts(&before);
        assert_eq!(outcome.status.code(), Some(i32::from(!has_changed)), "{search:?} {old:?}");
        if has_changed {
            finished(hs.args(["--undo"]));
            assert_eq!(files(tree), before, "{search:?}");
        }
        for name in old.keys() {
            fs::remove_file(tree.join(name)).expect("a file");
        }
    }
});

/// The limits and conditions of random searches, all of which are sorted.
const LIMITS: [&[&str]; 8] = [
    &["--max-results=1"],
    &["--max-results=4"],
    &["--max-files=2"],
    &["--max-files=1", "-m2"],
    &["--offset=2"],
    &["--offset=1", "--max-results=2"],
    &["--per-file", "--and=x"],
    &["--not=x", "--max-results=3"],
];

hs_test!(what_is_written_is_what_a_limit_prints, |tree, hs| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 53));
    for _ in 0..env_number("HS_TEST_TREES", 25) {
        let old: BTreeMap<String, String> =
            (0..rng.usize(1..5)).map(|at| (format!("f{at}"), text(&mut rng))).collect();
        for (name, text) in &old {
            tree.file(name, text);
        }
        let search = [&["before", "-r", "after"][..], rng.pick(&LIMITS)].concat();
        let order = if rng.bool() { "--sort=path" } else { "--sortr=path" };
        let printed = hs.args(&search).args([order, "-nH", "--no-heading", "--color=never"]);
        let printed = printed.differs_from_ripgrep("limits of our own");
        let Some(printed) = finished(printed.exits_with_one_of(&[0, 1])) else { return };
        let mut expected: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (name, text) in &old {
            expected.insert(name, text.split('\n').map(str::to_owned).collect());
        }
        let printed = String::from_utf8(printed.stdout).expect("text");
        for line in printed.split_terminator('\n') {
            let mut parts = line.splitn(3, ':');
            let mut part = || parts.next().expect("path, number and text");
            let (name, number, text) = (part(), part().parse::<usize>().expect("a number"), part());
            text.clone_into(&mut expected.get_mut(name).expect("a file")[number - 1]);
        }
        let write = hs.args(&search).args([order, "--write", "--yes", "--no-journal"]);
        let Some(outcome) = finished(write.exits_with_one_of(&[0, 1])) else { return };
        let after = files(tree);
        let expected: BTreeMap<&str, String> =
            expected.into_iter().map(|(name, lines)| (name, lines.join("\n"))).collect();
        let expected = expected.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        assert_eq!(texts(&after), expected, "{search:?} {order} {old:?}");
        assert_eq!(outcome.status.code(), Some(i32::from(printed.is_empty())), "{search:?}");
        for name in old.keys() {
            fs::remove_file(tree.join(name)).expect("a file");
        }
    }
});

/// How many files a run that is killed would write: more than are replaced at a time.
const KILLED_FILES: usize = 600;

hs_test!(a_run_that_is_killed_leaves_old_or_new_files, |tree, hs| {
    let old = "a line\nbefore\n".repeat(40);
    let new = old.replace("before", "after");
    for at in 0..KILLED_FILES {
        tree.file(format!("f{at}"), &old);
    }
    let before = files(tree);
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 52));
    let mut kinds = [0; 3];
    // The first run comes to its end, and shows how long that takes.
    let (started, mut whole) = (Instant::now(), 60.0);
    for _ in 0..=env_number("HS_TEST_KILLS", 12) {
        let seconds = if whole < 60.0 { whole * rng.f64() } else { whole };
        let run = hs.args(["before", "-r", "after", "--write", "--yes"]);
        let run = run.through_sh(&format!("timeout -s KILL {seconds:.3} \"$@\""));
        if finished(run).is_none() {
            return;
        }
        whole = f64::min(whole, 1.2 * started.elapsed().as_secs_f64());
        let now = files(tree);
        assert_eq!(now.len(), KILLED_FILES);
        let mut changed = 0;
        for (name, (text, _)) in &now {
            assert!(*text == old.as_bytes() || *text == new.as_bytes(), "{name}: {text:?}");
            changed += usize::from(*text == new.as_bytes());
        }
        kinds[match changed {
            0 => 0,
            KILLED_FILES => 2,
            _ => 1,
        }] += 1;
        // Any `--undo` removes what the killed run has left.
        let undo = if changed > 0 { "--undo" } else { "--undo=0" };
        finished(hs.args([undo]));
        assert_eq!(fs::read_dir(tree.path()).expect("the tree").count(), KILLED_FILES);
        assert!(files(tree) == before, "{changed} files were changed, and put back");
    }
    assert!(kinds[0] > 0 && kinds[2] > 0, "{kinds:?}");
});

hs_test!(a_file_that_cannot_be_written_stays, |tree, hs| {
    let large = "before\n".repeat(20_000);
    tree.file("large", &large);
    tree.file("small", "before\n");
    let run = hs.args(["before", "-r", "after", "--write", "--yes", "--no-journal"]);
    // No file may have more than 16 KiB, in blocks of 512 bytes.
    let run = run.through_sh("trap '' XFSZ; ulimit -f 32; \"$@\"");
    let Some(outcome) = finished(run) else { return };
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(stderr.contains("large: cannot be copied"), "{stderr}");
    assert_eq!(outcome.status.code(), Some(2));
    let expected = [("large", large.as_bytes()), ("small", b"after\n")].into();
    assert_eq!(texts(&files(tree)), expected);
    // No temporary file is left.
    assert_eq!(fs::read_dir(tree.path()).expect("the tree").count(), 2);
});
