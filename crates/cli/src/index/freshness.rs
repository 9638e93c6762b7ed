//! Whether a directory, a file or a rule file is as an index has it. This is the only place that
//! decides that.

use std::io;

use heist_index::{Stamp, nanoseconds};
use heist_walk::FileMetadata;
use heist_watch::Changes;

/// Decides whether directories and files are as the index of a tree has them.
#[derive(Debug)]
pub(super) struct Freshness {
    /// The device of the tree. An index covers no other.
    pub(super) device: u64,
    /// What may have changed, from the process that watches the tree. All else has the stamp that
    /// it has in the index.
    pub(super) changes: Option<Changes>,
}

impl Freshness {
    /// Returns whether the directory to which the snapshot gives this number, and gave this stamp,
    /// has the same entries. `look` returns what the system reports of it now.
    pub(super) fn is_dir_unchanged(
        &self,
        number: u32,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        self.is_unchanged(|changes| changes.has_dir(number), then, look)
    }

    /// Returns whether the file to which the snapshot gives this number, and which had this stamp,
    /// has the same contents. `look` returns what the system reports of it now.
    pub(super) fn is_file_unchanged(
        &self,
        number: u32,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        self.is_unchanged(|changes| changes.has_file(number), then, look)
    }

    /// Returns whether the file that decides what is ignored, to which the snapshot gives this
    /// number, and which had this stamp, has the same contents. `look` returns what the system
    /// reports of it now.
    pub(super) fn is_source_unchanged(
        &self,
        number: u32,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        self.is_unchanged(|changes| changes.has_source(number), then, look)
    }

    fn is_unchanged(
        &self,
        may_have_changed: impl FnOnce(&Changes) -> bool,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        let is_known = self.changes.as_ref().is_some_and(|changes| !may_have_changed(changes));
        let is_same = |now: FileMetadata| now.id.device == self.device && stamp_of(&now) == *then;
        is_known || look().is_ok_and(is_same)
    }
}

/// What the system reports of a file that changes whenever its contents do.
pub(crate) fn stamp_of(metadata: &FileMetadata) -> Stamp {
    let FileMetadata { id, size, mode, modified, changed } = *metadata;
    Stamp {
        inode: id.inode,
        size,
        mode,
        modified: nanoseconds(modified.0, modified.1),
        changed: nanoseconds(changed.0, changed.1),
    }
}
