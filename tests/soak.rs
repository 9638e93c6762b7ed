//! What lives long must not grow: searches without end, in trees that change, by the libraries in one process and by `hs`.
//! Every answer is checked; memory, descriptors and threads have to stay what they were.
//!
//! | variable | meaning |
//! |---|---|
//! | `HS_SOAK_SECONDS` | how long each of the two goes on, 1 unless told; `ci/soak` does so |
//! | `HS_SOAK_SEED` | begin with other random numbers |

use std::{
    env,
    sync::Mutex,
    time::{Duration, Instant},
};

#[path = "soak/libraries.rs"]
mod libraries;
#[path = "harness/mutate.rs"]
mod mutate;
#[path = "soak/program.rs"]
mod program;
#[allow(dead_code, reason = "the vocabulary is shared with tests/hs.rs, which uses all of it")]
#[path = "harness/temp_tree.rs"]
mod temp_tree;
#[path = "soak/usage.rs"]
mod usage;

use mutate::{Random, plant, still, while_mutating};
use temp_tree::TempTree;

/// One after the other: what a process uses is looked at.
static ALONE: Mutex<()> = Mutex::new(());

/// Repeat `search` as long as is asked for, while the tree changes.
fn soak(name: &str, mut search: impl FnMut(&TempTree, &mut Random)) {
    let seconds = number("HS_SOAK_SECONDS").unwrap_or(1);
    let seed = number("HS_SOAK_SEED").unwrap_or(1);
    let tree = TempTree::new(name);
    plant(&tree.path());
    // More directories side by side than a queue has room for at first.
    for dir in 0..200 {
        tree.file(format!("wide/dir{dir}/other"), "a lump\n");
    }
    let mut random = Random(seed);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (searches, changes) = while_mutating(&tree.path(), seed, || {
        let mut searches = 0;
        while Instant::now() < end {
            search(&tree, &mut random);
            searches += 1;
        }
        searches
    });
    eprintln!("{name}: {searches} searches in {seconds} s, {changes} changes");
    assert!(searches > 0 && changes > 100);
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|e| panic!("{name}={text}: {e}")))
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len())]
}

/// Fail unless `output` has, for each file that nobody touches, `times` lines made of its path after `before` and of
/// `behind`.
#[track_caller]
fn assert_found(
    output: &[u8],
    before: &str,
    behind: &str,
    times: usize,
    about: &dyn Fn() -> String,
) {
    let text = String::from_utf8_lossy(output);
    let mut counted = std::collections::HashMap::new();
    for line in text.lines().filter(|line| line.contains("/still")) {
        *counted.entry(line).or_insert(0) += 1;
    }
    for path in still() {
        let line = format!("{before}{path}{behind}");
        let found = counted.get(line.as_str()).copied().unwrap_or(0);
        assert!(found == times, "{line:?} is found {found} times, not {times}: {}", about());
    }
}

#[test]
fn libraries_do_not_grow() {
    let _alone = ALONE.lock();
    let mut course = usage::Course::default();
    soak("libraries", |tree, random| {
        libraries::search(&tree.path(), random);
        course.note(usage::of_this_process());
    });
    course.check();
}

#[test]
fn the_program_does_not_grow() {
    let _alone = ALONE.lock();
    let mut most = usage::Usage::default();
    soak("program", |tree, random| most = most.max(program::search(tree, random)));
    eprintln!("the most that one run used: {most}");
}
