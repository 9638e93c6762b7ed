//! Directories and files of corpora: made, copied, visited. Errors name their path.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use walkdir::{DirEntry, WalkDir};

use crate::files::explain;

pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| explain(path, &error))
}

/// Writes a file, in a directory that is made if it is missing.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_parent(path)?;
    fs::write(path, bytes).map_err(|error| explain(path, &error))
}

/// Makes a symbolic link, in a directory that is made if it is missing.
pub(super) fn link(target: &Path, path: &Path) -> io::Result<()> {
    make_parent(path)?;
    symlink(target, path).map_err(|error| explain(path, &error))
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_directory)
}

/// Replaces the contents of a file that may be a hard link, without changing its other names.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    fs::remove_file(path)
        .and_then(|()| fs::write(path, text))
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(0o644)))
        .map_err(|error| explain(path, &error))
}

/// Every entry in a tree, directories before what they hold, except for `.git`: a repository inside
/// a corpus would end how far the corpus's ignore rules reach, and its history is not to be
/// searched.
pub(super) fn entries(dir: &Path) -> impl Iterator<Item = io::Result<DirEntry>> {
    let entries = WalkDir::new(dir).into_iter();
    let entries = entries.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    entries.map(|entry| entry.map_err(io::Error::from))
}

/// Copies a tree: files by hard links where that is possible, which takes no space for their bytes.
/// Pipes, sockets and devices are left out.
pub(super) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in entries(from) {
        let entry = entry?;
        let (source, kind) = (entry.path(), entry.file_type());
        let target = to.join(source.strip_prefix(from).unwrap_or(source));
        let copied = if kind.is_dir() {
            fs::create_dir(target)
        } else if kind.is_symlink() {
            fs::read_link(source).and_then(|link| symlink(link, target))
        } else if !kind.is_file() || fs::hard_link(source, &target).is_ok() {
            Ok(())
        } else {
            // Another file system, one without hard links, or another user's file.
            fs::copy(source, target).map(drop)
        };
        copied.map_err(|error| explain(source, &error))?;
    }
    Ok(())
}

/// Turns a tree into an empty git repository, so that its ignore files apply in every tool. These
/// files are what a repository needs, without the templates that an installed `git` has.
pub(super) fn make_repository(tree: &Path) -> io::Result<()> {
    let git = tree.join(".git");
    for dir in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        make_directory(&git.join(dir))?;
    }
    write(&git.join("HEAD"), b"ref: refs/heads/main\n")?;
    let config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
    write(&git.join("config"), config.as_bytes())
}
