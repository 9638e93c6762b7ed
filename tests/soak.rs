//! Long-running searches must not leak: the libraries in one process, and then `hs`, search a tree
//! that changes. Every result is checked, and memory, descriptors and threads must not grow.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `HS_SOAK_SECONDS` | the duration of each test; `ci/soak` sets it | 1 |
//! | `HS_SOAK_SEED` | the seed of the random searches and changes | 1 |

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

#[path = "soak/libraries.rs"]
mod libraries;
#[path = "harness/mutate.rs"]
mod mutate;
#[path = "soak/program.rs"]
mod program;
#[path = "harness/random.rs"]
mod random;
#[allow(dead_code, reason = "shared with tests/hs/main.rs, which uses all of it")]
#[path = "harness/sys/mod.rs"]
mod sys;
#[allow(dead_code, reason = "shared with tests/hs/main.rs, which uses all of it")]
#[path = "harness/temp_tree.rs"]
mod temp_tree;
#[path = "soak/usage.rs"]
mod usage;

use mutate::{stable_files, while_mutating};
use random::{Rng, env_number};
use temp_tree::TempTree;

/// Held by each test, since the usage of the whole process is measured.
static ALONE: Mutex<()> = Mutex::new(());

/// Repeats `search` for `HS_SOAK_SECONDS` while the tree changes.
fn soak(name: &str, mut search: impl FnMut(&TempTree, &mut Rng)) {
    let (seconds, seed) = (env_number("HS_SOAK_SECONDS", 1), env_number("HS_SOAK_SEED", 1));
    let tree = TempTree::new(name);
    mutate::create(&tree.path());
    // More directories side by side than the initial capacity of a queue.
    for dir in 0..200 {
        tree.file(format!("wide/dir{dir}/other"), "a lump\n");
    }
    let mut rng = Rng::with_seed(seed);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (searches, changes) = while_mutating(&tree.path(), seed, || {
        let mut searches = 0;
        while Instant::now() < end {
            search(&tree, &mut rng);
            searches += 1;
        }
        searches
    });
    eprintln!("{name}: {searches} searches in {seconds} s, {changes} changes");
    assert!(searches > 0 && changes > 100);
}

/// The lines that a search has to print: for each stable file `times` lines of `before`, the path
/// and `after`.
struct Expected<'a> {
    before: &'a str,
    after: &'a str,
    times: usize,
}

/// Fails unless `output` has the expected lines.
#[track_caller]
fn assert_found(output: &[u8], expected: &Expected<'_>, about: &dyn Fn() -> String) {
    let Expected { before, after, times } = expected;
    let text = String::from_utf8_lossy(output);
    let mut counted = std::collections::HashMap::new();
    for line in text.lines().filter(|line| line.contains("/still")) {
        *counted.entry(line).or_insert(0) += 1;
    }
    for path in stable_files() {
        let line = format!("{before}{path}{after}");
        let found = counted.get(line.as_str()).copied().unwrap_or(0);
        assert!(found == *times, "{line:?} is found {found} times, not {times}: {}", about());
    }
}

#[test]
fn libraries_do_not_leak() {
    let _alone = ALONE.lock();
    let mut history = usage::History::default();
    soak("libraries", |tree, rng| {
        libraries::search(&tree.path(), rng);
        history.record(usage::of_this_process());
    });
    history.check();
}

#[test]
fn the_program_does_not_leak() {
    let _alone = ALONE.lock();
    let mut most = usage::Usage::default();
    soak("program", |tree, rng| most = most.max(program::search(tree, rng)));
    eprintln!("maximum of one run: {most}");
}
