//! What a search has to visit of a tree, if a process knows what has changed there: the files that
//! may match, and what is not known well enough. All else can be left out without a look at it.
//!
//! A directory is left out with all that is below it. This takes that nothing there has changed,
//! among it the files that decide what is ignored, which have no mistakes that a search reports;
//! and that the rules in force above are those of the snapshot, which the walk finds out where it
//! leaves the directory out. Otherwise it judges and visits as ever.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use heist_index::{Dir, DirEntry, EntryKind, RuleFiles};
use heist_watch::Changes;

use super::rules::{decides, is_repository, verdict_in};

/// The directories and files that a search has to visit, by their numbers.
#[derive(Debug)]
pub(super) struct Needs {
    dirs: Vec<bool>,
    files: Vec<bool>,
    /// The inode of the file that output is written to. A search of nothing else reports that there
    /// were no files.
    output: Option<u64>,
    /// Whether wanted files in a directory, or below it, are left out.
    leaves_out: Vec<bool>,
    /// Whether the walk has come to such a directory.
    has_left_out: AtomicBool,
}

impl Needs {
    /// All directories of a tree with so many, and of so many files those that may match.
    pub(super) fn new(dirs: u32, files: u32, may_match: &[u32], output: Option<u64>) -> Needs {
        let (dirs, leaves_out) = (vec![true; dirs as usize], vec![false; dirs as usize]);
        let mut needed = vec![false; files as usize];
        for file in may_match {
            if let Some(is_needed) = needed.get_mut(*file as usize) {
                *is_needed = true;
            }
        }
        Needs { dirs, files: needed, output, leaves_out, has_left_out: AtomicBool::new(false) }
    }

    /// Narrows down what is needed of some directories: one and all below it. `dir` returns one of
    /// them. Returns `None` if a directory cannot be read.
    pub(super) fn narrow<'d>(
        &mut self,
        range: Range<u32>,
        changes: &Changes,
        rule_files: &RuleFiles,
        dir: impl Fn(u32) -> Option<Dir<'d>>,
    ) -> Option<()> {
        // Those below come after those that contain them.
        for number in range.rev() {
            let known = dir(number)?;
            // Its rules have no fingerprint, by which they would be recognized.
            let mut is_needed = changes.has_dir(number) || known.marks() == 0;
            let mut leaves_out = false;
            for entry in known.entries() {
                if decides(entry.marks()) {
                    let known = rule_files.find(&entry);
                    is_needed |= known.is_none_or(|(number, _)| changes.has_source(number));
                }
                match self.is_needed(&entry, changes) {
                    Some(true) => is_needed = true,
                    Some(false) if entry.kind() == EntryKind::File => leaves_out = true,
                    _ => {}
                }
                let below = entry.dir().filter(|_| verdict_in(entry.marks()) == Some(true));
                let below = below.and_then(|below| self.leaves_out.get(below as usize));
                leaves_out |= below == Some(&true);
            }
            *self.dirs.get_mut(number as usize)? = is_needed;
            *self.leaves_out.get_mut(number as usize)? = leaves_out;
        }
        Some(())
    }

    /// Whether an entry must be visited; `None` if it is not wanted.
    fn is_needed(&mut self, entry: &DirEntry<'_>, changes: &Changes) -> Option<bool> {
        if is_repository(entry.marks()) {
            // It has rules elsewhere.
            return Some(true);
        }
        let is_wanted = verdict_in(entry.marks());
        match (entry.kind(), is_wanted) {
            (_, Some(false)) | (EntryKind::Symlink, _) => None,
            // It is to be judged.
            (_, None) => Some(true),
            (EntryKind::Dir, _) => {
                let below = entry.dir().and_then(|below| self.dirs.get(below as usize));
                Some(below.is_none_or(|is_needed| *is_needed))
            }
            (EntryKind::File, _) => {
                let Some(file) = entry.file() else { return Some(true) };
                let Some(is_needed) = self.files.get_mut(file as usize) else { return Some(true) };
                *is_needed |= changes.has_file(file) || self.output == Some(entry.inode());
                Some(*is_needed)
            }
            (EntryKind::Other | EntryKind::Unknown, _) => Some(true),
        }
    }

    /// Whether an entry of the snapshot, which is wanted, must be visited.
    pub(super) fn has(&self, entry: &DirEntry<'_>) -> bool {
        let is_needed = match entry.kind() {
            EntryKind::Dir => entry.dir().and_then(|dir| self.dirs.get(dir as usize)),
            EntryKind::File => entry.file().and_then(|file| self.files.get(file as usize)),
            EntryKind::Symlink | EntryKind::Other | EntryKind::Unknown => None,
        };
        is_needed != Some(&false)
    }

    /// Notes that the walk leaves out what is not needed in a directory.
    pub(super) fn note_dir(&self, number: u32) {
        if self.leaves_out.get(number as usize) == Some(&true) {
            // Ordering: Relaxed; it is read after the walk.
            self.has_left_out.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the walk has left out a wanted file.
    pub(super) fn has_left_out(&self) -> bool {
        // Ordering: Relaxed; the walk has ended.
        self.has_left_out.load(Ordering::Relaxed)
    }
}
