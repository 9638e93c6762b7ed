//! The names found in a directory, or in a part of a very large one. One worker owns one listing and fills it again and
//! again, so that an entry costs a copy of its name and no allocation.

use std::ffi::CStr;

use crate::order::SortOrder;

/// What a directory entry is, as far as the listing tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A socket, pipe or device.
    Other,
    /// The file system does not say; somebody has to ask.
    Unknown,
}

/// One name in a [`Listing`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirEntry {
    /// The file's number on its device, 0 where the system has none.
    pub(crate) inode: u64,
    at: u32,
    len: u16,
    /// What it is.
    pub(crate) kind: Kind,
}

impl DirEntry {
    /// Where it stands in its listing: grows from entry to entry, as long as they have not been sorted.
    pub(crate) fn position(self) -> u64 {
        self.at.into()
    }
}

/// A listed name, ready to be handed to the system: made into a C string only where it is, since that takes a look at
/// every byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    with_nul: &'a [u8],
}

impl<'a> Name<'a> {
    pub(crate) fn bytes(self) -> &'a [u8] {
        &self.with_nul[..self.with_nul.len() - 1]
    }

    pub(crate) fn c_str(self) -> &'a CStr {
        // Names come in as C strings, so the one NUL is at the end.
        CStr::from_bytes_with_nul(self.with_nul).unwrap_or_default()
    }
}

/// Names with their kinds.
#[derive(Debug)]
pub(crate) struct Listing {
    /// Every name, followed by a NUL.
    names: Vec<u8>,
    entries: Vec<DirEntry>,
    /// Bytes of names after which it counts as full.
    room: usize,
}

impl Default for Listing {
    fn default() -> Listing {
        Listing { names: Vec::new(), entries: Vec::new(), room: Listing::FULL }
    }
}

impl Listing {
    /// Bytes of names after which a listing counts as full, and the rest of the directory as another chunk. Bounds the
    /// memory that a directory of a million entries takes; ordinary directories stay far below it.
    const FULL: usize = 128 << 10;

    /// The same for a listing that is to be sorted, and has to be complete for that: all that offsets can tell apart. No
    /// directory is known to have names of 2 GiB; one that had would be sorted in pieces.
    const FULL_SORTED: usize = 2 << 30;

    /// A listing that takes whole directories.
    pub(crate) fn whole() -> Listing {
        Listing { room: Listing::FULL_SORTED, ..Listing::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.entries.clear();
    }

    pub(crate) fn is_full(&self) -> bool {
        self.names.len() >= self.room
    }

    pub(crate) fn push(&mut self, name: &CStr, kind: Kind, inode: u64) {
        let at = self.names.len() as u32;
        let bytes = name.to_bytes_with_nul();
        self.names.extend_from_slice(bytes);
        self.entries.push(DirEntry { inode, at, len: (bytes.len() - 1) as u16, kind });
    }

    /// How many bytes of names it holds: what positions in what follows begin at.
    pub(crate) fn names_len(&self) -> u64 {
        self.names.len() as u64
    }

    /// Sort the entries by name, or the other way round. A name that the system told twice, because its entry moved while
    /// it was read, is left once: keys of files are made of names, and no two may be the same.
    pub(crate) fn sort(&mut self, order: SortOrder) {
        let Listing { names, entries, .. } = self;
        let name = |entry: &DirEntry| &names[entry.at as usize..][..usize::from(entry.len)];
        match order {
            SortOrder::Names => entries.sort_unstable_by(|a, b| name(a).cmp(name(b))),
            SortOrder::NamesReversed => entries.sort_unstable_by(|a, b| name(b).cmp(name(a))),
            SortOrder::Listing => return,
        }
        entries.dedup_by(|a, b| name(a) == name(b));
    }

    pub(crate) fn entries(&self) -> &[DirEntry] {
        &self.entries
    }

    pub(crate) fn name(&self, entry: DirEntry) -> Name<'_> {
        Name { with_nul: &self.names[entry.at as usize..][..usize::from(entry.len) + 1] }
    }

    /// A listing of `entries` of this one, for another worker.
    pub(crate) fn cut(&self, entries: &[DirEntry]) -> Listing {
        let mut slice = Listing::default();
        for &entry in entries {
            slice.push(self.name(entry).c_str(), entry.kind, entry.inode);
        }
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_told_once() {
        for (order, sorted) in [
            (SortOrder::Names, &["a", "a b", "b"][..]),
            (SortOrder::NamesReversed, &["b", "a b", "a"]),
            (SortOrder::Listing, &["b", "a", "a b", "a"]),
        ] {
            let mut listing = Listing::whole();
            for name in [c"b", c"a", c"a b", c"a"] {
                listing.push(name, Kind::File, 1);
            }
            listing.sort(order);
            let name =
                |entry: &DirEntry| String::from_utf8_lossy(listing.name(*entry).bytes()).into();
            let names: Vec<String> = listing.entries().iter().map(name).collect();
            assert_eq!(names, sorted);
        }
    }
}
