//! Systems on which no tree is watched.

use std::{convert::Infallible, path::Path, time::Duration};

use heist_index::Home;

use crate::{
    changes::Changes,
    config::{Ended, WatchConfig},
    error::Error,
    status::{Status, Unknown},
};

/// How long a search waits for an answer: there is none.
pub const QUERY_TIMEOUT: Duration = Duration::ZERO;

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
pub fn stop(_dir: &Path) -> Result<Option<u32>, Error> {
    Err(Error::Unsupported)
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
