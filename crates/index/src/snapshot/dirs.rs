//! Directories of a snapshot in memory, and their entries.

use std::path::Path;

use super::layout::{DirRecord, EntryKind, EntryRecord, NO_NUMBER, RawDir, RawEntry};
use crate::{numbers::u32_at, pages::PageBytes, stamp::Stamp};

/// Some directories of a snapshot, in memory; by default none.
#[derive(Default)]
pub struct Dirs {
    pub(super) first: u32,
    /// And of the next directory.
    pub(super) records: PageBytes,
    pub(super) first_entry: u32,
    /// And the next entry.
    pub(super) entries: PageBytes,
    pub(super) names_start: u32,
    pub(super) names: PageBytes,
}

/// A directory of a snapshot.
#[derive(Clone, Copy)]
pub struct Dir<'d> {
    dirs: &'d Dirs,
    record: &'d RawDir,
    /// The next directory's record.
    next: &'d RawDir,
}

/// An entry of a directory in a snapshot.
#[derive(Clone, Copy)]
pub struct DirEntry<'d> {
    /// Among all entries of the snapshot.
    pub(super) number: u32,
    record: &'d RawEntry,
    /// The next entry's record, which states where this entry's name ends.
    next: &'d RawEntry,
    dirs: &'d Dirs,
}

impl Dirs {
    /// Returns the directory with this number; `None` if it was not read.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<Dir<'_>> {
        let index = number.checked_sub(self.first)? as usize;
        let records: &[RawDir] = self.records.as_chunks().0;
        let [record, next] = records.get(index..)?.first_chunk()?;
        Some(Dir { dirs: self, record, next })
    }
}

impl Dirs {
    /// The name of an entry.
    pub(super) fn name_of(&self, entry: u32) -> Option<&[u8]> {
        let index = entry.checked_sub(self.first_entry)? as usize;
        let records: &[RawEntry] = self.entries.as_chunks().0;
        let [record, next] = records.get(index..)?.first_chunk()?;
        Some(DirEntry { number: entry, record, next, dirs: self }.name())
    }
}

impl<'d> Dir<'d> {
    /// The number of the directory's first entry, or of the next entry if it has none.
    pub(super) fn first_entry(&self) -> u32 {
        u32_at(self.record, DirRecord::FIRST_ENTRY_AT)
    }

    /// Returns the directory's entry in the directory that contains it.
    pub(super) fn entry(&self) -> u32 {
        u32_at(self.record, DirRecord::ENTRY_AT)
    }

    /// The stamp that it had before it was listed.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp::from_bytes(self.record)
    }

    /// The marks of the caller.
    #[must_use]
    pub fn marks(&self) -> u32 {
        u32_at(self.record, DirRecord::MARKS_AT)
    }

    /// The number of the directory that contains it; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<u32> {
        let parent = u32_at(self.record, DirRecord::PARENT_AT);
        (parent != NO_NUMBER).then_some(parent)
    }

    /// The first directory after this one that is not below it.
    #[must_use]
    pub fn end(&self) -> u32 {
        u32_at(self.record, DirRecord::END_AT)
    }

    /// The entries in the order in which they were listed.
    pub fn entries(&self) -> impl Iterator<Item = DirEntry<'d>> + use<'d> {
        let dirs = self.dirs;
        let records = dirs.entries.as_chunks::<{ EntryRecord::ENCODED_LEN }>().0;
        let [first, end] = [self.record, self.next].map(|it| u32_at(it, DirRecord::FIRST_ENTRY_AT));
        let at = |entry: u32| entry.saturating_sub(dirs.first_entry) as usize;
        // A record follows the last entry.
        let own = records.get(at(first)..=at(end)).unwrap_or_default();
        (first..)
            .zip(own.iter().zip(own.iter().skip(1)))
            .map(move |(number, (record, next))| DirEntry { number, record, next, dirs })
    }
}

impl<'d> DirEntry<'d> {
    /// The entry's name.
    #[must_use]
    pub fn name(&self) -> &'d [u8] {
        let (names, len) = self.name_and_more();
        &names[..len]
    }

    /// The entry's name with what follows it in memory, if anything does, and how long the name is:
    /// a caller may copy more than the name if that is simpler.
    #[must_use]
    #[inline]
    pub fn name_and_more(&self) -> (&'d [u8], usize) {
        let at = |name: u32| name.saturating_sub(self.dirs.names_start) as usize;
        // A NUL ends it.
        let [start, end] = [self.record, self.next].map(|record| at(EntryRecord::name_in(record)));
        let names = self.dirs.names.get(start..).unwrap_or_default();
        match end.checked_sub(start + 1) {
            Some(len) if len <= names.len() => (names, len),
            _ => (&[], 0),
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        EntryRecord::kind_in(self.record)
    }

    /// The entry's inode number, as it was listed.
    #[must_use]
    pub fn inode(&self) -> u64 {
        EntryRecord::inode_in(self.record)
    }

    /// The marks that the caller has given it.
    #[must_use]
    pub fn marks(&self) -> u8 {
        EntryRecord::marks_in(self.record)
    }

    /// The entry's number as a directory, if that was listed too.
    #[must_use]
    pub fn dir(&self) -> Option<u32> {
        self.target_of(EntryKind::Dir)
    }

    /// The entry's number as a file in the index, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<u32> {
        self.target_of(EntryKind::File)
    }

    /// The number in its record, if there is one and the entry has this kind.
    fn target_of(&self, kind: EntryKind) -> Option<u32> {
        let target = EntryRecord::target_in(self.record);
        (self.kind() == kind && target != NO_NUMBER).then_some(target)
    }
}

/// The paths of a snapshot's entries. All directories are in memory, but only the last path is: all
/// paths in a deep tree together can be much larger than the tree.
pub(super) struct EntryPaths<'d> {
    dirs: &'d Dirs,
    /// The number of the directory that contains the last entry.
    dir: u32,
    /// The directory's path, which ends with a slash.
    path: Vec<u8>,
    /// How long the path of each directory up to this one is.
    lens: Vec<usize>,
}

impl<'d> EntryPaths<'d> {
    /// `root` is the path of directory 0.
    pub(super) fn new(dirs: &'d Dirs, root: &Path) -> EntryPaths<'d> {
        let mut path = root.as_os_str().as_encoded_bytes().to_vec();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        let lens = vec![path.len()];
        EntryPaths { dirs, dir: 0, path, lens }
    }

    /// The absolute path to an entry, which comes after the last one. `None` if the snapshot is not
    /// what was written.
    pub(super) fn path_of(&mut self, entry: u32) -> Option<Vec<u8>> {
        // Every directory comes before those below it, and these before the next one beside it.
        while let Some(next) = self.dirs.get(self.dir + 1)
            && next.first_entry() <= entry
        {
            let len = *self.lens.get(next.parent()? as usize)?;
            self.path.truncate(len);
            self.path.extend_from_slice(self.dirs.name_of(next.entry())?);
            self.path.push(b'/');
            self.lens.push(self.path.len());
            self.dir += 1;
        }
        Some([&self.path, self.dirs.name_of(entry)?].concat())
    }
}
