//! Where a repository's own files are.

use std::{
    ffi::CString,
    io,
    path::{Path, PathBuf},
};

use crate::{
    path_bytes::{bytes_of, path_of},
    read_file::{ReadFile, missing_is_empty},
};

/// A repository's rules, relative to its directory.
pub(crate) const EXCLUDE: &str = "info/exclude";

/// A repository's attributes, below its directory.
pub(crate) const ATTRIBUTES: &str = "info/attributes";

/// Reads a repository's `info/exclude` or `config` into `into`, which is left empty if there is
/// none. `files` reads from the top directory. Returns the file's path unless it lies in `.git`,
/// and the error if it exists and cannot be read.
///
/// In a worktree, `.git` is a file that names the worktree's own directory, and a file `commondir`
/// in that one names the repository; a submodule has no `commondir`:
///
/// ```text
/// .git                          gitdir: /src/main/.git/worktrees/fix
/// …/worktrees/fix/commondir     ../..
/// exclude file                  /src/main/.git/info/exclude
/// ```
pub(crate) fn read_in_repository(
    files: &mut dyn ReadFile,
    name: &str,
    into: &mut Vec<u8>,
) -> (Option<PathBuf>, io::Result<()>) {
    into.clear();
    let usual = match name {
        EXCLUDE => c".git/info/exclude",
        ATTRIBUTES => c".git/info/attributes",
        _ => c".git/config",
    };
    match files.read(usual, into) {
        Err(error) if is_below_file(&error) => {}
        result => return (None, missing_is_empty(result, into)),
    }
    let path = named_repository(files, into).map(|repository| repository.join(name));
    into.clear();
    let result = match path.as_deref().and_then(c_path) {
        Some(path) => files.read(&path, into),
        None => Ok(()),
    };
    (path, missing_is_empty(result, into))
}

/// Whether a path leads through a file, as `.git/config` does in a worktree. Windows reports that
/// such a path does not exist.
fn is_below_file(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
        || cfg!(windows) && error.kind() == io::ErrorKind::NotFound
}

/// Returns a repository's directory where `.git` is a file. Mistakes in that file and in
/// `commondir` are left for git to report.
fn named_repository(files: &mut dyn ReadFile, buffer: &mut Vec<u8>) -> Option<PathBuf> {
    let git_dir = named_git_dir(files, buffer)?;
    let common = read_line(files, &git_dir.join("commondir"), buffer).unwrap_or_default();
    Some(git_dir.join(path_of(&common)))
}

/// Returns the directory that a `.git` file names, as worktrees and submodules have it.
pub(super) fn named_git_dir(files: &mut dyn ReadFile, buffer: &mut Vec<u8>) -> Option<PathBuf> {
    let git_dir = read_line(files, ".git".as_ref(), buffer)?;
    Some(path_of(git_dir.strip_prefix(b"gitdir:")?.trim_ascii()).into_owned())
}

/// Returns a file's first line, trimmed, if it can be read and is not empty.
fn read_line(files: &mut dyn ReadFile, path: &Path, buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    buffer.clear();
    files.read(&c_path(path)?, buffer).ok()?;
    let line = buffer.split(|&byte| byte == b'\n').next()?.trim_ascii();
    (!line.is_empty()).then(|| line.to_vec())
}

fn c_path(path: &Path) -> Option<CString> {
    CString::new(bytes_of(path)).ok()
}
