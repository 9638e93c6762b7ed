//! Whether a directory or a file is as an index has it. This is the only place that decides that.

use std::io;

use heist_index::Stamp;
use heist_walk::FileMetadata;

use super::stamp::stamp_of;

/// Decides whether directories and files are as the index of a tree has them.
///
/// A process that watches the tree could decide it without a call to the system.
#[derive(Debug)]
pub(super) struct Freshness {
    /// The device of the tree. An index covers no other.
    pub(super) device: u64,
}

impl Freshness {
    /// Returns whether the directory to which the snapshot gives this number, and gave this stamp,
    /// has the same entries. `look` returns what the system reports of it now.
    pub(super) fn is_dir_unchanged(
        &self,
        _number: u32,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        look().is_ok_and(|now| self.is_same(then, &now))
    }

    /// Returns whether the file to which the snapshot gives this number, and which had this stamp,
    /// has the same contents. `look` returns what the system reports of it now.
    pub(super) fn is_file_unchanged(
        &self,
        _number: u32,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        look().is_ok_and(|now| self.is_same(then, &now))
    }

    fn is_same(&self, then: &Stamp, now: &FileMetadata) -> bool {
        now.id.device == self.device && stamp_of(now) == *then
    }
}
