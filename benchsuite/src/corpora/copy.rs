//! A tree the user has, taken into the corpora: by hard links where that is possible, which takes
//! no space for what the files hold, else by copies.

use std::{
    fs::{self, DirEntry, Permissions},
    io,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use crate::{corpora::generated::make_directory, files::explain};

/// Copies a tree, except everything called `.git`: a repository within the corpus would end the
/// reach of its ignore rules, and what a repository remembers is not to be searched. Pipes, sockets
/// and devices stay behind.
///
/// # Errors
///
/// As the system says, with the path.
pub(super) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    make_directory(to)?;
    for entry in fs::read_dir(from).map_err(|error| explain(from, &error))? {
        let entry = entry.map_err(|error| explain(from, &error))?;
        if entry.file_name() == ".git" {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(|error| explain(&entry.path(), &error))?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            copy_entry(&entry, &target).map_err(|error| explain(&entry.path(), &error))?;
        }
    }
    Ok(())
}

fn copy_entry(entry: &DirEntry, target: &Path) -> io::Result<()> {
    let source = entry.path();
    let file_type = entry.file_type()?;
    if file_type.is_symlink() {
        symlink(fs::read_link(&source)?, target)
    } else if !file_type.is_file() || fs::hard_link(&source, target).is_ok() {
        Ok(())
    } else {
        // Another file system, one without hard links, or a file that is not the user's.
        fs::copy(&source, target).map(drop)
    }
}

/// Replaces the contents of a file that may be a hard link, without changing the other end of it.
///
/// # Errors
///
/// As the system says, with the path.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    fs::remove_file(path)
        .and_then(|()| fs::write(path, text))
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(0o644)))
        .map_err(|error| explain(path, &error))
}
