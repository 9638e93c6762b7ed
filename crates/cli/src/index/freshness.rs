//! Whether a directory or a file is as an index has it. This is the only place that decides that.

use std::io;

use heist_index::Stamp;
use heist_walk::FileMetadata;
use heist_watch::Changes;

use super::stamp::stamp_of;

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
        let is_known = self.changes.as_ref().is_some_and(|changes| !changes.has_dir(number));
        is_known || look().is_ok_and(|now| self.is_same(then, &now))
    }

    /// Returns whether the file to which the snapshot gives this number, and which had this stamp,
    /// has the same contents. `look` returns what the system reports of it now.
    pub(super) fn is_file_unchanged(
        &self,
        number: u32,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        let is_known = self.changes.as_ref().is_some_and(|changes| !changes.has_file(number));
        is_known || look().is_ok_and(|now| self.is_same(then, &now))
    }

    fn is_same(&self, then: &Stamp, now: &FileMetadata) -> bool {
        now.id.device == self.device && stamp_of(now) == *then
    }
}
