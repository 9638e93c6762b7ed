//! A root of a walk, as the paths of its entries are built.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use crate::path_bytes;

#[derive(Debug)]
pub(crate) struct Root {
    /// As given.
    pub(crate) path: PathBuf,
    /// The absolute path; empty for `/`.
    pub(crate) absolute: Vec<u8>,
    /// As given, without `.` components.
    pub(crate) typed: Vec<u8>,
}

impl Root {
    /// The root at `path`, relative to `cwd` or absolute, and the directory above it.
    pub(crate) fn new(path: &Path, cwd: &Path) -> (Root, Option<PathBuf>) {
        let joined = cwd.join(path);
        // A directory that the walk has opened may be out of reach by its path, which may be too
        // long or lead through a directory that may not be searched. Links in it stay unresolved
        // then.
        let absolute = fs::canonicalize(&joined).unwrap_or_else(|_| without_dots(&joined));
        let plain: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let typed =
            if plain == Path::new("/") { b"/".to_vec() } else { path_bytes::with_slashes(&plain) };
        let root =
            Root { path: path.to_owned(), absolute: path_bytes::with_slashes(&absolute), typed };
        (root, absolute.parent().map(Path::to_owned))
    }
}

/// Removes `.` and `..` components, as if no directory were a link.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
