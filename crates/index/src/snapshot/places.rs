//! Where directories, files and rule files are in the tree.

use std::ops::Range;

use super::layout::{DirRecord, LinkRecord, NONE, SourceRecord};
use crate::{bit_set::BitSet, pages::LazyPart};

/// Where the directories, files and rule files of a snapshot are: in which directory each is. The
/// pages with the answers are read when they are first needed.
///
/// The methods add directories to a set that has those above each of its members. They return
/// `None` if the snapshot cannot be read, or is not what was written.
#[derive(Debug)]
pub struct Places {
    dirs: LazyPart,
    links: LazyPart,
    sources: LazyPart,
}

impl Places {
    pub(super) fn new(dirs: LazyPart, links: LazyPart, sources: LazyPart) -> Places {
        Places { dirs, links, sources }
    }

    /// Adds a directory and those above it.
    #[must_use]
    pub fn add_dir(&self, dir: u32, set: &mut BitSet) -> Option<()> {
        let mut dir = dir;
        while !set.contains(dir) {
            if dir >= set.limit() {
                return None;
            }
            set.insert(dir);
            match self.dir_number(dir, DirRecord::PARENT)? {
                NONE => break,
                // A directory comes after the one that contains it.
                parent if parent >= dir => return None,
                parent => dir = parent,
            }
        }
        Some(())
    }

    /// Adds the directories that contain these files, whose numbers are sorted, under any name.
    #[must_use]
    pub fn add_files(&self, files: impl IntoIterator<Item = u32>, set: &mut BitSet) -> Option<()> {
        let mut at = 0;
        for file in files {
            at = self.first_link(file, at)?;
            while let Some(link) = self.link(at).filter(|link| link.file == file) {
                self.add_dir(link.dir, set)?;
                at += 1;
            }
        }
        Some(())
    }

    /// Adds the directory of the rule file with this number among the
    /// [sources](super::Snapshot::sources), unless it is none of the tree.
    #[must_use]
    pub fn add_source(&self, source: u32, set: &mut BitSet) -> Option<()> {
        let entry =
            self.sources.get(source as usize * SourceRecord::LEN).map(u32::from_le_bytes)?;
        if entry == NONE {
            return Some(());
        }
        // The last directory that begins with it or before; those without entries come before.
        let (mut start, mut end) = (0, set.limit());
        while start < end {
            let middle = start + (end - start) / 2;
            match self.dir_number(middle, DirRecord::FIRST_ENTRY)? <= entry {
                true => start = middle + 1,
                false => end = middle,
            }
        }
        self.add_dir(start.checked_sub(1)?, set)
    }

    /// Returns how many entries these directories have.
    #[must_use]
    pub fn entries(&self, dirs: Range<u32>) -> Option<u32> {
        let first = |dir: u32| self.dir_number(dir, DirRecord::FIRST_ENTRY);
        // A record follows the last directory.
        first(dirs.end)?.checked_sub(first(dirs.start)?)
    }

    /// The first link from `at` on that is one of `file` or of a later one. It is expected to be
    /// near.
    fn first_link(&self, file: u32, at: usize) -> Option<usize> {
        let count = self.links.len() / LinkRecord::LEN;
        let is_before = |at: usize| Some(self.link(at)?.file < file);
        let (mut start, mut step) = (at, 1);
        let mut end = loop {
            let next = start + step - 1;
            if next >= count {
                break count;
            }
            if !is_before(next)? {
                break next;
            }
            (start, step) = (next + 1, 2 * step);
        };
        while start < end {
            let middle = start + (end - start) / 2;
            match is_before(middle)? {
                true => start = middle + 1,
                false => end = middle,
            }
        }
        Some(start)
    }

    fn link(&self, at: usize) -> Option<LinkRecord> {
        let bytes: [u8; LinkRecord::LEN] = self.links.get(at * LinkRecord::LEN)?;
        Some(LinkRecord::from_bytes(&bytes))
    }

    /// A number in the record of a directory.
    fn dir_number(&self, dir: u32, at: usize) -> Option<u32> {
        self.dirs.get(dir as usize * DirRecord::LEN + at).map(u32::from_le_bytes)
    }
}
