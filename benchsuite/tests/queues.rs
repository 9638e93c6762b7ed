//! `benchsuite queues` from the command line: what it prints, what it leaves, how it ends.
//!
//! No test looks at a time.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs `benchsuite queues` in `dir`.
fn queues(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchsuite"));
    command.arg("queues").args(args).current_dir(dir);
    command.output().expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn dir() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The lines of tables that are about `system`.
fn rows<'a>(text: &'a str, system: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(&format!("| {system} "))).collect()
}

#[test]
fn a_quick_tree_is_measured_recorded_and_printed_again() {
    let dir = dir();
    let args = "--quick tree -j2 --queue deque,rayon --repeats 2 --json record.json";
    let args: Vec<&str> = args.split(' ').collect();
    let measured = queues(dir.path(), &args);
    assert_eq!(measured.status.code(), Some(0), "{}", stderr(&measured));
    let text = stdout(&measured);
    for shape in ["bushy", "chain", "comb", "star", "power-law"] {
        assert!(text.contains(&format!("### {shape}, ")), "{shape} in\n{text}");
    }
    assert_eq!(rows(&text, "rayon").len(), 5, "{text}");
    assert!(!rows(&text, "deque").is_empty() && rows(&text, "stack").is_empty(), "{text}");
    assert!(!text.contains("INVALID"), "{text}");

    let again = queues(dir.path(), &["--from", "record.json", "--markdown", "-"]);
    assert_eq!((again.status.code(), stdout(&again)), (Some(0), text));
    assert_eq!(stderr(&again), "", "nothing is measured");

    let filtered =
        queues(dir.path(), &["--from", "record.json", "--queue", "rayon", "--markdown", "t.md"]);
    assert_eq!((filtered.status.code(), stdout(&filtered)), (Some(0), String::new()));
    let table = fs::read_to_string(dir.path().join("t.md")).expect("the tables");
    assert_eq!((rows(&table, "rayon").len(), rows(&table, "deque").len()), (5, 0));
}

#[test]
fn a_wrong_count_is_invalid_and_ends_with_1() {
    let dir = dir();
    let liar = queues(dir.path(), &["liar", "--repeats", "1", "--json", "r.json"]);
    assert_eq!(liar.status.code(), Some(1));
    assert!(stdout(&liar).contains("INVALID: completed 1 of 2"), "{}", stdout(&liar));
    assert!(stderr(&liar).contains("INVALID: none: completed 1 of 2"), "{}", stderr(&liar));
    let again = queues(dir.path(), &["--from", "r.json", "--as-published"]);
    assert_eq!(again.status.code(), Some(1), "a record of something wrong stays wrong");
    assert!(stdout(&again).contains("As published: it was never published"));
}

#[test]
fn a_hung_row_is_killed_and_a_dead_one_reported() {
    let dir = dir();
    let both = queues(dir.path(), &["sleeper", "crasher"]);
    assert_eq!(both.status.code(), Some(1));
    let text = stdout(&both);
    assert!(text.contains("INVALID: HUNG, killed after 1 s"), "{text}");
    assert!(text.contains("INVALID: FAILED: signal: 6"), "{text}");
    assert!(text.contains("it was not my \\| day"), "what it complained about:\n{text}");
}

#[test]
fn faults_are_tried_for_as_many_seeds_as_wanted() {
    let dir = dir();
    let args = "fault --queue deque --idle biased-event --seeds 3";
    let fault = queues(dir.path(), &args.split(' ').collect::<Vec<_>>());
    let text = stdout(&fault);
    assert_eq!(fault.status.code(), Some(0), "{text}{}", stderr(&fault));
    for mishap in ["a job panics", "a job quits", "no thread starts"] {
        assert!(text.contains(&format!("### {mishap}\n")), "{text}");
    }
    let head = text.lines().find(|line| line.starts_with("| system")).expect("a table");
    for column in ["hangs", "lost", "tried"] {
        assert!(head.contains(&format!(" {column} ")), "{head}");
    }
    assert_eq!(rows(&text, "deque").len(), 3);
}

#[test]
fn what_does_not_exist_is_an_error_before_anything_runs() {
    let dir = dir();
    let cases: [(&[&str], &str); 5] = [
        (&["nowhere"], "unknown scenario 'nowhere', expected one of: "),
        (&["tree", "--queue", "dequeue"], "unknown queue 'dequeue', expected one of: "),
        (&["tree", "--idle", "nap"], "unknown idle policy 'nap', expected one of: "),
        (&["tree", "-j", "77"], "no row is selected"),
        (&["--from", "missing.json"], "missing.json: "),
    ];
    for (args, message) in cases {
        let output = queues(dir.path(), args);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()), "{args:?}");
        assert!(stderr(&output).starts_with(&format!("benchsuite: {message}")), "{args:?}");
    }
}

#[test]
fn the_list_names_scenarios_and_rows_but_not_the_hidden_ones() {
    let dir = dir();
    let all = stdout(&queues(dir.path(), &["--list"]));
    assert!(all.contains("\ntree, ") && all.contains("\nfault, "), "{all}");
    assert!(!all.contains("liar"), "{all}");
    let tree = stdout(&queues(dir.path(), &["--list", "tree", "-j", "2", "--queue", "rayon"]));
    assert!(tree.starts_with("tree, 15 rows\n"), "{tree}");
    assert!(tree.contains("    chain, 5 µs a node, 100000 nodes | rayon | - | -j2\n"), "{tree}");
}
