//! What a walk or a search left out, for the summary.

use std::{
    fmt::Display,
    mem,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use heist_filter::{Reason, RuleSource, Verdict};
use heist_walk::{SkipObserver, SkipReason};

/// What a run left out, if [`Walk::name_skipped`](crate::Walk::name_skipped) requests it.
#[derive(Clone, Debug, Default)]
pub struct Skipped {
    /// Entries that were left out, in no particular order: as many as were requested.
    pub entries: Vec<SkippedEntry>,
    /// How many further entries were left out.
    pub more: u64,
}

/// An entry that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedEntry {
    /// The entry's path. A directory was left out with all that is below it.
    pub path: PathBuf,
    /// Why, in a word.
    pub kind: SkipKind,
    /// Why, as `hs --debug` prints it: `ignored by .gitignore:3: *.o`.
    pub why: String,
}

/// Why an entry was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipKind {
    /// A rule in a file such as `.gitignore` leaves it out.
    Ignored,
    /// The entry is hidden.
    Hidden,
    /// A glob, a file type or git's index selects other entries, or leaves it out.
    NotSelected,
    /// The entry's size, time or depth is beyond a limit.
    Limit,
    /// Links are not followed, or not this one.
    Link,
    /// The entry is a pipe, a socket or a device.
    NoRegularFile,
    /// The file was visited under another path.
    Repeated,
    /// The directory is on another file system.
    OtherFileSystem,
    /// The directory is a worktree of a git repository, and the walk meets another worktree of it:
    /// one that contains the directory, or the main one elsewhere below the root.
    OtherWorktree,
    /// The directory is a submodule.
    Submodule,
    /// The file is binary, and was searched up to its first NUL byte.
    Binary,
    /// Another reason.
    Other,
}

impl SkipKind {
    /// The kind in words, as other languages name it.
    ///
    /// ```
    /// use heist::SkipKind;
    ///
    /// assert_eq!(SkipKind::NotSelected.name(), "not selected");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SkipKind::Ignored => "ignored",
            SkipKind::Hidden => "hidden",
            SkipKind::NotSelected => "not selected",
            SkipKind::Limit => "limit",
            SkipKind::Link => "link",
            SkipKind::NoRegularFile => "no regular file",
            SkipKind::Repeated => "repeated",
            SkipKind::OtherFileSystem => "other file system",
            SkipKind::OtherWorktree => "other worktree",
            SkipKind::Submodule => "submodule",
            SkipKind::Binary => "binary",
            SkipKind::Other => "other",
        }
    }
}

impl From<&SkipReason<'_>> for SkipKind {
    fn from(why: &SkipReason<'_>) -> SkipKind {
        match why {
            SkipReason::Rules(Verdict { reason, .. }) => match reason {
                Reason::Rule(RuleSource::File { .. }) => SkipKind::Ignored,
                Reason::Hidden => SkipKind::Hidden,
                _ => SkipKind::NotSelected,
            },
            SkipReason::Hidden => SkipKind::Hidden,
            SkipReason::Link | SkipReason::LinkToDir | SkipReason::LinkOut => SkipKind::Link,
            SkipReason::NoRegularFile => SkipKind::NoRegularFile,
            SkipReason::TooLarge { .. }
            | SkipReason::TooSmall { .. }
            | SkipReason::TooOld
            | SkipReason::TooNew
            | SkipReason::Unchanged
            | SkipReason::UnknownChanges
            | SkipReason::OtherShard
            | SkipReason::TooDeep => SkipKind::Limit,
            SkipReason::Repeated => SkipKind::Repeated,
            SkipReason::OtherFileSystem => SkipKind::OtherFileSystem,
            SkipReason::OtherWorktree => SkipKind::OtherWorktree,
            SkipReason::Submodule => SkipKind::Submodule,
            _ => SkipKind::Other,
        }
    }
}

impl Skipped {
    /// Keeps an entry unless there are `max` already.
    pub(crate) fn add(&mut self, max: usize, path: &Path, kind: SkipKind, why: &dyn Display) {
        if self.entries.len() < max {
            let entry = SkippedEntry { path: path.to_owned(), kind, why: why.to_string() };
            self.entries.push(entry);
        } else {
            self.more += 1;
        }
    }

    /// Adds what another worker or the walk has left out.
    pub(crate) fn merge(&mut self, max: usize, other: Skipped) {
        let room = max.saturating_sub(self.entries.len());
        self.more += other.more + other.entries.len().saturating_sub(room) as u64;
        self.entries.extend(other.entries.into_iter().take(room));
    }
}

/// Collects what all workers of a walk skip.
#[derive(Debug)]
pub(crate) struct SkipNotes {
    max: usize,
    skipped: Mutex<Skipped>,
}

impl SkipNotes {
    /// Keeps at most `max` entries.
    pub(crate) fn new(max: usize) -> SkipNotes {
        SkipNotes { max, skipped: Mutex::default() }
    }

    /// Returns what was collected. Nothing is left.
    pub(crate) fn take(&self) -> Skipped {
        mem::take(&mut *self.skipped.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SkipObserver for SkipNotes {
    fn skipped(&self, path: &Path, why: &SkipReason<'_>) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        skipped.add(self.max, path, why.into(), why);
    }
}
