//! A tree that changes while hs runs: what nobody touches is found every time.
//!
//! `HS_TEST_MUTATE_SECONDS=600 cargo test --test hs mutat` runs as long as that; `ci/mutate` does so.

use std::{
    collections::HashSet,
    env,
    time::{Duration, Instant},
};

use crate::harness::{
    Hs,
    mutate::{is_expected_error, plant, still, while_mutating},
};

/// Command lines, and what stands behind the path of a file that is found.
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

/// Run everything once, while the tree changes.
fn search(hs: &Hs<'_>) -> usize {
    for (args, behind) in RUNS {
        let expected: Vec<String> = still().map(|path| path + behind).collect();
        hs.args(args)
            .differs_from_ripgrep(
                "ripgrep waits for pipes and is killed where a memory map becomes shorter",
            )
            .stderr_lines_are("what went away or changed", is_expected_error)
            .stdout_satisfies("what nobody touches is found", |stdout| {
                let text = String::from_utf8_lossy(stdout);
                let lines: HashSet<&str> = text.lines().collect();
                expected.iter().all(|line| lines.contains(line.as_str()))
            })
            .exits_with_one_of(&[0, 2]);
    }
    RUNS.len()
}

hs_test!(a_tree_that_mutates_is_searched, |tree, hs| {
    plant(&tree.path());
    let seconds =
        env::var("HS_TEST_MUTATE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (runs, changes) = while_mutating(&tree.path(), seconds, || {
        let mut runs = 0;
        while Instant::now() < end {
            runs += search(hs);
        }
        runs
    });
    eprintln!("{runs} runs while {changes} changes were made");
    assert!(runs > 0 && changes > 1000);
});
