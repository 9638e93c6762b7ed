//! A tree that never holds still: files are made, cut, grown, moved and removed, and names turn into directories, links
//! and pipes. Beside them lies what nobody touches, which every search has to find.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

/// Directories that nobody moves, each with a file that nobody touches.
const STILL: usize = 40;
/// Names that come and go in each of them.
const NAMES: usize = 6;

/// Numbers that look random, and are the same each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Make what nobody touches, and one large file.
pub(crate) fn plant(tree: &Path) {
    for still in still() {
        let still = tree.join(still);
        fs::create_dir_all(still.parent().expect("it is in a directory")).expect("a directory");
        fs::write(still, "a gem\n").expect("a file");
    }
    fs::write(tree.join("large"), "gem\n".repeat(2 << 20)).expect("a large file");
}

/// The files that nobody touches, each with the one line `a gem`.
pub(crate) fn still() -> impl Iterator<Item = String> {
    (0..STILL).map(|dir| format!("dir{dir:02}/still"))
}

/// Change the tree all the time until `work` is done. Gives what it gives, and the number of changes.
pub(crate) fn while_mutating<T>(tree: &Path, seed: u64, work: impl FnOnce() -> T) -> (T, u64) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let mutator = scope.spawn(|| {
            let (mut random, mut changes) = (Random(seed), 0);
            // Ordering: Relaxed, nothing but the flag is passed on.
            while !done.load(Ordering::Relaxed) {
                mutate(tree, &mut random);
                changes += 1;
            }
            changes
        });
        let stop = Stop(&done);
        let given = work();
        drop(stop);
        (given, mutator.join().expect("the mutator takes what comes"))
    })
}

/// Stops the mutator, also when an expectation fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        // Ordering: Relaxed, see above.
        self.0.store(true, Ordering::Relaxed);
    }
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

/// Open a file to write to it, and make it if it is not there. A pipe that nobody reads is not waited for.
fn open(path: &Path) -> io::Result<fs::File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::from_raw_mode(0o644))?.into())
}

/// Whether a message tells of something that went away or changed.
pub(crate) fn is_expected_error(line: &str) -> bool {
    ["(os error ", "not a directory", "File system loop found", "is no longer a regular file"]
        .iter()
        .any(|text| line.contains(text))
        || line.contains("memory map")
        || line.contains("truncated while it was searched")
}
