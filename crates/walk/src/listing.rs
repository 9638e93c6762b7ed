//! A directory's entries as the system lists them, or a part of them if the directory is very
//! large. A worker owns one listing and refills it, so that an entry costs no allocation, only a
//! copy of its name.

use std::{ffi::CStr, fs};

use crate::sort_order::SortOrder;

/// What kind of file an [`Entry`](crate::Entry) is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileType {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link that the walk does not follow.
    Symlink,
    /// Anything else: a pipe, a socket, a device, standard input.
    Other,
}

impl From<fs::FileType> for FileType {
    fn from(file_type: fs::FileType) -> FileType {
        if file_type.is_file() {
            FileType::File
        } else if file_type.is_dir() {
            FileType::Dir
        } else if file_type.is_symlink() {
            FileType::Symlink
        } else {
            FileType::Other
        }
    }
}

/// The attributes that a listing reports about an entry. Only Windows has one that matters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes {
    /// `FILE_ATTRIBUTE_HIDDEN`.
    #[cfg(windows)]
    pub(crate) hidden: bool,
}

impl Attributes {
    /// Whether the file system marks the entry as hidden, whatever its name is. Known to be false
    /// when the program is compiled for a system without such a mark.
    #[inline]
    pub(crate) fn is_hidden(self) -> bool {
        #[cfg(windows)]
        return self.hidden;
        #[cfg(not(windows))]
        false
    }
}

/// What a walk may do with an entry in a [known directory](crate::KnownDirs) to save work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shortcut {
    /// The walk treats the entry like any other.
    #[default]
    None,
    /// The entry is a known directory below which all is as it is known, and was judged by the same
    /// rules if they are the same here. Such a directory may be visited
    /// [whole](crate::DirVisitor::whole).
    Whole,
    /// The entry is a file with a number that visitors have no use for. The walk skips it if
    /// [it has not changed](crate::KnownDirs::skips_file).
    SkipUnchanged,
}

/// An entry in a directory that was listed.
#[derive(Clone, Copy, Debug)]
pub struct KnownEntry<'a> {
    /// The entry's name.
    pub name: &'a [u8],
    /// The entry's type; `None` if it has to be examined.
    pub file_type: Option<FileType>,
    /// The entry's inode number, as it was listed.
    pub inode: u64,
    /// The number of the directory that it is, if that is known, or the one that
    /// [`KnownDirs`](crate::KnownDirs) has for a file, see [`Entry::number`](crate::Entry::number).
    pub number: Option<u32>,
    /// Whether it was wanted, if it was judged.
    pub is_wanted: Option<bool>,
    /// What the walk may do with it.
    pub shortcut: Shortcut,
}

/// One entry of a [`Listing`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirEntry {
    /// The inode number, 0 if the system has none.
    pub(crate) inode: u64,
    at: u32,
    /// The entry's number in a known directory, or [`DirEntry::UNKNOWN`].
    number: u32,
    len: u16,
    /// `None` if the file system does not report types, so that the file must be examined.
    pub(crate) file_type: Option<FileType>,
    /// The rules' verdict, if it is known.
    pub(crate) is_wanted: Option<bool>,
    pub(crate) shortcut: Shortcut,
    pub(crate) attributes: Attributes,
}

impl DirEntry {
    /// Stands for no number.
    const UNKNOWN: u32 = u32::MAX;

    /// An entry about which only the system's listing is known.
    fn new(at: u32, len: u16, file_type: Option<FileType>, inode: u64) -> DirEntry {
        let (number, is_wanted, shortcut) = (DirEntry::UNKNOWN, None, Shortcut::None);
        let attributes = Attributes::default();
        DirEntry { inode, at, number, len, file_type, is_wanted, shortcut, attributes }
    }

    /// The entry's number, if the directory is known.
    pub(crate) fn number(self) -> Option<u32> {
        (self.number != DirEntry::UNKNOWN).then_some(self.number)
    }

    /// Whether the listing reports a regular file that is not marked as hidden.
    pub(crate) fn is_plain_file(self) -> bool {
        self.file_type == Some(FileType::File) && !self.attributes.is_hidden()
    }

    /// Where the name stands in its listing: increases from entry to entry until they are sorted.
    pub(crate) fn position(self) -> u64 {
        self.at.into()
    }
}

/// The name of an entry, stored as the system takes it. Converted to a C string only when it is
/// passed to the system, because the conversion checks every byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    with_nul: &'a [u8],
}

impl<'a> Name<'a> {
    pub(crate) fn bytes(self) -> &'a [u8] {
        &self.with_nul[..self.with_nul.len() - 1]
    }

    pub(crate) fn c_str(self) -> &'a CStr {
        // Names come from C strings, so the only NUL is at the end.
        CStr::from_bytes_with_nul(self.with_nul).unwrap_or_default()
    }
}

/// A directory's entries, or one chunk of them.
#[derive(Debug)]
pub(crate) struct Listing {
    /// Every name, followed by a NUL.
    names: Vec<u8>,
    entries: Vec<DirEntry>,
    /// The listing is full once it holds this many bytes of names.
    max_bytes: usize,
}

impl Default for Listing {
    fn default() -> Listing {
        Listing { names: Vec::new(), entries: Vec::new(), max_bytes: Listing::CHUNK_BYTES }
    }
}

impl Listing {
    /// How many bytes of names a chunk holds. Bounds the memory that a directory with a million
    /// entries takes; ordinary directories are far smaller.
    const CHUNK_BYTES: usize = 128 << 10;

    /// How many bytes of names a listing holds that is to be sorted, and so must be complete: as
    /// much as the entries' offsets can address. A directory with more than 2 GiB of names would be
    /// sorted in pieces.
    const WHOLE_BYTES: usize = 2 << 30;

    /// A listing that takes whole directories.
    pub(crate) fn whole() -> Listing {
        Listing { max_bytes: Listing::WHOLE_BYTES, ..Listing::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.entries.clear();
    }

    pub(crate) fn is_full(&self) -> bool {
        self.names.len() >= self.max_bytes
    }

    pub(crate) fn push(
        &mut self,
        name: &CStr,
        file_type: Option<FileType>,
        inode: u64,
        attributes: Attributes,
    ) {
        let at = self.names.len() as u32;
        let bytes = name.to_bytes_with_nul();
        self.names.extend_from_slice(bytes);
        let len = (bytes.len() - 1) as u16;
        let entry = DirEntry::new(at, len, file_type, inode);
        self.entries.push(DirEntry { attributes, ..entry });
    }

    /// Adds an entry from a known directory.
    pub(crate) fn push_known(&mut self, known: &KnownEntry<'_>) {
        let KnownEntry { name, file_type, inode, number, is_wanted, shortcut } = *known;
        let (at, len) = (self.names.len() as u32, name.len() as u16);
        self.names.extend_from_slice(name);
        self.names.push(0);
        let number = number.unwrap_or(DirEntry::UNKNOWN);
        let entry = DirEntry::new(at, len, file_type, inode);
        self.entries.push(DirEntry { number, is_wanted, shortcut, ..entry });
    }

    /// How many bytes all names have: the positions in the next chunk start from here.
    pub(crate) fn names_len(&self) -> u64 {
        self.names.len() as u64
    }

    /// Sorts the entries by name, ascending or descending. A name that the system returned twice,
    /// because the entry moved during the listing, is kept once: keys consist of names and must be
    /// unique.
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

    /// A listing with some of these entries, for another worker.
    pub(crate) fn cut(&self, entries: &[DirEntry]) -> Listing {
        let mut slice = Listing::default();
        for &entry in entries {
            let at = slice.names.len() as u32;
            slice.names.extend_from_slice(self.name(entry).with_nul);
            slice.entries.push(DirEntry { at, ..entry });
        }
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        for (order, sorted) in [
            (SortOrder::Names, &["a", "a b", "b"][..]),
            (SortOrder::NamesReversed, &["b", "a b", "a"]),
            (SortOrder::Listing, &["b", "a", "a b", "a"]),
        ] {
            let mut listing = Listing::whole();
            for name in [c"b", c"a", c"a b", c"a"] {
                listing.push(name, Some(FileType::File), 1, Attributes::default());
            }
            listing.sort(order);
            let name =
                |entry: &DirEntry| String::from_utf8_lossy(listing.name(*entry).bytes()).into();
            let names: Vec<String> = listing.entries().iter().map(name).collect();
            assert_eq!(names, sorted);
        }
    }
}
