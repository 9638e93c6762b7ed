//! Reading rule files, within limits: anyone may have put them into a tree.

use std::{
    ffi::CStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{links::leads_out, path_bytes::path_of};

/// Reads files in a directory, so that the filter does not depend on how the caller opened it.
pub trait ReadFile {
    /// Reads `name` into `into`, in place of what that contains. `name` is a path relative to the
    /// directory, or absolute for the repository that a worktree belongs to.
    ///
    /// # Errors
    /// The error if the file cannot be opened or read.
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()>;

    /// Returns whether `name`, a path below `.git`, leads to a file that must not be read. The
    /// filter calls this before it opens such a file itself.
    fn leads_out(&self, _name: &CStr) -> bool {
        false
    }
}

/// The size in bytes of the largest rule file that is read: a million lines and more. A link in a
/// tree may lead to a file without an end.
pub const MAX_RULE_FILE_BYTES: usize = 32 << 20;

/// Returns the error that a rule file is larger than [`MAX_RULE_FILE_BYTES`].
#[must_use]
pub fn rule_file_too_large() -> io::Error {
    io::Error::other(format!("larger than {} MiB, not read", MAX_RULE_FILE_BYTES >> 20))
}

/// Reads files by path: for directories that the caller has not opened.
#[derive(Debug)]
pub struct ByPath<'a> {
    pub(crate) dir: &'a Path,
    /// Whether links must not lead out of the directory.
    pub(crate) confined: bool,
}

impl<'a> ByPath<'a> {
    /// Reads the files in `dir`, and what its links lead to.
    #[must_use]
    pub fn new(dir: &'a Path) -> ByPath<'a> {
        ByPath { dir, confined: false }
    }

    pub(crate) fn path(&self, name: &CStr) -> PathBuf {
        self.dir.join(path_of(name.to_bytes()))
    }
}

impl ReadFile for ByPath<'_> {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        into.clear();
        let path = self.path(name);
        let metadata = match name.to_bytes() {
            // Git does not follow these links (since 2.32).
            b".gitignore" | b".gitattributes" => fs::symlink_metadata(&path)?,
            _ => fs::metadata(&path)?,
        };
        if self.leads_out(name) {
            return Err(io::ErrorKind::NotFound.into());
        }
        read_file(&path, &metadata, into)
    }

    /// What git's own files name may be anywhere.
    fn leads_out(&self, name: &CStr) -> bool {
        let is_of_directory = name.to_bytes().starts_with(b".git/") || !has_slash(name);
        self.confined && is_of_directory && {
            let dir = fs::canonicalize(self.dir);
            let is_inside = |path: &Path| dir.is_ok_and(|dir| path.starts_with(dir));
            leads_out(&self.path(name), is_inside)
        }
    }
}

fn has_slash(name: &CStr) -> bool {
    memchr::memchr(b'/', name.to_bytes()).is_some()
}

/// Reads the file at `path`, which has this metadata, into `into`, in place of what that contains.
///
/// # Errors
/// It is no regular file, or larger than [`MAX_RULE_FILE_BYTES`]; or opening or reading it failed.
pub(crate) fn read_file(
    path: &Path,
    metadata: &fs::Metadata,
    into: &mut Vec<u8>,
) -> io::Result<()> {
    into.clear();
    // A device may do anything when it is opened.
    if !metadata.is_file() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let max = MAX_RULE_FILE_BYTES as u64;
    // With room for its end, the file takes one read, and another that returns the end.
    into.reserve(metadata.len().min(max) as usize + 1);
    if open_regular(path)?.take(max + 1).read_to_end(into)? as u64 > max {
        into.clear();
        return Err(rule_file_too_large());
    }
    Ok(())
}

/// Opens the file at `path`, which was regular when it was examined. A pipe that has taken its
/// place opens at once, instead of blocking until another process writes to it.
///
/// # Errors
/// It cannot be opened, or is no regular file any more.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("not a regular file")),
    }
}

#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    match File::options().read(true).custom_flags(flags as i32).open(path) {
        // Another process has a lease on the file, and is notified. A pipe does not get here.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => File::open(path),
        file => file,
    }
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Treats a file that does not exist, or is no file, as an empty one.
pub(crate) fn missing_is_empty(result: io::Result<()>, into: &mut Vec<u8>) -> io::Result<()> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match result {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | IsADirectory) => {
            into.clear();
            Ok(())
        }
        result => result,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_that_has_replaced_a_file_is_not_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rules");
        fs::write(&path, "a").unwrap();
        let metadata = fs::metadata(&path).unwrap();
        let mut contents = Vec::new();
        read_file(&path, &metadata, &mut contents).unwrap();
        assert_eq!(contents, b"a");
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()));
        let error = read_file(&path, &metadata, &mut contents).unwrap_err();
        assert_eq!(error.to_string(), "not a regular file");
        assert!(contents.is_empty());
    }
}
