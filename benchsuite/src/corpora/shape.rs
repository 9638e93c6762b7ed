//! What a tree holds, counted by a walk of its own, so that the walk under measurement is not its
//! own judge.

use std::{
    io::{self, ErrorKind},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use walkdir::{DirEntry, WalkDir};

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
    /// How many bytes all regular files have.
    pub(crate) bytes: u64,
    /// How deep the deepest entry is. Entries in the top directory have depth 1.
    pub(crate) depth: u64,
    /// The most entries of any directory.
    pub(crate) widest: u64,
    /// The sum of a hash for every entry, of its path, kind and size. A change in a tree changes
    /// it, unless it leaves every size alone.
    pub(crate) digest: u64,
}

impl Shape {
    /// Counts a tree, or a single file. Entries that may not be read or vanish meanwhile are
    /// counted as empty directories or not at all.
    pub(crate) fn of(path: &Path) -> io::Result<Shape> {
        let top = path.canonicalize().map_err(|error| explain(path, &error))?;
        let is_wanted = |entry: &DirEntry| entry.depth() != 1 || entry.file_name() != ".git";
        // How many entries each directory has so far, from the top to the last entry's.
        let (mut widths, mut widest) = (Vec::new(), 0);
        let entries = WalkDir::new(&top).into_iter().filter_entry(is_wanted).inspect(|entry| {
            let depth = entry.as_ref().map_or(0, DirEntry::depth);
            if depth > 0 {
                widths.resize(depth, 0);
                widths[depth - 1] += 1;
                widest = widest.max(widths[depth - 1]);
            }
        });
        let counted = entries.par_bridge().map(|entry| {
            let shape = entry.and_then(|entry| Shape::of_entry(&top, &entry));
            shape.map_err(io::Error::from).or_else(|error| match error.kind() {
                // This happens in a user's own tree.
                ErrorKind::NotFound | ErrorKind::PermissionDenied => Ok(Shape::default()),
                _ => Err(error),
            })
        });
        let shape = counted.try_reduce(Shape::default, |one, other| Ok(one.merge(&other)))?;
        Ok(Shape { widest, ..shape })
    }

    fn of_entry(top: &Path, entry: &DirEntry) -> walkdir::Result<Shape> {
        let kind = entry.file_type();
        // The size of a directory is the file system's business.
        let has_size = kind.is_file() || kind.is_symlink();
        let size = if has_size { entry.metadata()?.len() } else { 0 };
        let path = entry.path().strip_prefix(top).unwrap_or(entry.path());
        let [directories, files, symlinks] =
            [kind.is_dir(), kind.is_file(), kind.is_symlink()].map(u64::from);
        let others = 1 - directories - files - symlinks;
        let number = directories + 2 * files + 3 * symlinks + 4 * others;
        let digest = hash(number, path.as_os_str().as_bytes(), size);
        let (bytes, depth) = (size * files, entry.depth() as u64);
        Ok(Shape { files, directories, symlinks, others, bytes, depth, digest, widest: 0 })
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

    /// What two parts of a tree hold; the widest directory is found while it is read.
    fn merge(self, other: &Shape) -> Shape {
        Shape {
            files: self.files + other.files,
            directories: self.directories + other.directories,
            symlinks: self.symlinks + other.symlinks,
            others: self.others + other.others,
            bytes: self.bytes + other.bytes,
            depth: self.depth.max(other.depth),
            widest: 0,
            digest: self.digest.wrapping_add(other.digest),
        }
    }
}

/// Hashes eight bytes at a time. It detects accidents, not attacks.
fn hash(kind: u64, path: &[u8], size: u64) -> u64 {
    let start = scramble(size.wrapping_add(splitmix64(kind)));
    path.chunks(8).fold(start, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        // The length distinguishes a short chunk from one that ends in zero bytes.
        splitmix64(hash ^ u64::from_le_bytes(word)).wrapping_add(chunk.len() as u64)
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_shape_counts_everything_but_the_repository() {
        let temp = tempfile::tempdir().unwrap();
        let at = |path: &str| temp.path().join(path);
        for dir in ["a/b", "a/.git", ".git/objects"] {
            fs::create_dir_all(at(dir)).unwrap();
        }
        fs::write(at("a/b/file"), "1234\n").unwrap();
        symlink("nowhere", at("link")).unwrap();
        let of_tree = || Shape::of(temp.path()).unwrap();
        let first = of_tree();
        let (directories, digest) = (4, first.digest);
        let counts = Shape { files: 1, directories, symlinks: 1, digest, ..Shape::default() };
        assert_eq!(first, Shape { bytes: 5, depth: 3, widest: 2, ..counts });
        fs::write(at(".git/HEAD"), "changed").unwrap();
        assert_eq!(of_tree().difference(&first), None);
        fs::rename(at("a/b/file"), at("a/b/elif")).unwrap();
        let why = "other names or sizes, though as many (digest)";
        assert_eq!(of_tree().difference(&first).as_deref(), Some(why));
        fs::remove_file(at("link")).unwrap();
        let why = "0 symbolic links instead of 1";
        assert!(of_tree().difference(&first).is_some_and(|text| text.starts_with(why)));
    }
}
