//! The directories that every search visits, whatever has changed.

use std::collections::HashSet;

use super::layout::{DirRecord, EntryKind, EntryRecord, NO_NUMBER, SourceRecord};
use crate::{bit_set::BitSet, stamp::Stamp};

/// What decides whether every search has to visit an entry's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFacts {
    /// What the entry is.
    pub kind: EntryKind,
    /// The marks that the caller has given the entry.
    pub marks: u8,
    /// Whether it is a file in the index or a directory that was listed.
    pub is_known: bool,
    /// Whether it is a file that decides what is ignored, and its stamp is known.
    pub has_stamp: bool,
    /// The marks that the entry's directory has.
    pub dir_marks: u32,
}

/// The directories in a snapshot that have an entry for which `is_visited` is true, or a stamp that
/// proves nothing, and all directories above them.
pub(super) fn visits(
    dirs: &[DirRecord],
    entries: &[EntryRecord],
    sources: &[SourceRecord],
    is_visited: fn(&EntryFacts) -> bool,
) -> BitSet {
    let stamped = sources.iter().filter(|source| source.stamp != Stamp::NONE);
    let stamped: HashSet<u32> = stamped.map(|source| source.entry).collect();
    let mut visits = BitSet::none(dirs.len() as u32);
    // Those below a directory come after it.
    for (number, dir) in dirs.iter().enumerate().rev() {
        let end = dirs.get(number + 1).map_or(entries.len(), |next| next.first_entry as usize);
        let mut own = (dir.first_entry..).zip(&entries[dir.first_entry as usize..end]);
        let has_visited = own.any(|(at, entry)| {
            is_visited(&EntryFacts {
                kind: entry.kind,
                marks: entry.marks,
                is_known: entry.target != NO_NUMBER,
                has_stamp: stamped.contains(&at),
                dir_marks: dir.marks,
            })
        });
        let number = number as u32;
        if has_visited || dir.stamp == Stamp::NONE {
            visits.insert(number);
        }
        if visits.contains(number) && dir.parent != NO_NUMBER {
            visits.insert(dir.parent);
        }
    }
    visits
}
