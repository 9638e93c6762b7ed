//! Which files a walk visits by their sizes, times, changes and identities: `--max-filesize`,
//! `--newer`, `--changed`, `--unique` and the like. A walk without such limits examines no file.

use std::{
    collections::HashSet,
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use heist_filter::Changes;

use crate::{
    config::{Root, WalkConfig},
    metadata::FileId,
    skipped::SkipReason,
};

/// The limits that one walk has.
#[derive(Debug)]
pub(crate) struct FileLimits {
    max_size: Option<u64>,
    min_size: u64,
    /// Files are at least as new as this.
    newer: Option<SystemTime>,
    /// Files are older than this.
    older: Option<SystemTime>,
    /// Which files have changed, if only those are visited.
    changes: Option<Arc<Changes>>,
    /// The files that have been visited or are roots, if each is visited once.
    visited: Option<Mutex<HashSet<FileId>>>,
    /// Which roots lead to the same file as one before them, by their indices and in order.
    repeated_roots: Vec<usize>,
}

impl FileLimits {
    /// The limits that `config` sets; `None` if it sets none.
    pub(crate) fn new(config: &WalkConfig) -> Option<FileLimits> {
        let WalkConfig { max_filesize, min_filesize, newer, older, unique, .. } = *config;
        let is_limited = max_filesize.is_some()
            || min_filesize > 0
            || newer.is_some()
            || older.is_some()
            || config.changes.is_some()
            || unique;
        let visited = unique.then(Mutex::default);
        let limits = FileLimits {
            max_size: max_filesize,
            min_size: min_filesize,
            newer,
            older,
            changes: config.changes.clone(),
            visited,
            repeated_roots: Vec::new(),
        };
        is_limited.then_some(limits)
    }

    /// Notes that the files among `roots` are visited as such, if each file is visited once. A walk
    /// of a directory treats a file otherwise than a root, so that which of them comes first must
    /// not decide what is printed. `id_of` returns the identity of the regular file at a path.
    pub(crate) fn reserve_roots(
        &mut self,
        roots: &[Root],
        id_of: impl Fn(&Path) -> Option<FileId>,
    ) {
        let Some(visited) = &mut self.visited else { return };
        // No code panics while the lock is held.
        let visited = visited.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (index, root) in roots.iter().enumerate() {
            if let Root::Path(path) = root
                && let Some(id) = id_of(path)
                && !visited.insert(id)
            {
                self.repeated_roots.push(index);
            }
        }
    }

    /// Whether the root with this index leads to the same file as one before it.
    pub(crate) fn is_repeated_root(&self, index: usize) -> bool {
        self.repeated_roots.binary_search(&index).is_ok()
    }

    /// Returns why the file `name` in the directory `dir` is not visited. `dir` is empty or ends in
    /// a separator.
    ///
    /// # Errors
    /// That of [`Changes::is_changed`].
    pub(crate) fn refuse_unchanged(
        &self,
        dir: &[u8],
        name: &[u8],
    ) -> io::Result<Option<SkipReason<'static>>> {
        let Some(changes) = &self.changes else { return Ok(None) };
        Ok(match changes.is_changed(dir, name)? {
            Some(true) => None,
            Some(false) => Some(SkipReason::Unchanged),
            None => Some(SkipReason::UnknownChanges),
        })
    }

    /// Returns why a file with this many bytes is not visited.
    pub(crate) fn refuse_size(&self, bytes: u64) -> Option<SkipReason<'static>> {
        match (self.max_size, self.min_size) {
            (Some(max), _) if bytes > max => Some(SkipReason::TooLarge { bytes, max }),
            (_, min) if bytes < min => Some(SkipReason::TooSmall { bytes, min }),
            _ => None,
        }
    }

    /// Whether times have to be read.
    pub(crate) fn has_times(&self) -> bool {
        self.newer.is_some() || self.older.is_some()
    }

    /// Returns why a file that was last modified at `modified` is not visited.
    pub(crate) fn refuse_time(&self, modified: SystemTime) -> Option<SkipReason<'static>> {
        if self.newer.is_some_and(|newer| modified < newer) {
            Some(SkipReason::TooOld)
        } else if self.older.is_some_and(|older| modified >= older) {
            Some(SkipReason::TooNew)
        } else {
            None
        }
    }

    /// Notes that a file is visited. Returns whether no other path has led to it, as far as that
    /// matters.
    pub(crate) fn is_new(&self, id: FileId) -> bool {
        let Some(visited) = &self.visited else { return true };
        // No code panics while the lock is held.
        visited.lock().unwrap_or_else(PoisonError::into_inner).insert(id)
    }

    /// Whether each file is visited once.
    pub(crate) fn has_identities(&self) -> bool {
        self.visited.is_some()
    }
}
