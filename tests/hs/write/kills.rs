//! Runs that are killed at random moments, runs that write at once, and permissions that are lost.
//!
//! `HS_TEST_KILLS` is the number of killed runs.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt as _,
    thread,
    time::{Duration, Instant},
};

use super::{Files, WRITE_ARGS, changes, files, finished};
use crate::harness::{
    Hs, TempTree,
    process::Outcome,
    random::{Choose, Rng, env_number},
    run::Run,
};

/// How many files a run would write.
const FEW_FILES: usize = 24;

/// What a run that is killed was to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Write,
    WriteWithoutJournal,
    Undo,
}

/// `run`, which is killed after `time`.
fn killed(run: Run<'_>, time: Duration) -> Option<Outcome> {
    let run = run.through_sh(&format!("timeout -s KILL {:.4} \"$@\"", time.as_secs_f64()));
    finished(run)
}

/// How many of the files have the text that `texts` has for them; the others have that of `others`.
fn count(now: &Files, texts: &Files, others: &Files, about: &str) -> usize {
    let mut count = 0;
    assert!(now.keys().eq(texts.keys()), "{about}: {:?}", now.keys());
    for (name, (text, _)) in now {
        let is_here = *text == texts[name].0;
        assert!(is_here || *text == others[name].0, "{about}: {name}: {text:?}");
        count += usize::from(is_here);
    }
    count
}

/// How many temporary files there are.
fn temporary_files(tree: &TempTree) -> usize {
    let names = fs::read_dir(tree.path()).expect("the tree").map(|it| it.expect("a file"));
    names.filter(|it| it.file_name().to_string_lossy().starts_with(".heist-")).count()
}

/// Runs `hs` to its end.
fn finish(hs: &Hs<'_>, args: &[&str]) -> Option<Outcome> {
    finished(hs.args(args))
}

hs_test!(a_run_that_is_killed_can_be_put_back, |tree, hs| {
    for at in 0..FEW_FILES {
        tree.file(format!("f{at}"), format!("{at} before\nbefore\n").repeat(1 + at * 97 % 800));
    }
    let old = files(tree);
    // The first runs come to their ends, and show how long that takes.
    let started = Instant::now();
    if finish(hs, &WRITE_ARGS).is_none() {
        return;
    }
    let whole = started.elapsed().mul_f64(1.2);
    let new = files(tree);
    finish(hs, &["--undo"]);
    assert!(files(tree) == old);
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 53));
    let mut kinds = BTreeMap::new();
    for at in 0..env_number("HS_TEST_KILLS", 20) {
        let doing =
            rng.pick(&[Doing::Write, Doing::Write, Doing::WriteWithoutJournal, Doing::Undo]);
        let mut change = None;
        let mut args = WRITE_ARGS.to_vec();
        match doing {
            Doing::Write => {}
            Doing::WriteWithoutJournal => args.push("--no-journal"),
            Doing::Undo => {
                finish(hs, &args);
                change = changes(tree).pop();
                args = vec!["--undo"];
            }
        }
        let time = whole.mul_f64(rng.f64());
        let about = format!("{doing:?} {at}, killed after {time:?}");
        killed(hs.args(&args), time);
        let now = files(tree);
        let changed = count(&now, &new, &old, &about);
        let kind = if changed == 0 {
            "old"
        } else if changed == FEW_FILES {
            "new"
        } else {
            "some"
        };
        *kinds.entry((doing as u8, kind)).or_insert(0) += 1;
        match doing {
            Doing::Write if changed > 0 => {
                let undo = finish(hs, &["--undo"]).expect("it is no ripgrep");
                assert_eq!(undo.status.code(), Some(0), "{about}: {undo:?}");
            }
            Doing::Undo if changed > 0 => {
                finish(hs, &[&format!("--undo={}", change.expect("a change"))]);
            }
            _ => {
                finish(hs, &["--undo=0"]);
            }
        }
        if doing == Doing::WriteWithoutJournal {
            // Nothing knows what was written, and what is left.
            for (name, (text, time)) in &old {
                tree.file(name, text);
                let file = fs::File::open(tree.join(name)).expect("a file");
                file.set_modified(*time).expect("a time");
            }
            for entry in fs::read_dir(tree.path()).expect("the tree") {
                let path = entry.expect("an entry").path();
                if path.to_string_lossy().contains("/.heist-") {
                    fs::remove_file(path).expect("a temporary file");
                }
            }
        }
        assert_eq!(temporary_files(tree), 0, "{about}");
        assert!(files(tree) == old, "{about}: {changed} files were changed");
    }
    eprintln!("what was killed left so many files new: {kinds:?}");
});

hs_test!(runs_that_write_at_once_lose_no_change, |tree, hs| {
    for round in 0..env_number("HS_TEST_ROUNDS", 6) {
        for at in 0..FEW_FILES {
            tree.file(format!("f{at}"), "one two\n");
        }
        // Each replaces its own word in each file, so that a file has lost a word only if a run has
        // replaced it.
        let runs: [&[&str]; 2] =
            [&["one", "-r", "1", "--write", "--yes"], &["two", "-r", "2", "--write", "--yes"]];
        let outcomes = thread::scope(|scope| {
            let start = |args| scope.spawn(move || finish(hs, args));
            runs.map(start).map(|thread| thread.join().expect("a run ends"))
        });
        let [Some(first), Some(second)] = outcomes else { return };
        let now = files(tree);
        for (at, outcome) in [first, second].iter().enumerate() {
            let word = runs[at][2];
            let messages = String::from_utf8_lossy(&outcome.stderr);
            let written =
                now.values().filter(|(text, _)| String::from_utf8_lossy(text).contains(word));
            let written = written.count();
            // Only a file that the other run has changed is refused, and it is named.
            let refused =
                messages.lines().filter(|line| line.contains("has changed since")).count();
            let about = format!("round {round}, {word}: {written} written, {messages}");
            assert_eq!(written + refused, FEW_FILES, "{about}");
            assert_eq!(outcome.status.code(), Some(if refused > 0 { 2 } else { 0 }), "{about}");
        }
    }
});

hs_test!(a_directory_that_may_no_longer_be_written_is_named, |tree, hs| {
    tree.file("open/a", "before\n").file("shut/b", "before\n");
    tree.chmod("", 0o777).chmod("open", 0o777).chmod("shut", 0o555);
    tree.chmod("open/a", 0o666).chmod("shut/b", 0o666);
    let run = hs.args(["before", "-r", "after", "--write", "--yes", "--no-journal"]);
    let Some(outcome) = finished(run.by_unprivileged_user()) else { return };
    let messages = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status.code(), Some(2), "{messages}");
    assert_eq!(outcome.status.signal(), None);
    assert!(messages.contains("shut/b: "), "{messages}");
    assert_eq!(fs::read(tree.join("shut/b")).expect("a file"), b"before\n");
    assert_eq!(fs::read_dir(tree.join("open")).expect("a directory").count(), 1);
});
