//! Systems on which no tree is watched.

use std::{convert::Infallible, fmt, path::Path, time::Duration};

use heist_index::Home;

use crate::{changes::Changes, error::Error};

/// The time after which a search goes on without an answer.
pub const PATIENCE: Duration = Duration::ZERO;

/// Why it is not known what has changed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Unknown {
    /// No process watches the tree.
    NotWatched,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Error::Unsupported.fmt(f)
    }
}

/// What a process does that watches a tree: there is none.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Status {
    /// The number of the process.
    pub process: u32,
    /// The seconds for which it has watched.
    pub seconds: u64,
    /// The directories that it watches.
    pub dirs: u64,
    /// The searches that it has answered.
    pub answers: u64,
    /// The directories, files and sources of rules that may have changed since the index was built.
    pub changes: [u32; 3],
    /// Whether it compares files with the index, and does not yet answer searches.
    pub is_comparing: bool,
}

/// A question that is on its way: there is none.
#[derive(Debug)]
pub struct Pending(Infallible);

/// Requests nothing.
///
/// # Errors
/// Always.
pub fn request(_dir: &Path, _identity: u64) -> Result<Pending, Unknown> {
    Err(Unknown::NotWatched)
}

impl Pending {
    /// Never returns.
    ///
    /// # Errors
    /// None.
    pub fn changes(self, _root: &Path) -> Result<Changes, Unknown> {
        match self.0 {}
    }
}

/// Finds no process.
///
/// # Errors
/// [`Error::Unsupported`].
pub fn status(_dir: &Path) -> Result<Status, Error> {
    Err(Error::Unsupported)
}

/// Finds no process.
///
/// # Errors
/// [`Error::Unsupported`].
pub fn stop(_dir: &Path) -> Result<u32, Error> {
    Err(Error::Unsupported)
}

/// How a tree is watched.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchConfig {
    /// The time without a search after which the process ends.
    pub idle: Duration,
}

/// Why watching has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// It was requested.
    Stopped,
    /// No search has needed it for the [time](WatchConfig::idle) after which it ends.
    Idle,
    /// The index was removed.
    IndexGone,
    /// The directory was removed, or is elsewhere.
    RootGone,
}

/// Watches a tree, and answers searches: there is none.
pub struct Watcher(Infallible);

impl Watcher {
    /// Watches nothing.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub fn new(_home: &Home, _root: &Path, _config: WatchConfig) -> Result<Watcher, Error> {
        Err(Error::Unsupported)
    }

    /// Never returns.
    ///
    /// # Errors
    /// None.
    pub fn run(self, _when_ready: impl FnOnce(u64)) -> Result<Ended, Error> {
        match self.0 {}
    }
}
