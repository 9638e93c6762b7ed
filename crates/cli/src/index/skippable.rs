//! Files that a walk skips as soon as it has taken their stamps, because an index proves that they
//! cannot match.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use heist_index::{BitSet, Candidates};
use heist_walk::{FileId, FileMetadata};

use super::freshness::{Freshness, Numbered};

/// The files that cannot match as long as they have not changed, by their numbers.
pub(super) struct SkippableFiles {
    /// The others.
    may_match: BitSet,
    candidates: Arc<Candidates>,
    /// Whether the walk has skipped a file.
    has_skipped: AtomicBool,
}

impl SkippableFiles {
    /// The files that are no candidates, without `output`.
    pub(super) fn new(
        candidates: &Arc<Candidates>,
        skips_binary: bool,
        output: Option<FileId>,
    ) -> SkippableFiles {
        let mut may_match = BitSet::none(candidates.files_end());
        for file in files_to_visit(candidates, skips_binary, output) {
            may_match.insert(file);
        }
        let (candidates, has_skipped) = (Arc::clone(candidates), AtomicBool::new(false));
        SkippableFiles { may_match, candidates, has_skipped }
    }

    /// Whether this is the number of such a file.
    pub(super) fn has(&self, file: u32) -> bool {
        file < self.may_match.limit() && !self.may_match.contains(file)
    }

    /// Whether the file with this number, one of these, has not changed, so that the walk skips it.
    /// `look` returns what the system reports of it now.
    pub(super) fn skips(
        &self,
        file: u32,
        freshness: &Freshness,
        look: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> bool {
        let Some(then) = self.candidates.stamp_of(file) else { return false };
        let is_unchanged = freshness.is_unchanged(Numbered::File(file), &then, look);
        // Ordering: Relaxed for both operations; it is read after the walk. A store for each file
        // would make the other workers wait for the cache line.
        if is_unchanged && !self.has_skipped.load(Ordering::Relaxed) {
            self.has_skipped.store(true, Ordering::Relaxed);
        }
        is_unchanged
    }

    /// Whether the walk has skipped a file.
    pub(super) fn has_skipped(&self) -> bool {
        // Ordering: Relaxed; the walk has ended.
        self.has_skipped.load(Ordering::Relaxed)
    }
}

/// The sorted numbers of the files that may match, and of `output`: the walk has to meet that file
/// because it leaves it out itself.
pub(super) fn files_to_visit(
    candidates: &Candidates,
    skips_binary: bool,
    output: Option<FileId>,
) -> Vec<u32> {
    let mut files = candidates.files(skips_binary);
    if let Some(output) = output {
        files.extend(candidates.files_with_inode(output.inode));
        files.sort_unstable();
        files.dedup();
    }
    files
}
