//! A file to be visited later, when the directory that lists it may have been closed.

use std::{path::PathBuf, sync::Arc};

use crate::entry::Entry;

/// A file that a walk has found and that is visited after it, as if the walk had just found it.
#[derive(Clone, Debug)]
pub struct OwnedEntry {
    origin: Origin,
    dir: Arc<[u8]>,
    name: Box<[u8]>,
    depth: usize,
}

/// How it came into the walk.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Listed in a directory.
    Listed,
    /// Named by the user.
    Root(PathBuf),
    /// Standard input.
    Stdin,
}

impl OwnedEntry {
    pub(crate) fn new(
        origin: Origin,
        dir: &[u8],
        name: &[u8],
        depth: usize,
        before: Option<&OwnedEntry>,
    ) -> OwnedEntry {
        let shared = before.filter(|before| *before.dir == *dir).map(|before| before.dir.clone());
        OwnedEntry { origin, dir: shared.unwrap_or_else(|| dir.into()), name: name.into(), depth }
    }

    /// The file, as a visitor is shown it, with this key.
    #[must_use]
    pub fn as_entry<'a>(&'a self, key: &'a [u8]) -> Entry<'a> {
        Entry::from_owned(&self.origin, &self.dir, &self.name, self.depth, key)
    }
}
