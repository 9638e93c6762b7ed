//! A tree that changes while `hs` runs: every run has to find the stable files.
//!
//! `HS_TEST_MUTATE_SECONDS` sets the duration, 4 by default; `ci/mutate` sets 600.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use crate::harness::{
    Hs, mutate,
    mutate::{is_expected_error, stable_files, while_mutating},
    random::env_number,
};

/// Command lines, and the text that follows the path of a found file in the output.
const RUNS: [(&[&str], &str); 14] = [
    (&["-l", "gem"], ""),
    (&["-l", "-j1", "gem"], ""),
    (&["-l", "-j8", "gem"], ""),
    (&["--files"], ""),
    (&["--files", "-uuu", "-j3"], ""),
    (&["-c", "-j4", "gem"], ":1"),
    (&["-n", "gem"], ":1:a gem"),
    (&["-n", "--mmap", "gem"], ":1:a gem"),
    (&["-c", "--mmap", "-j4", "gem"], ":1"),
    (&["-l", "-U", "-j4", "gem\\n"], ""),
    (&["-l", "-L", "-j4", "gem"], ""),
    (&["-l", "--sort=path", "-j4", "gem"], ""),
    (&["--files", "--sort=modified"], ""),
    (&["-l", "--reader=portable", "--max-filesize=1M", "-j4", "gem"], ""),
];

/// Runs every command line once and returns their number.
fn search(hs: &Hs<'_>) -> usize {
    for (args, behind) in RUNS {
        let expected: Vec<String> = stable_files().map(|path| path + behind).collect();
        hs.args(args)
            .differs_from_ripgrep(
                "ripgrep waits for pipes, and a memory map that is truncated kills it",
            )
            .stderr_lines_are("files that disappeared or changed", is_expected_error)
            .stdout_satisfies("every stable file is found", |stdout| {
                let text = String::from_utf8_lossy(stdout);
                let lines: HashSet<&str> = text.lines().collect();
                expected.iter().all(|line| lines.contains(line.as_str()))
            })
            .exits_with_one_of(&[0, 2]);
    }
    RUNS.len()
}

hs_test!(stable_files_are_found_while_the_tree_changes, |tree, hs| {
    mutate::create(&tree.path());
    let seconds = env_number("HS_TEST_MUTATE_SECONDS", 4);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (runs, changes) = while_mutating(&tree.path(), seconds, || {
        let mut runs = 0;
        while Instant::now() < end {
            runs += search(hs);
        }
        runs
    });
    eprintln!("{runs} runs during {changes} changes");
    assert!(runs > 0 && changes > 1000);
});
