//! What a search has to visit in a tree, if a process knows what has changed there: the files that
//! may match, and what is not known well enough. All else can be skipped without a look at it.
//!
//! A directory is skipped with all that is below it. This takes that nothing there has changed,
//! also no file that decides what is ignored; that these files have no mistakes that a search
//! reports; and that the rules in force above are the ones in the snapshot, which the walk finds
//! out where it skips the directory. Otherwise it judges and visits as ever.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use heist_index::{BitSet, Dir, DirEntry, EntryFacts, EntryKind, Places, Snapshot};
use heist_watch::Changes;

use super::rules::{decides, is_repository, verdict_in};

/// The directories and files that a search has to visit, by their numbers.
#[derive(Debug)]
pub(super) struct Needs {
    places: Places,
    /// How many entries the whole snapshot has.
    all_entries: u32,
    /// With each directory, those above it.
    dirs: BitSet,
    /// `None` if all wanted files are needed.
    files: Option<BitSet>,
    /// Whether the walk skips a wanted file.
    has_skipped: AtomicBool,
}

/// Whether an entry makes every search visit its directory, even if nothing there has changed. An
/// update stores which directories have such entries.
pub(super) fn is_always_visited(entry: &EntryFacts) -> bool {
    let EntryFacts { kind, marks, is_known, has_stamp, dir_marks } = *entry;
    // Rules without a fingerprint, by which they would be recognized; rules that every search
    // reads; rules that are elsewhere.
    if dir_marks == 0 || decides(marks) && !has_stamp || is_repository(marks) {
        return true;
    }
    match (kind, verdict_in(marks)) {
        (_, Some(false)) | (EntryKind::Symlink, _) => false,
        // It is to be judged.
        (_, None) => true,
        (EntryKind::Dir | EntryKind::File, Some(true)) => !is_known,
        (EntryKind::Other | EntryKind::Unknown, Some(true)) => true,
    }
}

/// The directories that are visited in any case, or because they, or rule files in them, may have
/// changed.
fn changed_dirs(snapshot: &Snapshot, changes: Option<&Changes>, places: &Places) -> Option<BitSet> {
    let mut dirs = snapshot.visits().ok()?;
    let Some(changes) = changes else { return Some(dirs) };
    if changes.dirs().limit() != dirs.limit() {
        return None;
    }
    for dir in changes.dirs().iter() {
        places.add_dir(dir, &mut dirs)?;
    }
    for source in changes.sources().iter() {
        places.add_source(source, &mut dirs)?;
    }
    Some(dirs)
}

impl Needs {
    /// Determines which directories have to be visited to list all files in a tree where `changes`
    /// may have happened, as far as these are known. Returns `None` if the snapshot cannot be read.
    pub(super) fn of_list(snapshot: &Snapshot, changes: Option<&Changes>) -> Option<Needs> {
        let places = snapshot.places().ok()?;
        let dirs = changed_dirs(snapshot, changes, &places)?;
        let has_skipped = AtomicBool::new(false);
        let all_entries = places.entries(0..snapshot.dirs())?;
        Some(Needs { places, all_entries, dirs, files: None, has_skipped })
    }

    /// Determines what has to be visited to search the files that may match: these, sorted. All
    /// numbers of files are below `files_end`. Returns the same.
    pub(super) fn of_search(
        snapshot: &Snapshot,
        changes: &Changes,
        may_match: &[u32],
        files_end: u32,
    ) -> Option<Needs> {
        let changed = changes.files();
        if changed.limit() != files_end {
            // The changes belong to another index.
            return None;
        }
        let places = snapshot.places().ok()?;
        let mut dirs = changed_dirs(snapshot, Some(changes), &places)?;
        places.add_files(may_match.iter().copied(), &mut dirs)?;
        places.add_files(changed.iter(), &mut dirs)?;
        let mut files = changed.clone();
        for &file in may_match.iter().filter(|&&file| file < files_end) {
            files.insert(file);
        }
        let has_skipped = AtomicBool::new(false);
        let all_entries = places.entries(0..snapshot.dirs())?;
        Some(Needs { places, all_entries, dirs, files: Some(files), has_skipped })
    }

    /// How many directories are needed.
    pub(super) fn dirs(&self) -> u32 {
        self.dirs.count()
    }

    /// How many entries all directories have.
    pub(super) fn all_entries(&self) -> u32 {
        self.all_entries
    }

    /// How many entries these directories have.
    pub(super) fn entries(&self, dirs: Range<u32>) -> Option<u32> {
        self.places.entries(dirs)
    }

    /// The first directory after this one that is not below it.
    pub(super) fn end_below(&self, dir: u32) -> Option<u32> {
        self.places.end_below(dir)
    }

    /// Whether an entry of the snapshot, which is wanted, must be visited.
    pub(super) fn has(&self, entry: &DirEntry<'_>) -> bool {
        let has = |set: &BitSet, number: u32| number >= set.limit() || set.contains(number);
        match (entry.kind(), &self.files) {
            (EntryKind::Dir, _) => entry.dir().is_none_or(|dir| has(&self.dirs, dir)),
            (EntryKind::File, Some(files)) => entry.file().is_none_or(|file| has(files, file)),
            _ => true,
        }
    }

    /// Notes that the walk skips what is not needed in a directory. `dir` returns one of those
    /// below it.
    pub(super) fn note_dir<'d>(&self, number: u32, dir: impl Fn(u32) -> Option<Dir<'d>>) {
        // Ordering: Relaxed for both operations; it is read after the walk.
        if !self.has_skipped.load(Ordering::Relaxed) && self.skips_wanted(number, dir) {
            self.has_skipped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a wanted file is skipped in a directory, or below it in others that are.
    fn skips_wanted<'d>(&self, number: u32, dir: impl Fn(u32) -> Option<Dir<'d>>) -> bool {
        let mut dirs = vec![number];
        while let Some(known) = dirs.pop().and_then(&dir) {
            let wanted = known.entries().filter(|entry| verdict_in(entry.marks()) == Some(true));
            for entry in wanted.filter(|entry| !self.has(entry)) {
                match entry.dir() {
                    Some(below) => dirs.push(below),
                    None => return true,
                }
            }
        }
        false
    }

    /// Whether the walk has skipped a wanted file.
    pub(super) fn has_skipped(&self) -> bool {
        // Ordering: Relaxed; the walk has ended.
        self.has_skipped.load(Ordering::Relaxed)
    }
}
