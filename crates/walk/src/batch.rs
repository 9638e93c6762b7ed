//! The files in one chunk or slice, as entries.

use std::sync::Arc;

use crate::{
    descriptors::Handle,
    entry::Entry,
    listing::{DirEntry, FileType, Name},
    opened::Opened,
    sort_order::{KeyParts, SortOrder},
    sys::{OpenFile, System},
};

/// What the files in a chunk or slice have in common.
pub(crate) struct Batch<'a, 'run, S: System> {
    pub(crate) handle: &'a Arc<Handle<'run, S>>,
    /// Opens the files.
    pub(crate) opener: &'a dyn OpenFile,
    pub(crate) path: &'a [u8],
    /// The files' depth.
    pub(crate) depth: usize,
    pub(crate) key: &'a [u8],
    /// The first entry's position.
    pub(crate) base: u64,
}

impl<'a, 'run, S: System> Batch<'a, 'run, S> {
    pub(crate) fn of(
        opened: &'a Opened<'run, S>,
        handle: &'a Arc<Handle<'run, S>>,
    ) -> Batch<'a, 'run, S> {
        let Opened { dir, base, .. } = opened;
        let opener = handle.opener();
        Batch { handle, opener, path: &dir.path, depth: dir.depth + 1, key: &dir.key, base: *base }
    }

    #[inline]
    pub(crate) fn entry(
        &self,
        entry: DirEntry,
        name: Name<'a>,
        file_type: FileType,
        order: Option<SortOrder>,
    ) -> Entry<'a> {
        let key = KeyParts { order, dir: self.key, position: self.base + entry.position() };
        Entry::listed(self.opener, self.path, name, self.depth, file_type, entry.number(), key)
    }
}
