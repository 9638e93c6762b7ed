//! `benchsuite hunt` from the command line, on a tree of two files, with scripts in the place of
//! `hs` and its rivals.
//!
//! No test looks at a time.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A tree, and beside it programs.
struct Stage {
    dir: TempDir,
}

impl Stage {
    fn new() -> Stage {
        let stage = Stage { dir: tempfile::tempdir().expect("a directory") };
        fs::create_dir_all(stage.dir.path().join("tree/deep")).expect("a tree");
        fs::create_dir(stage.dir.path().join("bin")).expect("a place for programs");
        fs::write(stage.dir.path().join("tree/a.c"), "static int alpha;\n").expect("a file");
        fs::write(stage.dir.path().join("tree/deep/b.c"), "return beta + 1;\n").expect("a file");
        stage.install("hs", "echo ./a.c:static");
        stage.install("rg", "echo ./a.c:static");
        stage
    }

    /// A program that prints its version, or runs `script`.
    fn install(&self, name: &str, script: &str) {
        let path = self.dir.path().join("bin").join(name);
        let version = format!("[ \"$*\" = --version ] && echo {name} 1.0 && exit");
        fs::write(&path, format!("#!/bin/sh\n{version}\n{script}\n")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("to be run");
    }

    fn run(&self, arguments: &str) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new(env!("CARGO_BIN_EXE_benchsuite"))
            .arg("hunt")
            .args(arguments.split(' '))
            .current_dir(self.dir.path())
            .env("PATH", format!("{}:{path}", self.dir.path().join("bin").display()))
            .output()
            .expect("the program starts")
    }

    fn record(&self) -> Value {
        let text = fs::read_to_string(self.dir.path().join("r.json")).expect("a record");
        serde_json::from_str(&text).expect("JSON")
    }
}

const HUNT: &str = "--path tree --hs bin/hs --seed 7 --patterns 4 --repeats 2 --record r.json";

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_hunt_is_recorded_and_printed_again() {
    let stage = Stage::new();
    let output = stage.run(HUNT);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{output:?}");
    assert!(text.contains("seed 7") && text.contains("- rg: rg 1.0"), "{text}");
    assert!(text.contains("of 4 command lines"), "{text}");
    let record = stage.record();
    let cases = record["comparisons"].as_array().expect("command lines");
    assert_eq!(cases.len(), 4);
    for case in cases {
        assert_eq!(case["rows"][0]["result"]["lines"], 1);
        assert_eq!(case["rows"][1]["agrees"], true, "{case}");
        assert_eq!(case["rows"][1]["runs"].as_array().map(Vec::len), Some(2), "{case}");
        assert!(case["task"].as_str().is_some_and(|a| a.contains("-e") || a.contains("-f")));
    }
    assert_eq!(stdout(&stage.run("--from r.json")), text);
    stage.run(HUNT);
    let again = stage.record();
    let arguments = |record: &Value, n: usize| record["comparisons"][n]["task"].clone();
    // A list of words is in another file each time.
    let same = (0..4).filter(|&n| arguments(&record, n) == arguments(&again, n)).count();
    assert!(same >= 2, "{record} {again}");
}

#[test]
fn ripgrep_has_to_agree_and_others_are_only_reported() {
    let stage = Stage::new();
    stage.install("ugrep", "echo ./b.c:other");
    let with_ugrep = stage.run(&format!("{HUNT} --tools rg,ugrep"));
    assert_eq!(with_ugrep.status.code(), Some(0), "{with_ugrep:?}");
    assert!(stdout(&with_ugrep).contains("prints something else"), "{with_ugrep:?}");
    stage.install("rg", "echo ./b.c:other");
    let output = stage.run(HUNT);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("prints something else"), "{output:?}");
    stage.install("rg", "echo no such flag >&2; exit 2");
    let output = stage.run(HUNT);
    assert_eq!(output.status.code(), Some(1), "hs accepts what ripgrep refuses");
    assert!(stdout(&output).contains("exit code 2: no such flag"), "{output:?}");
    stage.install("hs", "echo bad pattern >&2; exit 2");
    let output = stage.run(HUNT);
    assert_eq!(output.status.code(), Some(0), "what no tool accepts is no pattern");
    assert!(stdout(&output).contains("of 0 command lines"), "{output:?}");
}

#[test]
fn what_is_missing_is_named() {
    let stage = Stage::new();
    for (arguments, why) in [
        ("--path tree --hs bin/hs --tools grep", "unknown tool 'grep', expected rg or ugrep"),
        ("--path gone --hs bin/hs", "gone: "),
        ("--path bin --hs bin/none", "bin/none: "),
        ("--from none.json", "none.json: "),
    ] {
        let output = stage.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why), "{arguments}: {said}");
    }
}
