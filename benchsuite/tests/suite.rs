//! `benchsuite walk` and `benchsuite search` from the command line, on trees of a few files, with programs made for the
//! test in the place of `hs` and its rivals.
//!
//! Nothing here looks at a time. Where hyperfine is not installed the tests say so and pass.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A tree of three files, and beside it programs.
struct Stage {
    dir: TempDir,
}

impl Stage {
    /// With an `hs` that lists what is there.
    fn new() -> Stage {
        let stage = Stage { dir: tempfile::tempdir().expect("a directory") };
        fs::create_dir_all(stage.path("tree/deep")).expect("a tree");
        for (name, text) in [("a.txt", "one\n"), ("deep/b.txt", "static\n"), ("deep/c", "two\n")] {
            fs::write(stage.path("tree").join(name), text).expect("a file");
        }
        fs::create_dir(stage.path("bin")).expect("a place for programs");
        stage.install("hs", "echo ./a.txt; echo ./deep/b.txt; echo ./deep/c");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn install(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("to be run");
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchsuite"));
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(arguments.split(' ')).current_dir(self.dir.path());
        command.args(["--path", "tree", "--hs", "bin/hs", "--record", "r.json"]);
        command
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", self.dir.path());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    fn record(&self) -> Value {
        let text = fs::read_to_string(self.path("r.json")).expect("a record");
        serde_json::from_str(&text).expect("JSON")
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether hyperfine is there. If not, the test that asks says that it passes for that reason.
fn hyperfine() -> bool {
    let found = Command::new("hyperfine").arg("--version").output().is_ok();
    if !found {
        eprintln!("SKIPPED: hyperfine is not installed");
    }
    found
}

fn row<'a>(record: &'a Value, tool: &str) -> &'a Value {
    let rows = record["comparisons"][0]["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["tool"] == tool).unwrap_or_else(|| panic!("{tool} in {rows:?}"))
}

#[test]
fn a_walk_is_checked_timed_recorded_and_drawn() {
    if !hyperfine() {
        return;
    }
    let stage = Stage::new();
    stage.install("rg", "echo ./a.txt; echo ./deep/b.txt; echo ./deep/d");
    stage.install("fd", "echo no such flag >&2; exit 2");
    let arguments = "walk --task list-all -j1,2 --queue deque,stack --repeats 2 --cost-runs 1";
    let output = stage.run(&format!("{arguments} --tools rg,find,fd"));
    assert_eq!(output.status.code(), Some(1), "fd failed: {}", stderr(&output));

    let record = stage.record();
    assert_eq!((&record["kind"], &record["is_partial"]), (&"walk".into(), &false.into()));
    assert_eq!(record["comparisons"].as_array().map(Vec::len), Some(1));
    let rows = record["comparisons"][0]["rows"].as_array().expect("rows");
    let heist: Vec<_> = rows.iter().filter(|row| row["tool"] == "hs").collect();
    let ways: Vec<_> = heist.iter().map(|row| (&row["queue"], &row["threads"])).collect();
    let (deque, stack) = ("deque".into(), "stack".into());
    let (one, two) = (1.into(), 2.into());
    let none = &Value::Null;
    assert_eq!(ways, [(none, none), (none, &one), (&deque, &two), (&stack, &two)]);
    for row in &heist {
        assert_eq!((&row["agrees"], &row["fault"]), (&true.into(), &Value::Null), "{row}");
        assert_eq!(row["result"]["lines"], 3);
        assert_eq!(row["runs"].as_array().map(Vec::len), Some(2), "{row}");
        assert!(row["runs"][0]["wall"].as_f64().is_some_and(|wall| wall > 0.0), "{row}");
        assert!(row["costs"][0]["peak_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{row}");
    }
    assert_eq!(row(&record, "rg")["agrees"], false, "it printed another path");
    assert_eq!(row(&record, "find")["agrees"], true);
    assert_eq!(row(&record, "find")["command"], "find . -type f");
    assert_eq!(row(&record, "fd")["fault"], "exit code 2: no such flag");
    assert_eq!(row(&record, "fd")["runs"].as_array().map(Vec::len), Some(0));
    assert_eq!(row(&record, "floor")["agrees"], Value::Null);
    let text = record.to_string();
    let place = stage.dir.path().to_str().expect("UTF-8");
    assert!(!text.contains(place), "no place of this machine in {text}");

    let page = fs::read_to_string(stage.path("r.html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("list-all"));
    let tables = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(tables.contains("| `hs deque -j2` |"), "{tables}");

    let again = Command::new(env!("CARGO_BIN_EXE_benchsuite"))
        .args(["report", "r.json"])
        .current_dir(stage.dir.path())
        .output()
        .expect("the program starts");
    assert_eq!((again.status.code(), again.stdout), (Some(0), output.stdout));
}

#[test]
fn a_search_compares_lines_in_any_order() {
    if !hyperfine() {
        return;
    }
    let stage = Stage::new();
    stage.install("hs", "echo ./deep/b.txt:1:static");
    stage.install("grep", "echo 'Binary file x matches'; echo ./deep/b.txt:1:static");
    let output = stage.run("search --task literal --tools grep --repeats 1 --cost-runs 0");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let record = stage.record();
    assert_eq!(row(&record, "grep")["agrees"], true);
    let command = row(&record, "hs")["command"].as_str().expect("a command");
    assert_eq!(command, "hs -n -uu -e static ./");
}

#[test]
fn an_hs_that_disagrees_with_itself_is_told() {
    if !hyperfine() {
        return;
    }
    let stage = Stage::new();
    stage.install("hs", "case \"$*\" in *-j2*) echo ./a.txt;; *) echo ./a.txt; echo ./b;; esac");
    let output = stage.run("walk --task list-all -j1,2 --queue deque --tools none --repeats 1");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let record = stage.record();
    let rows = record["comparisons"][0]["rows"].as_array().expect("rows");
    let agree: Vec<_> = rows.iter().map(|row| &row["agrees"]).collect();
    assert_eq!(agree[..3], [&Value::Bool(true), &Value::Bool(true), &Value::Bool(false)]);
}

#[test]
fn an_interrupt_keeps_what_is_finished() {
    if !hyperfine() {
        return;
    }
    let stage = Stage::new();
    let arguments = "walk --task list-all -j1 --queue deque --tools none --repeats 60000";
    let mut command = stage.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let begun = Instant::now();
    // The record is written before the first comparison; the rounds then take minutes.
    while !stage.path("r.json").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no record");
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_secs(2));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill is there").success());
    while child.try_wait().expect("a status").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "it goes on");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().expect("a status").code(), Some(130));
    let record = stage.record();
    assert_eq!(record["is_partial"], true);
    let runs = row(&record, "hs")["runs"].as_array().map(Vec::len);
    assert!(runs.is_some_and(|runs| runs > 0), "{record}");
    assert!(stage.path("r.html").exists(), "what is there is drawn");
}

#[test]
fn what_does_not_exist_is_named_with_what_does() {
    let stage = Stage::new();
    for (arguments, why) in [
        ("walk --task list-none", "unknown task 'list-none', expected one of: list-all, "),
        ("search --tools rgg", "unknown tool 'rgg', expected one of: rg, "),
        ("walk nowhere", "nowhere"),
        ("walk -j0", "'0' is no number from 1 to"),
    ] {
        let output = stage.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains(why), "{arguments}: {}", stderr(&output));
    }
    assert!(!stage.path("r.html").exists());
}

#[test]
fn without_hyperfine_it_is_said_how_to_get_it() {
    let stage = Stage::new();
    let mut command = stage.command("walk --tools none");
    command.env("PATH", stage.path("bin"));
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("apt install hyperfine"), "{}", stderr(&output));
}

#[test]
fn tasks_and_tools_are_listed() {
    let output = Command::new(env!("CARGO_BIN_EXE_benchsuite"))
        .args(["search", "--list"])
        .current_dir(Path::new("/"))
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("  unicode-class") && text.contains("  git grep"), "{text}");
}
