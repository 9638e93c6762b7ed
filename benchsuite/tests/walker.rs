//! `benchsuite walker` as a user sees it, on trees of a few files.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// Longer than any of these takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A repository of 3 directories besides `.git`, 4 files that rules leave, one that they do not, and a
/// link.
fn tree() -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    let at = temp.path();
    fs::create_dir_all(at.join("src/deep")).unwrap();
    fs::create_dir(at.join(".git")).unwrap();
    fs::write(at.join(".gitignore"), "*.o\n").unwrap();
    for file in ["a.c", "src/b.c", "src/deep/c.c", "src/deep/d.c", "src/b.o"] {
        fs::write(at.join(file), "12345").unwrap();
    }
    symlink("a.c", at.join("link")).unwrap();
    temp
}

fn start(arguments: &[&str], at: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchsuite"));
    command.arg("walker").args(arguments).current_dir(at).env("HOME", at);
    for variable in ["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env_remove(variable);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Its output and exit code, with `meanwhile` done over and over until it ends.
fn end(mut child: Child, mut meanwhile: impl FnMut()) -> (String, String, i32) {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it hangs");
        }
        meanwhile();
        thread::sleep(Duration::from_millis(1));
    }
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(stdout), text(stderr), status.code().unwrap())
}

fn run(arguments: &[&str], at: &Path) -> (String, String, i32) {
    end(start(arguments, at), || ())
}

#[test]
fn trees_are_counted_compared_and_judged() {
    let tree = tree();
    let all = ["-j1,2,3", "--repeats=2", "--mode=all,ignore,read"];
    let (stdout, stderr, code) = run(&all, tree.path());
    assert_eq!(code, 0, "{stdout}{stderr}");
    for (title, counts) in [
        ("## ., all, warm\n", "| Directories | 4 |\n| Files | 6 |\n| Symlinks | 1 |\n"),
        ("## ., ignore, warm\n", "| Directories | 3 |\n| Files | 4 |\n| Symlinks | 1 |\n"),
        ("## ., read, warm\n", "| Symlinks | 1 |\n| Bytes read | 29 |\n"),
    ] {
        let section = stdout.split(title).nth(1).unwrap_or_else(|| panic!("{title}{stdout}"));
        let section = section.split("\n## ").next().unwrap();
        assert!(section.contains(counts), "{title}{section}");
        for configuration in ["no queue -j1", "deque biased-event -j2", "stack biased-event -j3"] {
            let lines = section.matches(&format!("\n| `{configuration}`")).count();
            assert_eq!(lines, 2, "{configuration} is in both tables: {section}");
        }
        let has_floor = section.contains("| `floor -j2`");
        assert_eq!(has_floor, cfg!(target_os = "linux") && !title.contains("ignore"), "{title}");
    }
    assert_eq!(stdout.matches("\nVerdict, ").count(), 3, "{stdout}");
    assert!(!stdout.contains("INVALID"), "{stdout}");
    assert!(stderr.contains("benchsuite: ., read, warm: round 2 of 2\n"), "{stderr}");
}

#[test]
fn several_trees_go_into_one_record() {
    let (one, two) = (tree(), tree());
    fs::write(two.path().join("more.c"), "").unwrap();
    let record = one.path().join("record.json");
    let paths = [one.path().join("src"), two.path().to_path_buf()];
    let [first, second] = [&paths[0], &paths[1]].map(|path| path.to_str().unwrap());
    let json = format!("--json={}", record.display());
    let all = ["-j2", "--queue=stack", "--mode=ignore", "--repeats=3", &json, first, second];
    let (stdout, stderr, code) = run(&all, one.path());
    assert_eq!(code, 0, "{stdout}{stderr}");
    let read: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    let comparisons = read["comparisons"].as_array().unwrap();
    let figures: Vec<_> = comparisons
        .iter()
        .map(|one| (one["tree"].as_str().unwrap(), one["reference"]["files"].as_u64().unwrap()))
        .collect();
    assert_eq!(figures, [(first, 3), (second, 5)]);
    let rows = comparisons[0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "one queue, one policy, one number of threads, no floor");
    assert_eq!(
        (&rows[0]["row"]["system"], &rows[0]["row"]["threads"]),
        (&"stack".into(), &2.into())
    );
    assert_eq!(rows[0]["samples"].as_array().unwrap().len(), 3);
    assert!(read["machine"]["cores"].as_u64().unwrap() >= 1);
}

#[test]
fn a_tree_that_changes_makes_invalid_lines() {
    let tree = tree();
    let child = start(&["-j1,2", "--repeats=20", "--mode=all"], tree.path());
    let mut number = 0;
    let (stdout, stderr, code) = end(child, || {
        number += 1;
        fs::write(tree.path().join(number.to_string()), "").unwrap();
    });
    assert_eq!(code, 1, "{stdout}{stderr}");
    let line = stdout.lines().find(|line| line.starts_with("| `no queue -j1`")).unwrap();
    assert!(line.contains("| INVALID: ") && line.contains(" files instead of "), "{line}");
    assert!(stdout.contains("\n- INVALID: `no queue -j1`"), "{stdout}");
}

#[test]
fn mistakes_are_told_and_nothing_is_measured() {
    let tree = tree();
    for (arguments, message) in [
        (&["missing"][..], "benchsuite: missing: "),
        (&["src", "a.c"], "benchsuite: a.c: "),
        (&["-j0"], "'0' is no number from 1 to "),
        (&["--queue=sieve"], "unknown queue 'sieve', expected one of: "),
        (&["--idle=never"], "unknown idle policy 'never', expected one of: "),
        (&["--mode=none"], "invalid value 'none'"),
        (&["--repeats=0"], "invalid value '0'"),
        (&["--json=missing/record"], "benchsuite: missing/record: "),
    ] {
        let (stdout, stderr, code) = run(arguments, tree.path());
        assert_eq!((stdout.as_str(), code), ("", 2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

#[test]
fn trees_with_odd_names_are_walked() {
    let tree = tree();
    let name = "--mode ü|x";
    fs::rename(tree.path().join("src"), tree.path().join(name)).unwrap();
    let all = ["-j1,2", "--repeats=1", "--mode=all", "--", name];
    let (stdout, stderr, code) = run(&all, tree.path());
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("| Files | 4 |"), "{stdout}");
}
