//! Changes that are being made, and what those have left that were killed.
//!
//! While a change is made, its process holds the lock of a file, `7-5b0c61f09de2a834.running` for
//! change 7. The system takes a lock from a process that ends in whatever way. So a file without a
//! lock is that of a run that was killed: the directories of the files in its journal can contain
//! temporary files with the tag in the file's name, such as `.heist-5b0c61f09de2a834-0.tmp`. The
//! next run removes them.
//!
//! The tag is random, so that no other run, and no other user's, has files of such a name.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    path::{Path, PathBuf},
};

use crate::sys;

/// How the names of files end that stand for runs.
const RUNNING_SUFFIX: &str = ".running";

/// A change that this process makes.
#[derive(Debug)]
pub(crate) struct Run {
    path: PathBuf,
    tag: u64,
    /// Holds the lock as long as it is open.
    _file: File,
}

impl Run {
    /// Begins the run of the change with this number, in the directory of the journals.
    pub(crate) fn begin(dir: &Path, number: u64) -> io::Result<Run> {
        let tag = new_tag();
        let path = dir.join(format!("{number}-{tag:016x}{RUNNING_SUFFIX}"));
        let file = sys::create_private(&path)?;
        // Where a file system has no locks, no run removes what another has left.
        let _ = file.try_lock();
        Ok(Run { path, tag, _file: file })
    }

    /// What the names of the run's temporary files have in common.
    pub(crate) fn tag(&self) -> u64 {
        self.tag
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // The next run removes what remains.
        let _ = fs::remove_file(&self.path);
    }
}

/// A run that was killed. No other process removes what it has left meanwhile.
#[derive(Debug)]
pub(crate) struct Left {
    path: PathBuf,
    number: u64,
    tag: u64,
    _lock: File,
}

/// The runs that were killed, of those in the directory of the journals.
pub(crate) fn left(dir: &Path) -> io::Result<Vec<Left>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let Some((number, tag)) = path.file_name().and_then(|name| parts(name.to_str()?)) else {
            continue;
        };
        // One that has just ended is gone, and one whose lock is held is alive.
        let Ok(file) = File::options().write(true).open(&path) else { continue };
        if file.try_lock().is_ok() {
            all.push(Left { path, number, tag, _lock: file });
        }
    }
    Ok(all)
}

impl Left {
    /// The number of the change.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Removes the temporary files beside `files`.
    pub(crate) fn remove<'p>(self, files: impl Iterator<Item = &'p Path>) {
        let prefix = temporary_prefix(self.tag);
        let dirs: BTreeSet<&Path> = files.filter_map(Path::parent).collect();
        for entry in dirs.into_iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().flatten() {
            let is_left = entry.file_name().to_str().is_some_and(|it| it.starts_with(&prefix));
            if is_left && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                // What cannot be removed stays, as it would if nothing knew it.
                let _ = fs::remove_file(entry.path());
            }
        }
        let _ = fs::remove_file(&self.path);
    }
}

/// The number of the change and the tag that `7-5b0c61f09de2a834.running` has.
fn parts(name: &str) -> Option<(u64, u64)> {
    let (number, tag) = name.strip_suffix(RUNNING_SUFFIX)?.split_once('-')?;
    Some((number.parse().ok()?, u64::from_str_radix(tag, 16).ok()?))
}

/// A number that no other change has.
pub(crate) fn new_tag() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The name of a temporary file: `.heist-5b0c61f09de2a834-0.tmp`.
pub(crate) fn temporary_name(tag: u64, number: u64) -> String {
    format!("{}{number}.tmp", temporary_prefix(tag))
}

fn temporary_prefix(tag: u64) -> String {
    format!(".heist-{tag:016x}-")
}
