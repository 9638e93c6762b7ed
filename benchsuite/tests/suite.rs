//! `benchsuite walk` and `benchsuite search` from the command line, on trees of a few files, with
//! scripts in the place of `hs` and its rivals.
//!
//! No test looks at a time. Without hyperfine most are skipped, with a message.

mod stage;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use stage::{Stage, stderr, stdout};

/// With three files, and an `hs` that lists them.
fn stage() -> Stage {
    let files = [("a.txt", "one\n"), ("deep/b.txt", "static\n"), ("deep/c", "two\n")];
    Stage::new(&files, "echo ./a.txt; echo ./deep/b.txt; echo ./deep/c")
}

/// The same for sessions, which need hyperfine; without it prints that the test is skipped.
fn stage_with_hyperfine() -> Option<Stage> {
    if Command::new("hyperfine").arg("--version").output().is_err() {
        eprintln!("SKIPPED: hyperfine is not installed");
        return None;
    }
    Some(stage())
}

fn command(stage: &Stage, arguments: &str) -> Command {
    stage.benchsuite(&format!("{arguments} --path tree --hs bin/hs --record r.json"))
}

fn run(stage: &Stage, arguments: &str) -> Output {
    command(stage, arguments).output().expect("the program starts")
}

fn row<'a>(record: &'a Value, tool: &str) -> &'a Value {
    let rows = record["comparisons"][0]["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["tool"] == tool).unwrap_or_else(|| panic!("{tool} in {rows:?}"))
}

#[test]
fn a_walk_is_checked_timed_recorded_and_drawn() {
    let Some(stage) = stage_with_hyperfine() else { return };
    stage.install("rg", "echo ./a.txt; echo ./deep/b.txt; echo ./deep/d");
    stage.install("fd", "echo no such flag >&2; exit 2");
    let arguments = "walk --task list-all -j1,2 --queue deque,stack --repeats 2 --cost-runs 1";
    let output = run(&stage, &format!("{arguments} --tools rg,find,fd"));
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
        assert!(row["costs"][0]["peak_bytes"].as_f64().is_some_and(|bytes| bytes > 0.0), "{row}");
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
    let tables = stdout(&output);
    assert!(tables.contains("| `hs deque -j2` |"), "{tables}");

    let again = stage.benchsuite("report r.json").output().expect("the program starts");
    assert_eq!((again.status.code(), again.stdout), (Some(0), output.stdout));
}

#[test]
fn a_search_compares_lines_in_any_order() {
    let Some(stage) = stage_with_hyperfine() else { return };
    stage.install("hs", "echo ./deep/b.txt:1:static");
    stage.install("grep", "echo 'Binary file x matches'; echo ./deep/b.txt:1:static");
    let output = run(&stage, "search --task literal --tools grep --repeats 1 --cost-runs 0");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let record = stage.record();
    assert_eq!(row(&record, "grep")["agrees"], true);
    let command = row(&record, "hs")["command"].as_str().expect("a command");
    assert_eq!(command, "hs -n -uu -e static ./");
}

#[test]
fn an_hs_that_disagrees_with_itself_fails() {
    let Some(stage) = stage_with_hyperfine() else { return };
    stage.install("hs", "case \"$*\" in *-j2*) echo ./a.txt;; *) echo ./a.txt; echo ./b;; esac");
    let output = run(&stage, "walk --task list-all -j1,2 --queue deque --tools none --repeats 1");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let record = stage.record();
    let rows = record["comparisons"][0]["rows"].as_array().expect("rows");
    let agree: Vec<_> = rows.iter().map(|row| &row["agrees"]).collect();
    assert_eq!(agree[..3], [&Value::Bool(true), &Value::Bool(true), &Value::Bool(false)]);
}

/// The rows of `tool` in the comparison of `task`.
fn rows_of<'a>(record: &'a Value, task: &str, tool: &str) -> Vec<&'a Value> {
    let comparisons = record["comparisons"].as_array().expect("comparisons");
    let comparison = comparisons.iter().find(|one| one["task"] == task);
    let rows = comparison.unwrap_or_else(|| panic!("{task}"))["rows"].as_array().expect("rows");
    rows.iter().filter(|row| row["tool"] == tool).collect()
}

#[test]
fn the_walker_is_a_row_that_is_checked_against_itself() {
    let Some(stage) = stage_with_hyperfine() else { return };
    let odd = "tree/ü|x";
    fs::create_dir(stage.path(odd)).expect("a directory");
    std::os::unix::fs::symlink("a.txt", stage.path("tree/link")).expect("a link");
    fs::write(stage.path("tree/.ignore"), "c\n").expect("a rule");
    let arguments = "walk -j1,2,3 --queue deque,stack --tools walker --repeats 2 --cost-runs 0";
    let output = run(&stage, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let record = stage.record();
    for (task, directories, files, symlinks, bytes) in
        [("list-all", 3, 4, 1, 0), ("list-ignore", 3, 2, 1, 0), ("read", 3, 4, 1, 17)]
    {
        let rows = rows_of(&record, task, "walker");
        assert_eq!(rows.len(), 5, "one alone, and two queues with 2 and 3 threads: {rows:?}");
        for row in &rows {
            let runs = row["runs"].as_array().expect("runs");
            assert_eq!((runs.len(), &row["agrees"]), (2, &true.into()), "{row}");
            let seen = ["directories", "files", "symlinks", "bytes"].map(|name| &runs[1][name]);
            let expected = [directories, files, symlinks, bytes].map(|n| Value::from(f64::from(n)));
            assert_eq!(seen, [0, 1, 2, 3].map(|n| &expected[n]), "{task}: {row}");
        }
        let floors = rows_of(&record, task, "floor").len();
        let has_floor = cfg!(target_os = "linux") && task != "list-ignore";
        assert_eq!(floors > 0, has_floor, "{task}");
    }
    let tables = stdout(&output);
    assert!(tables.contains("| `walker deque -j2`"), "{tables}");
    assert!(tables.contains("- Walk alone. Fastest of 2 queues: "), "{tables}");
    assert!(stderr(&output).contains("1 of 4: tree, list-all, warm: "), "{}", stderr(&output));
}

#[test]
fn a_tree_that_changes_makes_invalid_rows() {
    let Some(stage) = stage_with_hyperfine() else { return };
    let arguments = "walk --task list-all -j1,2 --queue deque --tools walker --repeats 20";
    let mut command = command(&stage, &format!("{arguments} --cost-runs 0"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program starts");
    let mut number = 0;
    while child.try_wait().expect("a status").is_none() {
        number += 1;
        fs::write(stage.path("tree").join(number.to_string()), "").expect("a file");
        thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().expect("its output");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let record = stage.record();
    let walks = rows_of(&record, "list-all", "walker");
    assert!(walks.iter().all(|row| row["agrees"] == false), "{walks:?}");
    let tables = stdout(&output);
    let line = tables.lines().find(|line| line.starts_with("| `walker -j1`")).expect("a line");
    assert!(line.contains("DIFFERS: "), "{line}");
}

#[test]
fn an_interrupt_keeps_what_is_finished() {
    let Some(stage) = stage_with_hyperfine() else { return };
    let arguments = "walk --task list-all -j1 --queue deque --tools none --repeats 60000";
    let mut command = command(&stage, arguments);
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
fn unknown_names_are_errors_that_list_the_known_ones() {
    let stage = stage();
    for (arguments, why) in [
        ("search --tools rgg", "unknown tool 'rgg', expected one of: rg, "),
        ("walk nowhere", "nowhere"),
    ] {
        let output = run(&stage, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains(why), "{arguments}: {}", stderr(&output));
    }
    assert!(!stage.path("r.html").exists());
}

#[test]
fn without_hyperfine_the_error_names_a_remedy() {
    let stage = stage();
    let mut command = command(&stage, "walk --tools none");
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
    let text = stdout(&output);
    assert!(text.contains("  unicode-class") && text.contains("  git grep"), "{text}");
}
