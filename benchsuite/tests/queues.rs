//! `benchsuite queues` from the command line: what it prints, what it leaves, how it ends.
//!
//! No test looks at a time.

use std::fs;
use std::path::Path;
use std::process::Command;

/// What `benchsuite queues` ended with and printed.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs `benchsuite queues` in `dir` with these arguments.
fn queues(dir: &Path, args: &str) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchsuite"));
    command.arg("queues").args(args.split(' ')).current_dir(dir);
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The lines of tables that are about `system`.
fn rows<'a>(text: &'a str, system: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(&format!("| {system} "))).collect()
}

#[test]
fn a_quick_tree_is_measured_recorded_and_printed_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = "--quick tree -j2 --queue deque,rayon --repeats 2 --json record.json";
    let Ended { code, out: text, err } = queues(dir.path(), args);
    assert_eq!(code, Some(0), "{err}");
    for shape in ["bushy", "chain", "comb", "star", "power-law"] {
        assert!(text.contains(&format!("### {shape}, ")), "{shape} in\n{text}");
    }
    assert_eq!(rows(&text, "rayon").len(), 5, "{text}");
    assert!(!rows(&text, "deque").is_empty() && rows(&text, "stack").is_empty(), "{text}");
    assert!(!text.contains("INVALID"), "{text}");

    let again = queues(dir.path(), "--from record.json --markdown -");
    assert_eq!((again.code, again.out), (Some(0), text));
    assert_eq!(again.err, "", "nothing is measured");

    let filtered = queues(dir.path(), "--from record.json --queue rayon --markdown t.md");
    assert_eq!((filtered.code, filtered.out.as_str()), (Some(0), ""));
    let table = fs::read_to_string(dir.path().join("t.md")).expect("the tables");
    assert_eq!((rows(&table, "rayon").len(), rows(&table, "deque").len()), (5, 0));
}

#[test]
fn a_wrong_count_is_invalid_and_ends_with_1() {
    let dir = tempfile::tempdir().expect("a directory");
    let liar = queues(dir.path(), "liar --repeats 1 --json r.json");
    assert_eq!(liar.code, Some(1));
    assert!(liar.out.contains("INVALID: completed 1 of 2"), "{}", liar.out);
    assert!(liar.err.contains("INVALID: none: completed 1 of 2"), "{}", liar.err);
    let again = queues(dir.path(), "--from r.json --as-published");
    assert_eq!(again.code, Some(1), "a record of something wrong stays wrong");
    assert!(again.out.contains("As published: it was never published"));
}

#[test]
fn a_hung_row_is_killed_and_a_dead_one_reported() {
    let dir = tempfile::tempdir().expect("a directory");
    let Ended { code, out: text, .. } = queues(dir.path(), "sleeper crasher");
    assert_eq!(code, Some(1));
    assert!(text.contains("INVALID: HUNG, killed after 1 s"), "{text}");
    assert!(text.contains("INVALID: FAILED: signal: 6"), "{text}");
    assert!(text.contains("it was not my \\| day"), "what it complained about:\n{text}");
}

#[test]
fn faults_are_tried_for_as_many_seeds_as_wanted() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = "fault --queue deque --idle biased-event --seeds 3";
    let Ended { code, out: text, err } = queues(dir.path(), args);
    assert_eq!(code, Some(0), "{text}{err}");
    for mishap in ["a job panics", "a job quits", "no thread starts"] {
        assert!(text.contains(&format!("### {mishap}\n")), "{text}");
    }
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let head = cells(rows(&text, "system")[0]);
    assert_eq!(rows(&text, "deque").len(), 3);
    for row in rows(&text, "deque") {
        for (column, count) in [("hangs", "0"), ("lost", "0"), ("tried", "3"), ("completed", "3")] {
            let index = head.iter().position(|name| name == column).expect(column);
            assert_eq!(cells(row)[index], count, "{column} of {row}");
        }
    }
}

#[test]
fn what_does_not_exist_is_an_error_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let cases = [
        ("nowhere", "unknown scenario 'nowhere', expected one of: "),
        ("tree --queue dequeue", "unknown queue 'dequeue', expected one of: "),
        ("tree --idle nap", "unknown idle policy 'nap', expected one of: "),
        ("tree -j 77", "no row is selected"),
        ("--from missing.json", "missing.json: "),
    ];
    for (args, message) in cases {
        let Ended { code, out, err } = queues(dir.path(), args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args}");
        assert!(err.starts_with(&format!("benchsuite: {message}")), "{args}");
    }
}

#[test]
fn the_list_names_scenarios_and_rows_but_not_the_hidden_ones() {
    let dir = tempfile::tempdir().expect("a directory");
    let all = queues(dir.path(), "--list").out;
    assert!(all.contains("\ntree, ") && all.contains("\nfault, "), "{all}");
    assert!(!all.contains("liar"), "{all}");
    let tree = queues(dir.path(), "--list tree -j 2 --queue rayon").out;
    assert!(tree.starts_with("tree, 15 rows\n"), "{tree}");
    assert!(tree.contains("    chain, 5 µs a node, 100000 nodes | rayon | - | -j2\n"), "{tree}");
}
