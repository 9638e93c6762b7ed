//! The files that git tracks, by its index: `--tracked` and `--tracked-or-unignored`.

mod bitmap;
mod index;
mod input;
#[cfg(test)]
mod tests;

use std::{
    ffi::{CStr, CString},
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use self::{
    index::{IndexFile, Link, TrackedEntry},
    input::Malformed,
};
use crate::{path_bytes::path_of, read_file::open_regular};

/// The size in bytes of the largest index that is read: several million files.
const MAX_INDEX_BYTES: u64 = 1 << 30;

/// The size in bytes of the largest `.git` file.
const MAX_LINK_BYTES: u64 = 1 << 16;

/// The bits in a mode that are an entry's kind.
const KIND_MASK: u32 = 0o170_000;
const DIRECTORY_KIND: u32 = 0o040_000;
const SUBMODULE_KIND: u32 = 0o160_000;

/// The tracked files of one repository.
#[derive(Debug, Default)]
pub(crate) struct TrackedFiles {
    /// The paths from the top of the repository, sorted and unique.
    entries: Vec<TrackedEntry>,
    /// Whether a sparse index stands for directories as a whole.
    has_directories: bool,
}

impl TrackedFiles {
    /// Reads the index of the repository at `top`. A repository without an index tracks nothing.
    /// Files below its `.git` are not read if `leads_out` returns true for their path.
    ///
    /// # Errors
    /// The index cannot be read, or is malformed.
    pub(crate) fn read(top: &Path, leads_out: &dyn Fn(&CStr) -> bool) -> io::Result<TrackedFiles> {
        let git_dir = match git_dir(top) {
            // A repository of Jujutsu has its git elsewhere, if at all.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            git_dir => git_dir?,
        };
        let parse_in = |name: &str| match CString::new(format!(".git/{name}")) {
            Ok(path) if !leads_out(&path) => parse(&git_dir.join(name)),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        let index = match parse_in("index") {
            Err(error) if error.kind() == io::ErrorKind::NotFound => IndexFile::default(),
            index => index?,
        };
        let shared = match &index.link {
            Some(link) if link.base.iter().any(|byte| *byte != 0) => {
                parse_in(&format!("sharedindex.{}", hex(&link.base)))?
            }
            _ => IndexFile::default(),
        };
        TrackedFiles::new(index, shared).map_err(io::Error::other)
    }

    /// The files in an index, and in the shared one that it changes.
    fn new(index: IndexFile, shared: IndexFile) -> Result<TrackedFiles, Malformed> {
        let IndexFile { entries: own, link } = index;
        let mut entries = match link {
            Some(link) => merge(own, shared.entries, &link)?,
            None => own,
        };
        if entries.iter().any(|entry| entry.name.is_empty()) {
            return Err("an entry has no name");
        }
        // An unresolved conflict has a path up to three times.
        if !entries.is_sorted_by(|a, b| a.name < b.name) {
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            entries.dedup_by(|a, b| a.name == b.name);
        }
        let has_directories = entries.iter().any(|entry| entry.mode & KIND_MASK == DIRECTORY_KIND);
        Ok(TrackedFiles { entries, has_directories })
    }

    /// Whether each file is listed: a sparse index stands for some directories as a whole.
    pub(crate) fn is_complete(&self) -> bool {
        !self.has_directories
    }

    /// Returns whether the file at `path` is tracked.
    pub(crate) fn contains_file(&self, path: &[u8]) -> bool {
        self.find(path).is_some_and(|entry| entry.mode & KIND_MASK != SUBMODULE_KIND)
            || self.has_directories && self.lies_in_directory(path)
    }

    /// Returns whether a directory contains a tracked file or is a submodule. `path` ends in a
    /// slash.
    pub(crate) fn contains_dir(&self, path: &[u8]) -> bool {
        let next = self.entries.partition_point(|entry| *entry.name < *path);
        self.entries.get(next).is_some_and(|entry| entry.name.starts_with(path))
            || self
                .find(&path[..path.len() - 1])
                .is_some_and(|entry| entry.mode & KIND_MASK == SUBMODULE_KIND)
            || self.has_directories && self.lies_in_directory(path)
    }

    fn find(&self, path: &[u8]) -> Option<&TrackedEntry> {
        let at = self.entries.binary_search_by(|entry| (*entry.name).cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// Returns whether `path` lies in a directory that the index has as a whole.
    fn lies_in_directory(&self, path: &[u8]) -> bool {
        let is_directory =
            |path| self.find(path).is_some_and(|entry| entry.mode & KIND_MASK == DIRECTORY_KIND);
        memchr::memchr_iter(b'/', path).any(|slash| is_directory(&path[..=slash]))
    }
}

/// The entries of a split index.
fn merge(
    own: Vec<TrackedEntry>,
    mut shared: Vec<TrackedEntry>,
    link: &Link,
) -> Result<Vec<TrackedEntry>, Malformed> {
    let mut own = own.into_iter();
    for position in link.replaced.positions() {
        let entry = own.next().filter(|entry| entry.name.is_empty());
        let replaced = shared.get_mut(position);
        let (Some(entry), Some(replaced)) = (entry, replaced) else {
            return Err("it does not fit its shared index");
        };
        replaced.mode = entry.mode;
    }
    let mut deleted = link.deleted.positions().peekable();
    let mut position = 0;
    shared.retain(|_| {
        let is_deleted = deleted.next_if_eq(&position).is_some();
        position += 1;
        !is_deleted
    });
    if deleted.next().is_some() {
        return Err("it does not fit its shared index");
    }
    shared.extend(own);
    Ok(shared)
}

/// Returns git's own directory of a repository or worktree. In a worktree or submodule, `.git` is a
/// file that names it: `gitdir: ../.git/modules/sub`.
fn git_dir(top: &Path) -> io::Result<PathBuf> {
    let path = top.join(".git");
    let metadata = fs::metadata(&path)?;
    if metadata.is_dir() {
        return Ok(path);
    }
    let mut contents = Vec::new();
    open(&path, &metadata)?.take(MAX_LINK_BYTES).read_to_end(&mut contents)?;
    let line = contents.strip_prefix(b"gitdir:").ok_or_else(|| io::Error::other("no gitdir"))?;
    Ok(top.join(path_of(line.trim_ascii())))
}

/// Opens the file at `path`, which has this metadata.
fn open(path: &Path, metadata: &fs::Metadata) -> io::Result<File> {
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    open_regular(path)
}

fn parse(path: &Path) -> io::Result<IndexFile> {
    let mut bytes = Vec::new();
    let file = open(path, &fs::metadata(path)?)?;
    file.take(MAX_INDEX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INDEX_BYTES {
        return Err(io::Error::other(format!("larger than {} MiB", MAX_INDEX_BYTES >> 20)));
    }
    index::parse(&bytes).map_err(io::Error::other)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads `index` as an index, and returns whether it is well formed. For the fuzz target.
#[doc(hidden)]
pub fn check_index(index: &[u8], shared: &[u8]) -> bool {
    let parsed = (index::parse(index), index::parse(shared));
    let (Ok(own), Ok(shared)) = parsed else { return false };
    let Ok(tracked) = TrackedFiles::new(own, shared) else { return false };
    for entry in &tracked.entries {
        if !matches!(entry.mode & KIND_MASK, SUBMODULE_KIND | DIRECTORY_KIND) {
            assert!(tracked.contains_file(&entry.name), "{entry:?}");
        }
        for slash in memchr::memchr_iter(b'/', &entry.name) {
            assert!(tracked.contains_dir(&entry.name[..=slash]), "{entry:?}");
        }
    }
    true
}
