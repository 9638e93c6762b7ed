//! How a snapshot is laid out.
//!
//! ```text
//! directories · entries · links · names · sources · source paths · visits · context
//!                                                                pages with checksums
//! checksums of the pages
//! trailer
//! ```
//!
//! | part | contents |
//! |---|---|
//! | directories | a [`DirRecord`] each, every directory before those below it, and one to end |
//! | entries | an [`EntryRecord`] each, a directory's entries as they were listed, and one to end |
//! | links | a [`LinkRecord`] for each entry that is a file of the index, sorted |
//! | names | of the entries, each with a NUL at its end |
//! | sources | a [`SourceRecord`] for each file that decides what is ignored, sorted |
//! | source paths | of these, each with a NUL at its end; empty for one that is an entry |
//! | visits | a bit for each directory: whether it, or one below, is always visited |
//! | context | bytes of the caller |

use std::ops::Range;

use crate::{
    numbers::{u32_at, u64_at},
    stamp::Stamp,
    trailer::FileFormat,
};

/// The format that snapshots have.
pub(super) const SNAPSHOT: FileFormat<8> = FileFormat { magic: *b"heisttre", version: 6 };

/// Stands for no directory, or no file.
pub(super) const NO_NUMBER: u32 = u32::MAX;

/// Where a snapshot's parts are.
#[derive(Clone, Debug)]
pub(super) struct SnapshotParts {
    pub(super) dirs: Range<u64>,
    pub(super) entries: Range<u64>,
    pub(super) links: Range<u64>,
    pub(super) names: Range<u64>,
    pub(super) sources: Range<u64>,
    pub(super) source_paths: Range<u64>,
    pub(super) visits: Range<u64>,
    pub(super) context: Range<u64>,
}

impl From<[Range<u64>; 8]> for SnapshotParts {
    fn from(parts: [Range<u64>; 8]) -> SnapshotParts {
        let [dirs, entries, links, names, sources, source_paths, visits, context] = parts;
        SnapshotParts { dirs, entries, links, names, sources, source_paths, visits, context }
    }
}

impl From<SnapshotParts> for [Range<u64>; 8] {
    fn from(parts: SnapshotParts) -> [Range<u64>; 8] {
        let SnapshotParts { dirs, entries, links, names, sources, source_paths, visits, context } =
            parts;
        [dirs, entries, links, names, sources, source_paths, visits, context]
    }
}

/// A directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DirRecord {
    pub(super) stamp: Stamp,
    /// The directory that contains it; [`NO_NUMBER`] for the root.
    pub(super) parent: u32,
    /// The directory's entry in `parent`.
    pub(super) entry: u32,
    /// The directory's first entry. Its entries end where the next directory's begin.
    pub(super) first_entry: u32,
    /// The first directory that is not below this one.
    pub(super) end: u32,
    pub(super) marks: u32,
}

impl DirRecord {
    pub(super) const ENCODED_LEN: usize = Stamp::ENCODED_LEN + 5 * 4;
    /// Where the directory's entry number stands in the record.
    pub(super) const ENTRY_AT: usize = Stamp::ENCODED_LEN + 4;
    /// Where the number of the directory that contains this one stands.
    pub(super) const PARENT_AT: usize = Stamp::ENCODED_LEN;
    /// Where the number of its first entry stands.
    pub(super) const FIRST_ENTRY_AT: usize = Stamp::ENCODED_LEN + 2 * 4;
    /// Where the number of the first directory that is not below it stands.
    pub(super) const END_AT: usize = Stamp::ENCODED_LEN + 3 * 4;
    /// Where its marks stand.
    pub(super) const MARKS_AT: usize = Stamp::ENCODED_LEN + 4 * 4;

    pub(super) fn to_bytes(self) -> [u8; DirRecord::ENCODED_LEN] {
        let mut bytes = [0; DirRecord::ENCODED_LEN];
        bytes[..Stamp::ENCODED_LEN].copy_from_slice(&self.stamp.to_bytes());
        let numbers = [self.parent, self.entry, self.first_entry, self.end, self.marks];
        for (bytes, number) in bytes[Stamp::ENCODED_LEN..].chunks_exact_mut(4).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> DirRecord {
        let number = |index: usize| u32_at(bytes, Stamp::ENCODED_LEN + 4 * index);
        DirRecord {
            stamp: Stamp::from_bytes(bytes),
            parent: number(0),
            entry: number(1),
            first_entry: number(2),
            end: number(3),
            marks: number(4),
        }
    }
}

/// A [`DirRecord`] as bytes. Fields are taken out when they are needed, as with a [`RawEntry`].
pub(super) type RawDir = [u8; DirRecord::ENCODED_LEN];

/// What an entry in a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// Something else, such as a socket.
    Other,
    /// The system did not report what it is.
    Unknown,
}

impl EntryKind {
    fn number(self) -> u8 {
        match self {
            EntryKind::File => 0,
            EntryKind::Dir => 1,
            EntryKind::Symlink => 2,
            EntryKind::Other => 3,
            EntryKind::Unknown => 4,
        }
    }

    fn of(number: u8) -> EntryKind {
        match number {
            0 => EntryKind::File,
            1 => EntryKind::Dir,
            2 => EntryKind::Symlink,
            3 => EntryKind::Other,
            _ => EntryKind::Unknown,
        }
    }
}

/// An entry in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryRecord {
    /// Where its name begins.
    pub(super) name: u32,
    /// The entry's number as a directory or as a file in the index; [`NO_NUMBER`] if it is neither.
    pub(super) target: u32,
    pub(super) kind: EntryKind,
    pub(super) marks: u8,
    pub(super) inode: u64,
}

impl EntryRecord {
    pub(super) const ENCODED_LEN: usize = 20;

    pub(super) fn to_bytes(self) -> [u8; EntryRecord::ENCODED_LEN] {
        let mut bytes = [0; EntryRecord::ENCODED_LEN];
        bytes[..4].copy_from_slice(&self.name.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.target.to_le_bytes());
        bytes[8..10].copy_from_slice(&[self.kind.number(), self.marks]);
        bytes[12..].copy_from_slice(&self.inode.to_le_bytes());
        bytes
    }

    /// Where its name begins, in an entry's record.
    pub(super) fn name_in(record: &RawEntry) -> u32 {
        u32_at(record, 0)
    }

    /// The directory or the file that the entry is, in its record.
    pub(super) fn target_in(record: &RawEntry) -> u32 {
        u32_at(record, 4)
    }

    /// What kind of entry it is, in its record.
    pub(super) fn kind_in(record: &RawEntry) -> EntryKind {
        EntryKind::of(record[8])
    }

    /// The entry's marks, in its record.
    pub(super) fn marks_in(record: &RawEntry) -> u8 {
        record[9]
    }

    /// The entry's inode number, in its record.
    pub(super) fn inode_in(record: &RawEntry) -> u64 {
        u64_at(record, 12)
    }
}

/// An [`EntryRecord`] as bytes. Fields are taken out when they are needed: a list needs only some
/// fields, but from every entry.
pub(super) type RawEntry = [u8; EntryRecord::ENCODED_LEN];

/// States that an entry is a file in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinkRecord {
    pub(super) file: u32,
    pub(super) dir: u32,
    pub(super) entry: u32,
}

impl LinkRecord {
    pub(super) const ENCODED_LEN: usize = 12;

    pub(super) fn to_bytes(self) -> [u8; LinkRecord::ENCODED_LEN] {
        let mut bytes = [0; LinkRecord::ENCODED_LEN];
        for (bytes, number) in bytes.chunks_exact_mut(4).zip([self.file, self.dir, self.entry]) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> LinkRecord {
        let [file, dir, entry] = [0, 4, 8].map(|at| u32_at(bytes, at));
        LinkRecord { file, dir, entry }
    }
}

/// A file that decides what is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceRecord {
    /// The entry that it is; [`NO_NUMBER`] if no directory here has it.
    pub(super) entry: u32,
    /// [`Stamp::NONE`] if it did not exist, or if its stamp proves nothing.
    pub(super) stamp: Stamp,
}

impl SourceRecord {
    pub(super) const ENCODED_LEN: usize = 4 + Stamp::ENCODED_LEN;

    pub(super) fn to_bytes(self) -> [u8; SourceRecord::ENCODED_LEN] {
        let mut bytes = [0; SourceRecord::ENCODED_LEN];
        bytes[..4].copy_from_slice(&self.entry.to_le_bytes());
        bytes[4..].copy_from_slice(&self.stamp.to_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> SourceRecord {
        SourceRecord { entry: u32_at(bytes, 0), stamp: Stamp::from_bytes(&bytes[4..]) }
    }
}
