//! What a tree holds, counted by a walk of its own, so that the walk under measurement is not its
//! own judge.

use std::{
    fs::{self, DirEntry, FileType},
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::checksum::{scramble, splitmix64};
use crate::files::explain;

/// What a tree holds. The `.git` of its top is not counted: tools write there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    /// Regular files.
    pub(crate) files: u64,
    /// Directories, the top one included.
    pub(crate) directories: u64,
    /// Symbolic links, which are not followed.
    pub(crate) symlinks: u64,
    /// Pipes, sockets and devices.
    pub(crate) others: u64,
    /// The sum of the sizes of the regular files.
    pub(crate) bytes: u64,
    /// The depth of the deepest entry. Entries of the top directory have depth 1.
    pub(crate) depth: u64,
    /// The most entries of any directory.
    pub(crate) widest: u64,
    /// The sum of a hash of path, kind and size of every entry. A change of a tree changes it,
    /// unless it leaves every size alone.
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

impl Shape {
    /// Counts a tree, or a single file. Entries that may not be read or vanish meanwhile are
    /// counted as empty directories or not at all.
    pub(crate) fn of(path: &Path) -> io::Result<Shape> {
        let metadata = fs::metadata(path).map_err(|error| explain(path, &error))?;
        if metadata.is_dir() {
            return Ok(Shape::single(Kind::Directory, b"", 0, 0).merge(&below(
                path,
                "".as_ref(),
                1,
            )?));
        }
        Ok(Shape::single(kind_of(metadata.file_type()), b"", metadata.len(), 0))
    }

    /// The differences from what it should be, in words.
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

    /// The shape of one entry.
    fn single(kind: Kind, path: &[u8], size: u64, depth: u64) -> Shape {
        let mut shape = Shape { depth, digest: hash(kind, path, size), ..Shape::default() };
        match kind {
            Kind::Directory => shape.directories = 1,
            Kind::File => (shape.files, shape.bytes) = (1, size),
            Kind::Symlink => shape.symlinks = 1,
            Kind::Other => shape.others = 1,
        }
        shape
    }

    fn merge(self, other: &Shape) -> Shape {
        Shape {
            files: self.files + other.files,
            directories: self.directories + other.directories,
            symlinks: self.symlinks + other.symlinks,
            others: self.others + other.others,
            bytes: self.bytes + other.bytes,
            depth: self.depth.max(other.depth),
            widest: self.widest.max(other.widest),
            digest: self.digest.wrapping_add(other.digest),
        }
    }
}

/// Counts everything below `directory`, a path relative to `top`, whose entries have this depth.
fn below(top: &Path, directory: &Path, depth: u64) -> io::Result<Shape> {
    let path = top.join(directory);
    let is_wanted = |entry: &DirEntry| depth > 1 || entry.file_name() != ".git";
    let entries: io::Result<Vec<DirEntry>> = fs::read_dir(&path).and_then(Iterator::collect);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return pardoned(&path, &error),
    };
    entries.retain(is_wanted);
    let own = Shape { widest: entries.len() as u64, ..Shape::default() };
    // Threads share wide directories as well as deep trees.
    let counted = entries.par_iter().map(|entry| {
        let path = directory.join(entry.file_name());
        match examine(entry) {
            Ok((kind, size)) => {
                let shape = Shape::single(kind, path.as_os_str().as_bytes(), size, depth);
                match kind {
                    Kind::Directory => Ok(shape.merge(&below(top, &path, depth + 1)?)),
                    _ => Ok(shape),
                }
            }
            Err(error) => pardoned(&top.join(&path), &error),
        }
    });
    Ok(own.merge(&counted.try_reduce(Shape::default, |one, other| Ok(one.merge(&other)))?))
}

/// Nothing, if the entry has vanished or may not be read, which happens in a user's own tree.
fn pardoned(path: &Path, error: &io::Error) -> io::Result<Shape> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Ok(Shape::default()),
        _ => Err(explain(path, error)),
    }
}

/// The kind and size of an entry. The size of a directory is the file system's business.
fn examine(entry: &DirEntry) -> io::Result<(Kind, u64)> {
    let kind = kind_of(entry.file_type()?);
    let size = match kind {
        Kind::File | Kind::Symlink => entry.metadata()?.len(),
        Kind::Directory | Kind::Other => 0,
    };
    Ok((kind, size))
}

fn kind_of(file_type: FileType) -> Kind {
    match file_type {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_file() => Kind::File,
        kind if kind.is_symlink() => Kind::Symlink,
        _ => Kind::Other,
    }
}

/// Hashes eight bytes at a time. It detects accidents, not attacks.
fn hash(kind: Kind, path: &[u8], size: u64) -> u64 {
    let start = scramble(size.wrapping_add(splitmix64(kind as u64)));
    path.chunks(8).fold(start, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        // The length distinguishes a short chunk from one that ends in zero bytes.
        splitmix64(hash ^ u64::from_le_bytes(word)).wrapping_add(chunk.len() as u64)
    })
}
