//! A tree that changes all the time: files are created, truncated, extended, renamed and removed,
//! and names become directories, links and pipes. Beside them are stable files, which every search
//! has to find.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::{
    random::{Choose, Rng},
    sys,
};

/// The number of directories; each contains a stable file.
const DIRS: usize = 40;
/// The number of names in each directory that come and go.
const NAMES: usize = 6;

/// Writes the stable files and a large file.
pub(crate) fn create(tree: &Path) {
    for path in stable_files() {
        let path = tree.join(path);
        fs::create_dir_all(path.parent().expect("a file in a directory")).expect("a directory");
        fs::write(path, "a gem\n").expect("a file");
    }
    fs::write(tree.join("large"), "gem\n".repeat(2 << 20)).expect("a large file");
}

/// The paths of the stable files. Each contains the line `a gem`.
pub(crate) fn stable_files() -> impl Iterator<Item = String> {
    (0..DIRS).map(|dir| format!("dir{dir:02}/still"))
}

/// Changes the tree until `work` has returned. Returns its result and the number of changes.
pub(crate) fn while_mutating<T>(tree: &Path, seed: u64, work: impl FnOnce() -> T) -> (T, u64) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let mutator = scope.spawn(|| {
            let (mut rng, mut changes) = (Rng::with_seed(seed), 0);
            // Ordering: Relaxed; the flag publishes no other data.
            while !done.load(Ordering::Relaxed) {
                mutate(tree, &mut rng);
                changes += 1;
            }
            changes
        });
        let stop = Stop(&done);
        let result = work();
        drop(stop);
        (result, mutator.join().expect("the mutator ignores errors"))
    })
}

/// Stops the mutator when it is dropped, also by a panic.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        // Ordering: Relaxed, as where the flag is loaded.
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Makes one random change. Errors are ignored: an earlier change can make this one impossible.
fn mutate(tree: &Path, rng: &mut Rng) {
    let place = |rng: &mut Rng| -> PathBuf {
        tree.join(format!("dir{:02}/moving{}", rng.usize(..DIRS), rng.usize(..NAMES)))
    };
    let path = place(rng);
    let other = place(rng);
    let _ = match rng.u32(..16) {
        0..=2 => sys::open_for_writing(&path)
            .and_then(|mut file| file.write_all(&b"gem\n".repeat(rng.usize(..20_000)))),
        3 => fs::remove_file(&path),
        4 => fs::remove_dir_all(&path),
        5 => fs::create_dir_all(path.join("a/b"))
            .and_then(|()| fs::write(path.join("a/b/c"), "gem\n")),
        6..=8 => fs::remove_file(&path)
            .and_then(|()| sys::symlink(rng.pick(&[&*other, &*path, Path::new("..")]), &path)),
        9 => fs::rename(&path, &other),
        10 => sys::open_for_writing(&path).and_then(|file| file.set_len(rng.u64(..300_000))),
        11 => {
            let _ = fs::remove_file(&path);
            sys::fifo(&path)
        }
        12 => fs::remove_file(&path).and_then(|()| sys::socket(&path)),
        13 | 14 if rng.chance(50) => fs::write(path.with_file_name(".ignore"), "moving1\n"),
        13 | 14 => fs::remove_file(path.with_file_name(".ignore")),
        // For `--mmap`: mapped pages disappear and come back.
        _ => sys::open_for_writing(&tree.join("large"))
            .and_then(|file| file.set_len(rng.u64(..12 << 20))),
    };
}

/// Whether the message reports a file or directory that disappeared or changed.
pub(crate) fn is_expected_error(line: &str) -> bool {
    ["(os error ", "not a directory", "File system loop found", "is no longer a regular file"]
        .iter()
        .any(|text| line.contains(text))
        || line.contains("memory map")
        || line.contains("truncated while it was searched")
}
