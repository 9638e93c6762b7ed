//! A walk's root, as its entries' paths begin with it.

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
        let mut typed =
            if plain == Path::new("/") { b"/".to_vec() } else { path_bytes::with_slashes(&plain) };
        if cfg!(windows) {
            set_drive(&mut typed, &path_bytes::bytes_of(cwd));
        }
        let root =
            Root { path: path.to_owned(), absolute: path_bytes::with_slashes(&absolute), typed };
        (root, absolute.parent().map(Path::to_owned))
    }
}

/// Spells a path's drive as the current directory does, because paths are compared by bytes.
fn set_drive(path: &mut [u8], cwd: &[u8]) {
    if let ([ours, b':', ..], [letter, b':', ..]) = (path, cwd)
        && ours.eq_ignore_ascii_case(letter)
    {
        *ours = *letter;
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

#[cfg(test)]
mod tests {
    use super::set_drive;

    #[test]
    fn drives_have_no_case() {
        for (path, cwd, expected) in [
            ("c:/a", "C:\\a", "C:/a"),
            ("C:a", "c:\\b", "c:a"),
            ("d:/a", "C:\\a", "d:/a"),
            ("ca", "C:\\a", "ca"),
            ("", "C:\\a", ""),
            ("c:/a", "//host/share", "c:/a"),
        ] {
            let mut bytes = path.as_bytes().to_vec();
            set_drive(&mut bytes, cwd.as_bytes());
            assert_eq!(bytes, expected.as_bytes(), "{path} in {cwd}");
        }
    }
}
