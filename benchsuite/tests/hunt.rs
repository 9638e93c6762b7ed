//! `benchsuite hunt` from the command line, on a tree of two files, with scripts in the place of
//! `hs` and its rivals.
//!
//! No test looks at a time.
#![cfg(unix)]

mod stage;

use std::process::Output;

use serde_json::Value;

use stage::{Stage, stderr, stdout};

/// With two files, and an `hs` and an `rg` that agree.
fn stage() -> Stage {
    let files = [("a.c", "static int alpha;\n"), ("deep/b.c", "return beta + 1;\n")];
    let stage = Stage::new(&files, "echo ./a.c:static");
    stage.install("rg", "echo ./a.c:static");
    stage
}

fn hunt(stage: &Stage, arguments: &str) -> Output {
    stage.benchsuite(&format!("hunt {arguments}")).output().expect("the program starts")
}

const HUNT: &str = "--path tree --hs bin/hs --seed 7 --patterns 4 --repeats 2 --record r.json";

#[test]
fn a_hunt_is_recorded_and_printed_again() {
    let stage = stage();
    let output = hunt(&stage, HUNT);
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
    assert_eq!(stdout(&hunt(&stage, "--from r.json")), text);
    hunt(&stage, HUNT);
    let again = stage.record();
    let arguments = |record: &Value, n: usize| record["comparisons"][n]["task"].clone();
    // A list of words is in another file each time.
    let same = (0..4).filter(|&n| arguments(&record, n) == arguments(&again, n)).count();
    assert!(same >= 2, "{record} {again}");
}

#[test]
fn ripgrep_has_to_agree_and_others_are_only_reported() {
    let stage = stage();
    stage.install("ugrep", "echo ./b.c:other");
    let with_ugrep = hunt(&stage, &format!("{HUNT} --tools rg,ugrep"));
    assert_eq!(with_ugrep.status.code(), Some(0), "{with_ugrep:?}");
    assert!(stdout(&with_ugrep).contains("prints something else"), "{with_ugrep:?}");
    stage.install("rg", "echo ./b.c:other");
    let output = hunt(&stage, HUNT);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("prints something else"), "{output:?}");
    stage.install("rg", "echo no such flag >&2; exit 2");
    let output = hunt(&stage, HUNT);
    assert_eq!(output.status.code(), Some(1), "hs accepts what ripgrep refuses");
    assert!(stdout(&output).contains("exit code 2: no such flag"), "{output:?}");
    stage.install("hs", "echo bad pattern >&2; exit 2");
    let output = hunt(&stage, HUNT);
    assert_eq!(output.status.code(), Some(0), "what no tool accepts is no pattern");
    assert!(stdout(&output).contains("of 0 command lines"), "{output:?}");
}

#[test]
fn what_is_missing_is_named() {
    let stage = stage();
    for (arguments, why) in [
        ("--path tree --hs bin/hs --tools grep", "unknown tool 'grep', expected one of: rg, ugrep"),
        ("--path gone --hs bin/hs", "gone: "),
        ("--path bin --hs bin/none", "bin/none: "),
        ("--from none.json", "none.json: "),
    ] {
        let output = hunt(&stage, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = stderr(&output);
        assert!(said.contains(why), "{arguments}: {said}");
    }
}
