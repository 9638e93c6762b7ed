//! A file to be visited later, when the directory that lists it may have been closed.

use std::{path::PathBuf, sync::Arc};

use crate::file::File;

/// A file that a walk has found and that is visited after it, as if the walk had just found it.
#[derive(Clone, Debug)]
pub struct StoredFile {
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

impl StoredFile {
    pub(crate) fn new(
        origin: Origin,
        dir: &[u8],
        name: &[u8],
        depth: usize,
        before: Option<&StoredFile>,
    ) -> StoredFile {
        let shared = before.filter(|before| *before.dir == *dir).map(|before| before.dir.clone());
        StoredFile { origin, dir: shared.unwrap_or_else(|| dir.into()), name: name.into(), depth }
    }

    /// The file, as a visitor is shown it, with this key.
    #[must_use]
    pub fn as_file<'a>(&'a self, key: &'a [u8]) -> File<'a> {
        File::stored(&self.origin, &self.dir, &self.name, self.depth, key)
    }
}
