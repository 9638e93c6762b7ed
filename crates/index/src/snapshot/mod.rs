//! A snapshot: the directories of a tree as they were listed, so that one that has not changed need
//! not be listed again, nor its entries be judged.
//!
//! Directories are numbered so that those below a directory follow it. A part of the tree is
//! therefore read with a few long reads.

mod build;
mod dirs;
mod layout;
mod places;
mod rule_files;
mod visits;

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    bit_set::BitSet,
    error::Error,
    layout::count_in,
    manifest::FileInfo,
    numbers::u32_at,
    pages::{LazyPart, PageBytes, PageReader, partition_point},
    stamp::Stamp,
};

pub use build::SnapshotBuilder;
use dirs::EntryPaths;
pub use dirs::{Dir, DirEntry, Dirs};
pub use layout::EntryKind;
use layout::{
    DirRecord, EntryRecord, LinkRecord, NO_NUMBER, RawEntry, SNAPSHOT, SnapshotParts, SourceRecord,
};
pub use places::Places;
pub use rule_files::RuleFiles;
pub use visits::EntryFacts;

/// How much is reserved at most for each part of a snapshot. It limits address space, not memory.
const MAX_ROOM: u64 = 4 << 20;

/// A tree's directories as they were listed.
///
/// What is stored about a directory is true as long as the directory has this [stamp](Dir::stamp).
#[derive(Debug)]
pub struct Snapshot {
    /// Directory 0's path.
    root: PathBuf,
    pages: Arc<PageReader>,
    parts: SnapshotParts,
}

impl Snapshot {
    /// Opens the file at `path`, a snapshot of `root`.
    pub(crate) fn open(path: &Path, info: FileInfo, root: &Path) -> Result<Snapshot, Error> {
        let (pages, parts) = SNAPSHOT.open(path, info.len, info.checksum)?;
        Ok(Snapshot { root: root.to_owned(), pages: Arc::new(pages), parts: parts.into() })
    }

    /// How many directories there are; directory 0 is the root.
    #[must_use]
    pub fn dirs(&self) -> u32 {
        count_in(&self.parts.dirs, DirRecord::ENCODED_LEN).saturating_sub(1)
    }

    /// Reads some directories with their entries.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn read(&self, dirs: Range<u32>) -> Result<Dirs, Error> {
        self.read_again(dirs, Dirs::default())
    }

    /// Reads directories as [`read`](Self::read) does, into the memory of `old`, which are no
    /// longer needed. Memory that has been used costs less than new memory.
    ///
    /// # Errors
    /// Likewise.
    pub fn read_again(&self, dirs: Range<u32>, old: Dirs) -> Result<Dirs, Error> {
        let range =
            self.range(&self.parts.dirs, dirs.start..dirs.end + 1, DirRecord::ENCODED_LEN)?;
        let records = self.pages.read_again(range, old.records)?;
        let first_entry = |bytes: &[u8]| u32_at(bytes, DirRecord::FIRST_ENTRY_AT);
        let first = first_entry(&records);
        let last = first_entry(&records[records.len() - DirRecord::ENCODED_LEN..]);
        let range = self.range(&self.parts.entries, first..last + 1, EntryRecord::ENCODED_LEN)?;
        let entries = self.pages.read_again(range, old.entries)?;
        let name_at = |record: Option<&RawEntry>| record.map_or(0, EntryRecord::name_in);
        let raw = entries.as_chunks().0;
        let (names_start, names_end) = (name_at(raw.first()), name_at(raw.last()));
        let range = self.range(&self.parts.names, names_start..names_end, 1)?;
        let names = self.pages.read_again(range, old.names)?;
        Ok(Dirs { first: dirs.start, records, first_entry: first, entries, names_start, names })
    }

    /// Returns memory for any directories, or for most if they are very many, to be read
    /// [again](Self::read_again): if it grew with them, much of it would be new each time.
    #[must_use]
    pub fn room(&self) -> Dirs {
        let room = |part: &Range<u64>| {
            PageBytes::with_room((part.end - part.start).min(MAX_ROOM) as usize)
        };
        let [records, entries, names] =
            [&self.parts.dirs, &self.parts.entries, &self.parts.names].map(room);
        Dirs { records, entries, names, ..Dirs::default() }
    }

    /// Finds the directory with this path from the root, without `.` and `..`.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn find(&self, path: &Path) -> Result<Option<u32>, Error> {
        if self.dirs() == 0 {
            return Ok(None);
        }
        let mut found = 0;
        for name in path {
            let dirs = self.read(found..found + 1)?;
            let named = |entry: &DirEntry<'_>| entry.name() == name.as_encoded_bytes();
            match dirs.get(found).and_then(|dir| dir.entries().find(named)?.dir()) {
                // A directory is above those in it, also in a snapshot that is damaged.
                Some(dir) if dir > found && dir < self.dirs() => found = dir,
                _ => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    /// Returns the paths from the root of the file with this number; several if it has several
    /// names.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn paths(&self, file: u32) -> Result<Vec<Vec<u8>>, Error> {
        let count = count_in(&self.parts.links, LinkRecord::ENCODED_LEN);
        let link = |index: u32| -> Result<LinkRecord, Error> {
            let bytes =
                self.records(&self.parts.links, index..index + 1, LinkRecord::ENCODED_LEN)?;
            Ok(LinkRecord::from_bytes(&bytes))
        };
        let is_before = |index: usize| Ok::<_, Error>(link(index as u32)?.file < file);
        let start = partition_point(0..count as usize, is_before)?;
        let mut paths = Vec::new();
        for index in start as u32..count {
            let link = link(index)?;
            if link.file != file {
                break;
            }
            paths.push(self.path(link.dir, link.entry)?);
        }
        Ok(paths)
    }

    /// Returns the path from the root of a directory.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn dir_path(&self, dir: u32) -> Result<Vec<u8>, Error> {
        let record = self.records(&self.parts.dirs, dir..dir + 1, DirRecord::ENCODED_LEN)?;
        let record = DirRecord::from_bytes(&record);
        match record.parent {
            NO_NUMBER => Ok(Vec::new()),
            parent => self.path(parent, record.entry),
        }
    }

    /// The path of an entry in a directory.
    fn path(&self, dir: u32, entry: u32) -> Result<Vec<u8>, Error> {
        let (mut dir, mut entry) = (dir, entry);
        let mut names = Vec::new();
        loop {
            let range =
                self.records(&self.parts.entries, entry..entry + 2, EntryRecord::ENCODED_LEN)?;
            let name = |at: usize| EntryRecord::name_in(&range.as_chunks().0[at]);
            let name = name(0)..name(1).saturating_sub(1);
            names.push(self.records(&self.parts.names, name, 1)?);
            let record = self.records(&self.parts.dirs, dir..dir + 1, DirRecord::ENCODED_LEN)?;
            let record = DirRecord::from_bytes(&record);
            if record.parent == NO_NUMBER {
                break;
            }
            if record.parent >= dir {
                return Err(Error::Damaged("the order of directories"));
            }
            (dir, entry) = (record.parent, record.entry);
        }
        let mut path = Vec::new();
        for name in names.iter().rev() {
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(name);
        }
        Ok(path)
    }

    /// Returns the files that decided what is ignored.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn sources(&self) -> Result<Vec<RuleSource>, Error> {
        let paths = self.pages.read(self.parts.source_paths.clone())?;
        let records = self.pages.read(self.parts.sources.clone())?;
        let mut records =
            records.chunks_exact(SourceRecord::ENCODED_LEN).map(SourceRecord::from_bytes);
        let dirs = self.read(0..self.dirs())?;
        let mut entries = EntryPaths::new(&dirs, &self.root);
        let source = |path: &[u8]| {
            let (path, record) = (path.strip_suffix(b"\0")?, records.next()?);
            let stamp = (record.stamp != Stamp::NONE).then_some(record.stamp);
            let path = match record.entry {
                NO_NUMBER => path.to_vec(),
                entry => entries.path_of(entry)?,
            };
            Some(RuleSource { path, stamp })
        };
        let sources: Option<Vec<_>> =
            paths.split_inclusive(|&byte| byte == 0).map(source).collect();
        let sources = sources.filter(|_| records.next().is_none());
        sources.ok_or(Error::Damaged("the sources of rules"))
    }

    /// Reads the stamps of the files that decided what is ignored and are entries here.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn rule_files(&self) -> Result<RuleFiles, Error> {
        Ok(RuleFiles::new(self.pages.read(self.parts.sources.clone())?))
    }

    /// Returns each [source's](Self::sources) directory; `None` for a source that is no entry here.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn source_dirs(&self) -> Result<Vec<Option<u32>>, Error> {
        let dirs = self.records(&self.parts.dirs, 0..self.dirs() + 1, DirRecord::ENCODED_LEN)?;
        Ok(self.rule_files()?.dirs(dirs.as_chunks().0))
    }

    /// Reads which directories every search visits, whatever has changed: those that
    /// [`set_visits`](SnapshotBuilder::set_visits) has determined, and those above them.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn visits(&self) -> Result<BitSet, Error> {
        let mut visits = BitSet::none(self.dirs());
        let bytes = self.pages.read(self.parts.visits.clone())?;
        visits.set_bytes(&bytes).then_some(visits).ok_or(Error::Damaged("the length of a set"))
    }

    /// Returns where directories, files and rule files are. Nothing is read yet.
    ///
    /// # Errors
    /// The snapshot is not what was written.
    pub fn places(&self) -> Result<Places, Error> {
        let part = |part: &Range<u64>| LazyPart::new(&self.pages, part.clone());
        let [dirs, links, sources] =
            [part(&self.parts.dirs)?, part(&self.parts.links)?, part(&self.parts.sources)?];
        Ok(Places::new(dirs, links, sources))
    }

    /// Returns the bytes that the caller stored.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn context(&self) -> Result<Vec<u8>, Error> {
        Ok(self.pages.read(self.parts.context.clone())?.to_vec())
    }

    /// Checks every page.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.pages.check()
    }

    fn records(
        &self,
        part: &Range<u64>,
        numbers: Range<u32>,
        len: usize,
    ) -> Result<PageBytes, Error> {
        self.pages.read(self.range(part, numbers, len)?)
    }

    /// Where the records with these numbers are.
    fn range(
        &self,
        part: &Range<u64>,
        numbers: Range<u32>,
        len: usize,
    ) -> Result<Range<u64>, Error> {
        let at = |number: u32| part.start + u64::from(number) * len as u64;
        let range = at(numbers.start)..at(numbers.end);
        if range.start > range.end || range.end > part.end {
            return Err(Error::Damaged("a number"));
        }
        Ok(range)
    }
}

/// A file that decided what is ignored, or would have if it had existed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSource {
    /// The file's absolute path, as the caller wrote it.
    pub path: Vec<u8>,
    /// The stamp that it had; `None` if it did not exist, or if that proves nothing.
    pub stamp: Option<Stamp>,
}

impl RuleFiles {
    /// Returns the number of a file among the [sources](Snapshot::sources), and its stamp; `None`
    /// if the entry is no such file, or has none.
    #[must_use]
    pub fn find(&self, entry: &DirEntry<'_>) -> Option<(u32, Stamp)> {
        self.find_entry(entry.number)
    }
}

#[cfg(test)]
mod tests;
