//! Where directories, files and rule files are in the tree.

use std::ops::Range;

use super::layout::{DirRecord, LinkRecord, NO_NUMBER, SourceRecord};
use crate::{
    bit_set::BitSet,
    pages::{LazyPart, partition_point},
};

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
            match self.dir_number(dir, DirRecord::PARENT_AT)? {
                NO_NUMBER => break,
                // A directory comes after the one that contains it.
                parent if parent >= dir => return None,
                parent => dir = parent,
            }
        }
        Some(())
    }

    /// Adds the directories that contain these files under any name. The files' numbers are sorted.
    #[must_use]
    pub fn add_files(&self, files: impl IntoIterator<Item = u32>, set: &mut BitSet) -> Option<()> {
        // Most files have one link.
        let (mut at, mut next) = (0, 0);
        for file in files {
            at = self.first_link(file, at + file.saturating_sub(next) as usize)?;
            next = file.saturating_add(1);
            while at < self.links() {
                let link = self.link(at)?;
                if link.file != file {
                    break;
                }
                self.add_dir(link.dir, set)?;
                at += 1;
            }
        }
        Some(())
    }

    /// Adds the directory that contains the rule file with this number among the
    /// [sources](super::Snapshot::sources), unless it is outside of the tree.
    #[must_use]
    pub fn add_source(&self, source: u32, set: &mut BitSet) -> Option<()> {
        let entry = self
            .sources
            .get(source as usize * SourceRecord::ENCODED_LEN)
            .map(u32::from_le_bytes)?;
        if entry == NO_NUMBER {
            return Some(());
        }
        // The last directory that begins with it or before; those without entries come before.
        let begins_before = |dir: usize| {
            let first = self.dir_number(dir as u32, DirRecord::FIRST_ENTRY_AT).ok_or(())?;
            Ok::<_, ()>(first <= entry)
        };
        let after = partition_point(0..set.limit() as usize, begins_before).ok()?;
        self.add_dir(after.checked_sub(1)? as u32, set)
    }

    /// Returns the first directory after this one that is not below it.
    #[must_use]
    pub fn end_below(&self, dir: u32) -> Option<u32> {
        self.dir_number(dir, DirRecord::END_AT)
    }

    /// Returns how many entries these directories have.
    #[must_use]
    pub fn entries(&self, dirs: Range<u32>) -> Option<u32> {
        let first = |dir: u32| self.dir_number(dir, DirRecord::FIRST_ENTRY_AT);
        // A record follows the last directory.
        first(dirs.end)?.checked_sub(first(dirs.start)?)
    }

    /// The first link to `file` or to a later one. It is expected to be near `guess`.
    fn first_link(&self, file: u32, guess: usize) -> Option<usize> {
        let is_before = |at: usize| Some(self.link(at)?.file < file);
        let (mut start, mut end) = (0, guess.min(self.links()));
        let mut step = 1;
        if end < self.links() && is_before(end)? {
            (start, end) = (end + 1, self.links());
            while start + step <= end {
                let next = start + step - 1;
                if !is_before(next)? {
                    end = next;
                    break;
                }
                (start, step) = (next + 1, 2 * step);
            }
        } else {
            while start < end {
                let next = end.saturating_sub(step);
                if is_before(next)? {
                    start = next + 1;
                    break;
                }
                (end, step) = (next, 2 * step);
            }
        }
        partition_point(start..end, |at| is_before(at).ok_or(())).ok()
    }

    /// How many links there are.
    fn links(&self) -> usize {
        self.links.len() / LinkRecord::ENCODED_LEN
    }

    fn link(&self, at: usize) -> Option<LinkRecord> {
        let bytes: [u8; LinkRecord::ENCODED_LEN] = self.links.get(at * LinkRecord::ENCODED_LEN)?;
        Some(LinkRecord::from_bytes(&bytes))
    }

    /// A number in a directory's record.
    fn dir_number(&self, dir: u32, at: usize) -> Option<u32> {
        self.dirs.get(dir as usize * DirRecord::ENCODED_LEN + at).map(u32::from_le_bytes)
    }
}
