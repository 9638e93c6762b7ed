//! What a tree holds: counted by a walk of its own, so that the walk under measurement is not its
//! own judge.
//!
//! Every directory is a task of its own on rayon's threads, and so is every thousand entries of a
//! large one: a million files in one directory take about as long as a million in many.

use std::{
    fs::{self, DirEntry, FileType},
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::{Mutex, PoisonError},
};

use rayon::Scope;
use serde::{Deserialize, Serialize};

use crate::{
    checksum::{scramble, splitmix64},
    files::explain,
};

/// What a tree holds. The `.git` of its top is not looked into and not counted: tools write there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    /// Regular files.
    pub(crate) files: u64,
    /// Directories, the top one among them.
    pub(crate) directories: u64,
    /// Symbolic links. None is followed.
    pub(crate) symlinks: u64,
    /// Pipes, sockets and devices.
    pub(crate) others: u64,
    /// The sizes of the regular files together.
    pub(crate) bytes: u64,
    /// How deep the deepest entry lies. What the top directory lists has depth 1.
    pub(crate) depth: u64,
    /// The most entries of any directory.
    pub(crate) widest: u64,
    /// The sum of a hash of path, kind and size of everything, whatever the order. Two trees of
    /// which one was changed differ in it, unless the change left every size alone.
    pub(crate) digest: u64,
}

/// The kind of an entry, as it goes into its hash.
#[derive(Clone, Copy)]
enum Kind {
    Directory = 1,
    File,
    Symlink,
    Other,
}

/// Entries of a directory that one task counts: few enough that two threads share a large one.
const SLICE: usize = 1024;

impl Shape {
    /// Counts a tree, or a single file. What may not be read or has gone since it was listed is
    /// counted as an empty directory or not at all.
    ///
    /// # Errors
    ///
    /// As the system says, with the path.
    pub(crate) fn of(path: &Path) -> io::Result<Shape> {
        let metadata = fs::metadata(path).map_err(|error| explain(path, &error))?;
        let mut shape = Shape::default();
        if !metadata.is_dir() {
            shape.add(kind_of(metadata.file_type()), b"", metadata.len(), 0);
            return Ok(shape);
        }
        shape.add(Kind::Directory, b"", 0, 0);
        let count = Count { top: path, total: Mutex::new(Ok(shape)) };
        rayon::scope(|scope| count.directory(scope, Path::new(""), 0));
        count.total.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// How this differs from what it should be, in words, if it does.
    pub(crate) fn difference(&self, expected: &Shape) -> Option<String> {
        let pairs = [
            ("files", self.files, expected.files),
            ("directories", self.directories, expected.directories),
            ("symbolic links", self.symlinks, expected.symlinks),
            ("other entries", self.others, expected.others),
            ("bytes", self.bytes, expected.bytes),
            ("levels", self.depth, expected.depth),
            ("entries in the widest directory", self.widest, expected.widest),
        ];
        let differing = pairs.into_iter().filter(|(_, seen, wanted)| seen != wanted);
        let mut differences: Vec<String> = differing
            .map(|(name, seen, wanted)| format!("{seen} {name} instead of {wanted}"))
            .collect();
        if differences.is_empty() && self.digest != expected.digest {
            differences.push("other names or sizes, though as many (digest)".to_owned());
        }
        (!differences.is_empty()).then(|| differences.join(", "))
    }

    fn add(&mut self, kind: Kind, path: &[u8], size: u64, depth: u64) {
        match kind {
            Kind::Directory => self.directories += 1,
            Kind::File => {
                self.files += 1;
                self.bytes += size;
            }
            Kind::Symlink => self.symlinks += 1,
            Kind::Other => self.others += 1,
        }
        self.depth = self.depth.max(depth);
        self.digest = self.digest.wrapping_add(hash(kind, path, size));
    }

    fn merge(&mut self, part: &Shape) {
        self.files += part.files;
        self.directories += part.directories;
        self.symlinks += part.symlinks;
        self.others += part.others;
        self.bytes += part.bytes;
        self.depth = self.depth.max(part.depth);
        self.widest = self.widest.max(part.widest);
        self.digest = self.digest.wrapping_add(part.digest);
    }
}

/// A count that is going on.
struct Count<'a> {
    top: &'a Path,
    total: Mutex<io::Result<Shape>>,
}

impl Count<'_> {
    /// Counts what a directory lists. Paths are relative to the top.
    fn directory<'s>(&'s self, scope: &Scope<'s>, directory: &Path, depth: u64) {
        let path = self.top.join(directory);
        match list(&path, depth == 0) {
            Ok(mut entries) => {
                self.add(&Shape { widest: entries.len() as u64, ..Shape::default() });
                while entries.len() > SLICE {
                    let slice = entries.split_off(entries.len() - SLICE);
                    let directory = directory.to_owned();
                    scope.spawn(move |scope| self.slice(scope, &directory, slice, depth + 1));
                }
                self.slice(scope, directory, entries, depth + 1);
            }
            Err(error) => self.fail(&path, &error),
        }
    }

    /// Counts some entries of a directory, which lie at `depth`, and sees to what is below them.
    fn slice<'s>(&'s self, scope: &Scope<'s>, dir: &Path, entries: Vec<DirEntry>, depth: u64) {
        let mut part = Shape::default();
        for entry in entries {
            let path = dir.join(entry.file_name());
            match examine(&entry) {
                Ok((kind, size)) => {
                    part.add(kind, path.as_os_str().as_bytes(), size, depth);
                    if matches!(kind, Kind::Directory) {
                        scope.spawn(move |scope| self.directory(scope, &path, depth));
                    }
                }
                Err(error) => self.fail(&self.top.join(&path), &error),
            }
        }
        self.add(&part);
    }

    fn add(&self, part: &Shape) {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(total) = &mut *total {
            total.merge(part);
        }
    }

    fn fail(&self, path: &Path, error: &io::Error) {
        // Somebody else's tree may hold secrets, and one that lives may change meanwhile.
        if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) {
            let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
            *total = Err(explain(path, error));
        }
    }
}

fn list(path: &Path, is_top: bool) -> io::Result<Vec<DirEntry>> {
    let entries = fs::read_dir(path)?;
    let wanted = |entry: &io::Result<DirEntry>| {
        !(is_top && entry.as_ref().is_ok_and(|entry| entry.file_name() == ".git"))
    };
    entries.filter(wanted).collect()
}

/// The kind and size of an entry. Only that of a file or a link is its own: that of a directory is
/// the file system's.
fn examine(entry: &DirEntry) -> io::Result<(Kind, u64)> {
    let kind = kind_of(entry.file_type()?);
    let size = match kind {
        Kind::File | Kind::Symlink => entry.metadata()?.len(),
        Kind::Directory | Kind::Other => 0,
    };
    Ok((kind, size))
}

fn kind_of(file_type: FileType) -> Kind {
    if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_file() {
        Kind::File
    } else if file_type.is_symlink() {
        Kind::Symlink
    } else {
        Kind::Other
    }
}

/// Eight bytes at a time through the scrambler. Not secure: it is to notice accidents.
fn hash(kind: Kind, path: &[u8], size: u64) -> u64 {
    let start = scramble(size.wrapping_add(splitmix64(kind as u64)));
    path.chunks(8).fold(start, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        // The length tells a short chunk from one that ends in zero bytes, which no path does.
        splitmix64(hash ^ u64::from_le_bytes(word)).wrapping_add(chunk.len() as u64)
    })
}
