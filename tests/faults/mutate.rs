//! A tree that never holds still: files are made, cut, grown, moved and removed, and names turn into directories, links and
//! pipes, while hs runs. What nobody touches is found every time.
//!
//! `HS_TEST_MUTATE_SECONDS=600 cargo test --test hs mutat` runs as long as that; `ci/mutate` does so.

use std::{
    env, fs,
    io::{self, Write as _},
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

use crate::harness::{Hs, Vault};

/// Directories that nobody moves, each with a file that nobody touches.
const STILL: usize = 40;
/// Names that come and go in each of them.
const NAMES: usize = 6;

/// Numbers that look random, and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Open a file to write to it, and make it if it is not there. A pipe that nobody reads is not waited for.
fn open(path: &Path) -> io::Result<fs::File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::from_raw_mode(0o644))?.into())
}

/// Change something. Whatever is in the way of a change, such as an earlier one, makes it do nothing.
fn mutate(tree: &Path, random: &mut Random) {
    let place = |random: &mut Random| -> PathBuf {
        tree.join(format!("dir{:02}/moving{}", random.below(STILL), random.below(NAMES)))
    };
    let path = place(random);
    let other = place(random);
    let _ = match random.below(16) {
        0..=2 => {
            open(&path).and_then(|mut file| file.write_all(&b"gem\n".repeat(random.below(20_000))))
        }
        3 => fs::remove_file(&path),
        4 => fs::remove_dir_all(&path),
        5 => fs::create_dir_all(path.join("a/b"))
            .and_then(|()| fs::write(path.join("a/b/c"), "gem\n")),
        6 => fs::remove_file(&path).and_then(|()| symlink(&other, &path)),
        7 => fs::remove_file(&path).and_then(|()| symlink("..", &path)),
        8 => fs::remove_file(&path).and_then(|()| symlink(&path, &path)),
        9 => fs::rename(&path, &other),
        10 => open(&path).and_then(|file| file.set_len(random.below(300_000) as u64)),
        11 => {
            let _ = fs::remove_file(&path);
            mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).map_err(Into::into)
        }
        12 => fs::remove_file(&path).and_then(|()| UnixListener::bind(&path).map(drop)),
        13 => fs::write(path.with_file_name(".ignore"), "moving1\n"),
        14 => fs::remove_file(path.with_file_name(".ignore")),
        // For `--mmap`: pages that are being read go away and come back.
        _ => open(&tree.join("large")).and_then(|file| file.set_len(random.below(12 << 20) as u64)),
    };
}

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

/// Whether a message tells of something that went away or changed.
fn is_of_the_tree(line: &str) -> bool {
    ["(os error ", "File system loop found", "is no longer a regular file"]
        .iter()
        .any(|text| line.contains(text))
        || line.contains("memory map")
        || line.contains("truncated while it was searched")
}

/// Run everything once, while the tree changes.
fn search(hs: &Hs<'_>) -> usize {
    for (args, behind) in RUNS {
        let expected: Vec<String> =
            (0..STILL).map(|dir| format!("dir{dir:02}/still{behind}")).collect();
        hs.args(args)
            .not_like_the_judge(
                "ripgrep waits for pipes and is killed where a memory map becomes shorter",
            )
            .complains_only_of("what went away or changed", is_of_the_tree)
            .prints_such_that("what nobody touches is found", |stdout| {
                let text = String::from_utf8_lossy(stdout);
                let lines: std::collections::HashSet<&str> = text.lines().collect();
                expected.iter().all(|line| lines.contains(line.as_str()))
            })
            .exits_with_one_of(&[0, 2]);
    }
    RUNS.len()
}

hs_test!(a_tree_that_mutates_is_searched, |vault, hs| {
    plant(vault);
    let seconds =
        env::var("HS_TEST_MUTATE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let end = Instant::now() + Duration::from_secs(seconds);
    let done = AtomicBool::new(false);
    let (mut runs, mut changes) = (0, 0_u64);
    thread::scope(|scope| {
        let mutator = scope.spawn(|| {
            let (tree, mut random, mut changes) = (vault.path(), Random(seconds), 0);
            // Ordering: Relaxed, nothing but the flag is passed on.
            while !done.load(Ordering::Relaxed) {
                mutate(&tree, &mut random);
                changes += 1;
            }
            changes
        });
        let stop = Stop(&done);
        while Instant::now() < end {
            runs += search(hs);
        }
        drop(stop);
        changes = mutator.join().expect("the mutator takes what comes");
    });
    eprintln!("{runs} runs while {changes} changes were made");
    assert!(runs > 0 && changes > 1000);
});

/// Stops the mutator, also when an expectation fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        // Ordering: Relaxed, see above.
        self.0.store(true, Ordering::Relaxed);
    }
}

fn plant(vault: &Vault) {
    for dir in 0..STILL {
        vault.file(format!("dir{dir:02}/still"), "a gem\n");
    }
    vault.file("large", "gem\n".repeat(2 << 20));
}
