//! Symbolic links, which not every user of Windows may create.

use std::{io, path::Path};

use skipped_tests::skip;

#[cfg(unix)]
pub(super) use std::os::unix::fs::symlink;

/// Creates a link to a directory if the target is one, and otherwise to a file.
#[cfg(windows)]
pub(super) fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    use std::os::windows::fs::{symlink_dir, symlink_file};
    let (target, link) = (target.as_ref(), link.as_ref());
    let is_dir = link.parent().is_some_and(|parent| parent.join(target).is_dir());
    if is_dir { symlink_dir(target, link) } else { symlink_file(target, link) }
}

/// Whether links can be created. Reports that the test is skipped otherwise.
pub(super) fn has_links() -> bool {
    let temp = tempfile::tempdir().unwrap();
    let link = temp.path().join("link");
    let created: io::Result<()> = symlink("nowhere", &link);
    let has_links = created.is_ok() && Path::new(&link).is_symlink();
    if !has_links {
        skip(format_args!("symbolic links cannot be created: {created:?}"));
    }
    has_links
}
