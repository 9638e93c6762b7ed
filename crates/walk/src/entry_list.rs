//! Entries that are kept to be visited later, by the hundred thousand.

use std::cmp::Ordering;

use crate::{
    entry::{Entry, Origin},
    listing::FileType,
    sort_order::{KeyParts, SortOrder},
};

/// Entries that do not borrow from the walk, to be visited later.
///
/// A list takes a fifth of the memory that as many [`OwnedEntry`](crate::OwnedEntry)s take with
/// their keys, and no allocation for each: names stand one behind the other, and what entries have
/// in common that are added one after the other is stored once.
#[derive(Debug, Default)]
pub struct EntryList {
    dirs: Vec<Directory>,
    names: Vec<u8>,
    entries: Vec<ListedEntry>,
}

/// What some adjacent entries in a list have in common.
#[derive(Debug)]
struct Directory {
    origin: Origin,
    path: Box<[u8]>,
    order: Option<SortOrder>,
    key: Box<[u8]>,
    /// The entries' depth.
    depth: usize,
}

/// An entry of the list, without what it has in common with adjacent ones.
#[derive(Clone, Copy, Debug)]
struct ListedEntry {
    /// Where the entry's name ends. The name begins where the previous entry's name ends.
    name_end: usize,
    /// See [`KeyParts`].
    position: u64,
    /// The entry's directory, by its index. 2^32 directories would not fit into memory.
    dir: u32,
    file_type: Option<FileType>,
}

impl EntryList {
    /// Adds an entry.
    pub fn push(&mut self, entry: &Entry<'_>) {
        let key = entry.key_parts();
        if !self.dirs.last().is_some_and(|dir| dir.contains(entry)) {
            self.dirs.push(Directory {
                origin: entry.origin(),
                path: entry.dir().into(),
                order: key.order,
                key: key.dir.into(),
                depth: entry.depth(),
            });
        }
        self.names.extend_from_slice(entry.name());
        self.entries.push(ListedEntry {
            name_end: self.names.len(),
            position: key.position,
            dir: (self.dirs.len() - 1) as u32,
            file_type: entry.known_type(),
        });
    }

    /// Returns how many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry with this index as a visitor receives it. `key` becomes its key; a caller
    /// that does not sort passes an empty one.
    ///
    /// # Panics
    /// There is no such entry.
    #[must_use]
    pub fn entry<'a>(&'a self, index: usize, key: &'a [u8]) -> Entry<'a> {
        let (dir, kept) = self.parts(index);
        let (name, key) = (self.name(index), KeyParts::whole(key));
        Entry::kept(&dir.origin, &dir.path, name, dir.depth, kept.file_type, key)
    }

    /// Compares the keys that two entries had in their walk, as bytes. The other one may be in
    /// another list of the same walk.
    ///
    /// # Panics
    /// There is no such entry.
    #[must_use]
    pub fn cmp_keys(&self, index: usize, other: &EntryList, other_index: usize) -> Ordering {
        let (key, other_key) = (self.key_parts(index), other.key_parts(other_index));
        key.cmp(self.name(index), &other_key, other.name(other_index))
    }

    fn parts(&self, index: usize) -> (&Directory, ListedEntry) {
        let kept = self.entries[index];
        (&self.dirs[kept.dir as usize], kept)
    }

    fn name(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.entries[index - 1].name_end };
        &self.names[start..self.entries[index].name_end]
    }

    fn key_parts(&self, index: usize) -> KeyParts<'_> {
        let (dir, kept) = self.parts(index);
        KeyParts { order: dir.order, dir: &dir.key, position: kept.position }
    }
}

impl Directory {
    /// Whether an entry is in this directory. A root has no other entries.
    fn contains(&self, entry: &Entry<'_>) -> bool {
        let KeyParts { order, dir: key, .. } = entry.key_parts();
        matches!((&self.origin, entry.origin()), (Origin::Path, Origin::Path))
            && *self.path == *entry.dir()
            && self.depth == entry.depth()
            && self.order == order
            && *self.key == *key
    }
}
