//! What each worker found, and all of them together.

use std::ops::ControlFlow;

use heist_printer::Stats;
use heist_walk::{Entry, FileTime, FoundEntries, HookedVisitor};

use super::shared_searches::NoHelpers;
use crate::ranking::Evidence;

/// The results of a run that decide its exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Whether there was a match or another result of the mode.
    pub(crate) any_match: bool,
    /// Whether a file was visited.
    pub(crate) any_file: bool,
    /// The sum of all counts, or how many files were listed, if it is wanted.
    pub(crate) total: Option<u64>,
    /// The statistics, if they are wanted.
    pub(crate) stats: Option<Stats>,
}

impl Found {
    /// Adds another worker's results.
    pub(super) fn add(&mut self, other: Found) {
        self.any_match |= other.any_match;
        self.any_file |= other.any_file;
        if let Some(total) = other.total {
            *self.total.get_or_insert(0) += total;
        }
        if let Some(stats) = other.stats {
            self.stats.get_or_insert_default().add(&stats);
        }
    }
}

/// A visitor with results.
pub(crate) trait Worker: HookedVisitor {
    fn found(&self) -> Found;

    /// Takes the files with results that were counted in advance.
    fn take_surveyed(&mut self) -> Surveyed {
        Surveyed::default()
    }

    /// Visits a file again after its results were counted in advance.
    fn visit_again(&mut self, file: &Entry<'_>) -> ControlFlow<()> {
        self.entry(file, &mut NoHelpers)
    }
}

/// The files with results that one worker has counted before any is printed.
#[derive(Debug, Default)]
pub(crate) struct Surveyed {
    pub(super) files: FoundEntries,
    /// How many results each file has.
    pub(super) results: Vec<u64>,
    /// What each file has shown of its relevance, if files are sorted by that.
    pub(super) evidence: Vec<Evidence>,
}

impl Surveyed {
    /// Adds a file, which is to be sorted by `time`, or as the walk sorts it.
    pub(super) fn push(&mut self, file: &Entry<'_>, time: Option<FileTime>, results: u64) {
        self.files.push(file, time);
        self.results.push(results);
    }
}
