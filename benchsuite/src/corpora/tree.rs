//! Directories and files of corpora: made, copied, visited. Errors name their path.

use std::{
    fs::{self, DirEntry, FileType, Permissions},
    io,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use crate::files::explain;

pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path).map_err(|error| explain(path, &error))
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes).map_err(|error| explain(path, &error))
}

/// Replaces the contents of a file that may be a hard link, without changing its other names.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    fs::remove_file(path)
        .and_then(|()| fs::write(path, text))
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(0o644)))
        .map_err(|error| explain(path, &error))
}

/// Calls `visit` for every entry of a directory except `.git`: a repository inside a corpus would
/// end the reach of its ignore rules, and its history is not to be searched.
pub(super) fn each_entry(
    dir: &Path,
    visit: &mut dyn FnMut(&DirEntry, FileType) -> io::Result<()>,
) -> io::Result<()> {
    for entry in fs::read_dir(dir).map_err(|error| explain(dir, &error))? {
        let entry = entry.map_err(|error| explain(dir, &error))?;
        if entry.file_name() == ".git" {
            continue;
        }
        let kind = entry.file_type().map_err(|error| explain(&entry.path(), &error))?;
        visit(&entry, kind)?;
    }
    Ok(())
}

/// Copies a tree: files by hard links where that is possible, which takes no space for their bytes.
/// Pipes, sockets and devices are left out.
pub(super) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    make_directory(to)?;
    each_entry(from, &mut |entry, kind| {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if kind.is_dir() {
            return copy_tree(&source, &target);
        }
        let copied = if kind.is_symlink() {
            fs::read_link(&source).and_then(|link| symlink(link, target))
        } else if !kind.is_file() || fs::hard_link(&source, &target).is_ok() {
            Ok(())
        } else {
            // Another file system, one without hard links, or another user's file.
            fs::copy(&source, target).map(drop)
        };
        copied.map_err(|error| explain(&source, &error))
    })
}

/// Makes an empty git repository of a tree, so that its ignore files apply in every tool. These
/// files are what a repository needs, without the templates of an installed `git`.
pub(super) fn make_repository(tree: &Path) -> io::Result<()> {
    let git = tree.join(".git");
    for dir in ["", "objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags"] {
        make_directory(&git.join(dir))?;
    }
    write(&git.join("HEAD"), b"ref: refs/heads/main\n")?;
    let config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
    write(&git.join("config"), config.as_bytes())
}
