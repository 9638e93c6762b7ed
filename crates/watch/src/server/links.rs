//! The names that files have, as far as they matter: those that may be changed under several.

use std::collections::{BTreeMap, BTreeSet};

use heist_index::{RuleSource, Stamps};
use rustix::fs::{FileType, Stat};

use crate::changes::Changes;

/// So many new names are remembered.
const MAX_NAMES: usize = 100_000;

/// By which names files can be changed.
pub(super) struct Links {
    /// The files of each inode, sorted.
    files: Vec<(u64, u32)>,
    /// The sources of each inode, sorted.
    sources: Vec<(u64, u32)>,
    /// Names that have appeared in directories of the snapshot, and were looked up.
    names: BTreeSet<(u32, Vec<u8>)>,
    /// The paths of directories that have appeared or moved, by their watches' numbers.
    places: BTreeMap<i32, Vec<u8>>,
}

impl Links {
    pub(super) fn new(stamps: &Stamps, sources: &[RuleSource]) -> Links {
        let file = |file| Some((stamps.get(file)?.inode, file));
        let mut files: Vec<_> = (0..stamps.end()).filter_map(file).collect();
        files.sort_unstable();
        let inode = |source: &RuleSource| Some(source.stamp?.inode);
        let numbered = sources.iter().zip(0..);
        let mut sources: Vec<_> =
            numbered.filter_map(|(source, number)| Some((inode(source)?, number))).collect();
        sources.sort_unstable();
        Links { files, sources, names: BTreeSet::new(), places: BTreeMap::new() }
    }

    /// The path of the directory that a watch is for, if it has appeared or moved.
    pub(super) fn place(&self, watch: i32) -> Option<&Vec<u8>> {
        self.places.get(&watch)
    }

    /// Sets the path of a directory that has appeared or moved.
    pub(super) fn set_place(&mut self, watch: i32, path: Vec<u8>) {
        self.places.insert(watch, path);
    }

    /// Takes in that a watch has ended.
    pub(super) fn forget_place(&mut self, watch: i32) {
        self.places.remove(&watch);
    }

    /// Notes that a name was looked up. Returns whether it had not been.
    pub(super) fn add_name(&mut self, dir: u32, name: &[u8]) -> bool {
        if self.names.len() >= MAX_NAMES {
            self.names.clear();
        }
        self.names.insert((dir, name.to_vec()))
    }

    /// Marks all that is known of a file, if it has several names.
    pub(super) fn mark(&self, stat: &Stat, changes: &mut Changes) {
        if has_other_names(stat) {
            changes.add_files(of_inode(&self.files, stat.st_ino));
            changes.add_sources(of_inode(&self.sources, stat.st_ino));
        }
    }
}

/// The numbers that an inode has.
fn of_inode(numbers: &[(u64, u32)], inode: u64) -> impl Iterator<Item = u32> {
    let start = numbers.partition_point(|(other, _)| *other < inode);
    numbers[start..].iter().take_while(move |(other, _)| *other == inode).map(|(_, number)| *number)
}

/// Whether a file can be changed under another name.
pub(super) fn has_other_names(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_nlink > 1
}
