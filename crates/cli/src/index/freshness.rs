//! Whether a directory, a file or a rule file is as an index has it. This is the only place that
//! decides that.

use std::io;

use heist_index::Stamp;
use heist_walk::FileMetadata;
use heist_watch::Changes;

/// Decides whether directories and files are as the index of a tree has them.
#[derive(Debug)]
pub(super) struct Freshness {
    /// The device of the tree. An index covers no other.
    pub(super) device: u64,
    /// Whether the stamps of directories prove which names they have.
    pub(super) trusts_dirs: bool,
    /// What may have changed, from the process that watches the tree. All else has the stamp that
    /// it has in the index.
    pub(super) changes: Option<Changes>,
}

/// What a snapshot has a number for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbered {
    /// A directory.
    Dir(u32),
    /// A file that the index covers.
    File(u32),
    /// A file that decides what is ignored.
    RuleFile(u32),
}

impl Freshness {
    /// Returns whether the directory, file or rule file `numbered`, which had the stamp `then`, has
    /// the same entries or contents. `look` returns what the system reports of it now.
    pub(super) fn is_unchanged(
        &self,
        numbered: Numbered,
        then: &Stamp,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        if !self.trusts_dirs && matches!(numbered, Numbered::Dir(_)) {
            return false;
        }
        let may_have_changed = |changes: &Changes| match numbered {
            Numbered::Dir(number) => changes.has_dir(number),
            Numbered::File(number) => changes.has_file(number),
            Numbered::RuleFile(number) => changes.has_source(number),
        };
        let is_known = self.changes.as_ref().is_some_and(|changes| !may_have_changed(changes));
        let is_same = |now: FileMetadata| now.id.device == self.device && stamp_of(&now) == *then;
        is_known || look().is_ok_and(is_same)
    }
}

/// What the system reports of a file that changes whenever its contents do.
pub(crate) fn stamp_of(metadata: &FileMetadata) -> Stamp {
    let FileMetadata { id, size, mode, modified, changed } = *metadata;
    Stamp::new(id.inode, size, mode, modified, changed)
}
