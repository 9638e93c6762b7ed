//! A snapshot: the directories of a tree as they were listed, so that one that has not changed need
//! not be listed again, nor its entries be judged.
//!
//! Directories are numbered so that those below a directory follow it. A part of the tree is
//! therefore read with a few long reads.

mod build;
mod layout;
mod places;
mod rule_files;
mod visits;

use std::{ops::Range, path::Path, sync::Arc};

use crate::{
    bit_set::BitSet,
    error::Error,
    layout::count_in,
    manifest::FileInfo,
    pages::{LazyPart, PageBytes, PageReader, partition_point},
    stamp::Stamp,
};

pub use build::SnapshotBuilder;
pub use layout::EntryKind;
use layout::{
    DirRecord, EntryRecord, LinkRecord, NONE, RawEntry, SNAPSHOT, SnapshotParts, SourceRecord,
};
pub use places::Places;
pub use rule_files::RuleFiles;
pub use visits::EntryFacts;

/// The directories of a tree as they were listed.
///
/// What is stored of a directory is true as long as its [stamp](Dir::stamp) is that of the
/// directory now.
#[derive(Debug)]
pub struct Snapshot {
    pages: Arc<PageReader>,
    parts: SnapshotParts,
}

impl Snapshot {
    /// Opens the file at `path`.
    pub(crate) fn open(path: &Path, info: FileInfo) -> Result<Snapshot, Error> {
        let (pages, parts) = SNAPSHOT.open(path, info.len, info.checksum)?;
        Ok(Snapshot { pages: Arc::new(pages), parts: parts.into() })
    }

    /// How many directories there are; directory 0 is the root.
    #[must_use]
    pub fn dirs(&self) -> u32 {
        count_in(&self.parts.dirs, DirRecord::LEN).saturating_sub(1)
    }

    /// Reads some directories with their entries.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn read(&self, dirs: Range<u32>) -> Result<Dirs, Error> {
        let records = self.records(&self.parts.dirs, dirs.start..dirs.end + 1, DirRecord::LEN)?;
        let first_entry = |bytes: &[u8]| DirRecord::from_bytes(bytes).first_entry;
        let first = first_entry(&records);
        let last = first_entry(&records[records.len() - DirRecord::LEN..]);
        let entries = self.records(&self.parts.entries, first..last + 1, EntryRecord::LEN)?;
        let name_at = |record: Option<&RawEntry>| record.map_or(0, EntryRecord::name_in);
        let raw = entries.as_chunks().0;
        let (names_start, names_end) = (name_at(raw.first()), name_at(raw.last()));
        let names = self.records(&self.parts.names, names_start..names_end, 1)?;
        Ok(Dirs { first: dirs.start, records, first_entry: first, entries, names_start, names })
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
        let count = count_in(&self.parts.links, LinkRecord::LEN);
        let link = |index: u32| -> Result<LinkRecord, Error> {
            let bytes = self.records(&self.parts.links, index..index + 1, LinkRecord::LEN)?;
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
        let record = self.records(&self.parts.dirs, dir..dir + 1, DirRecord::LEN)?;
        let record = DirRecord::from_bytes(&record);
        match record.parent {
            NONE => Ok(Vec::new()),
            parent => self.path(parent, record.entry),
        }
    }

    /// The path of an entry of a directory.
    fn path(&self, dir: u32, entry: u32) -> Result<Vec<u8>, Error> {
        let (mut dir, mut entry) = (dir, entry);
        let mut names = Vec::new();
        loop {
            let range = self.records(&self.parts.entries, entry..entry + 2, EntryRecord::LEN)?;
            let name = |at: usize| EntryRecord::name_in(&range.as_chunks().0[at]);
            let name = name(0)..name(1).saturating_sub(1);
            names.push(self.records(&self.parts.names, name, 1)?);
            let record = self.records(&self.parts.dirs, dir..dir + 1, DirRecord::LEN)?;
            let record = DirRecord::from_bytes(&record);
            if record.parent == NONE {
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
        let mut records = records.chunks_exact(SourceRecord::LEN).map(SourceRecord::from_bytes);
        let source = |path: &[u8]| {
            let (path, record) = (path.strip_suffix(b"\0")?, records.next()?);
            let stamp = (record.stamp != Stamp::NONE).then_some(record.stamp);
            Some(RuleSource { path: path.to_vec(), stamp })
        };
        let sources: Option<Vec<_>> =
            paths.split_inclusive(|&byte| byte == 0).map(source).collect();
        let sources = sources.filter(|_| records.next().is_none());
        sources.ok_or(Error::Damaged("the sources of rules"))
    }

    /// Reads the stamps of those files that decided what is ignored and are entries here.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn rule_files(&self) -> Result<RuleFiles, Error> {
        Ok(RuleFiles::new(self.pages.read(self.parts.sources.clone())?))
    }

    /// Returns the directory of each of the [sources](Self::sources); `None` for one that is no
    /// entry here.
    ///
    /// # Errors
    /// The snapshot cannot be read, or is not what was written.
    pub fn source_dirs(&self) -> Result<Vec<Option<u32>>, Error> {
        let dirs = self.records(&self.parts.dirs, 0..self.dirs() + 1, DirRecord::LEN)?;
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

    /// Returns where directories, files and rule files are. No part of it is read yet.
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
        let at = |number: u32| part.start + u64::from(number) * len as u64;
        let range = at(numbers.start)..at(numbers.end);
        if range.start > range.end || range.end > part.end {
            return Err(Error::Damaged("a number"));
        }
        self.pages.read(range)
    }
}

/// A file that decided what is ignored, or would have if it had existed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSource {
    /// Its absolute path, as the caller wrote it.
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

/// Some directories of a snapshot, in memory.
pub struct Dirs {
    first: u32,
    /// And of the next directory.
    records: PageBytes,
    first_entry: u32,
    /// And the next entry.
    entries: PageBytes,
    names_start: u32,
    names: PageBytes,
}

/// A directory of a snapshot.
#[derive(Clone, Copy)]
pub struct Dir<'d> {
    dirs: &'d Dirs,
    number: u32,
    record: DirRecord,
}

/// An entry of a directory of a snapshot.
#[derive(Clone, Copy)]
pub struct DirEntry<'d> {
    /// Among all entries of the snapshot.
    number: u32,
    record: &'d RawEntry,
    /// That of the next entry, where its name ends.
    next: &'d RawEntry,
    dirs: &'d Dirs,
}

impl Dirs {
    /// Returns the directory with this number; `None` if it was not read.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<Dir<'_>> {
        let index = number.checked_sub(self.first)? as usize;
        if (index + 2) * DirRecord::LEN > self.records.len() {
            return None;
        }
        let record = DirRecord::from_bytes(&self.records[index * DirRecord::LEN..]);
        Some(Dir { dirs: self, number, record })
    }
}

impl<'d> Dir<'d> {
    /// The stamp that it had before it was listed.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        self.record.stamp
    }

    /// The marks of the caller.
    #[must_use]
    pub fn marks(&self) -> u32 {
        self.record.marks
    }

    /// The number of the directory that contains it; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<u32> {
        (self.record.parent != NONE).then_some(self.record.parent)
    }

    /// The first directory after this one that is not below it.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.record.end
    }

    /// The entries in the order in which they were listed.
    pub fn entries(&self) -> impl Iterator<Item = DirEntry<'d>> + use<'d> {
        let dirs = self.dirs;
        let next = (self.number - dirs.first + 1) as usize * DirRecord::LEN;
        let next = DirRecord::from_bytes(&dirs.records[next..]).first_entry;
        let records = dirs.entries.as_chunks::<{ EntryRecord::LEN }>().0;
        let at = |entry: u32| entry.saturating_sub(dirs.first_entry) as usize;
        // A record follows the last entry.
        let (start, end) = (at(self.record.first_entry), at(next));
        let own = records.get(start..=end).unwrap_or_default();
        (self.record.first_entry..)
            .zip(own.iter().zip(own.iter().skip(1)))
            .map(move |(number, (record, next))| DirEntry { number, record, next, dirs })
    }
}

impl<'d> DirEntry<'d> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'d [u8] {
        let at = |name: u32| name.saturating_sub(self.dirs.names_start) as usize;
        // A NUL ends it.
        let [start, end] = [self.record, self.next].map(|record| at(EntryRecord::name_in(record)));
        let name = start..end.saturating_sub(1);
        self.dirs.names.get(name).unwrap_or_default()
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        EntryRecord::kind_in(self.record)
    }

    /// Its inode number, as it was listed.
    #[must_use]
    pub fn inode(&self) -> u64 {
        EntryRecord::inode_in(self.record)
    }

    /// The marks of the caller.
    #[must_use]
    pub fn marks(&self) -> u8 {
        EntryRecord::marks_in(self.record)
    }

    /// The number of the directory that it is, if that was listed too.
    #[must_use]
    pub fn dir(&self) -> Option<u32> {
        self.target_of(EntryKind::Dir)
    }

    /// The number of the file of the index that it is.
    #[must_use]
    pub fn file(&self) -> Option<u32> {
        self.target_of(EntryKind::File)
    }

    /// The number in its record, if there is one and the entry is of this kind.
    fn target_of(&self, kind: EntryKind) -> Option<u32> {
        let target = EntryRecord::target_in(self.record);
        (self.kind() == kind && target != NONE).then_some(target)
    }
}

#[cfg(test)]
mod tests;
