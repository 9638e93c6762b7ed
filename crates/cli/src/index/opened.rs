//! The indexes that a run has opened, each once.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use heist_index::{Error, Home, Index, Plan, Scope, StampTrust, Verdict};
use heist_walk::{FileId, FileMetadata};
use heist_watch::Changes;

use super::freshness::{Freshness, stamp_of};
use crate::sys;

/// An index is opened only if the process may have at least this many descriptors. It takes one for
/// each segment and one for its snapshot, which the walk would lack.
const MIN_DESCRIPTORS: usize = 64;

/// The indexes that a run has opened. All its parts use the same state of each.
#[derive(Debug)]
pub(crate) struct OpenIndexes {
    home: Home,
    /// Whether processes that watch trees are relied on.
    is_watched: bool,
    opened: Mutex<Vec<Arc<OpenIndex>>>,
}

/// An index of a tree on a device where times of change are to be trusted.
#[derive(Debug)]
pub(crate) struct OpenIndex {
    pub(crate) index: Index,
    pub(super) freshness: Freshness,
}

impl OpenIndexes {
    /// Prepares to open indexes in `home`; `None` if there are certainly none.
    /// `is_watched` states whether processes that watch trees are relied on.
    pub(crate) fn new(home: &Home, is_watched: bool) -> Option<OpenIndexes> {
        if sys::descriptor_limit().is_some_and(|limit| limit < MIN_DESCRIPTORS) {
            log::debug!("no index is used: there are fewer than {MIN_DESCRIPTORS} descriptors");
            return None;
        }
        let is_absent = matches!(home.check(), Err(Error::Absent));
        let (home, opened) = (home.clone(), Mutex::default());
        (!is_absent).then(|| OpenIndexes { home, is_watched, opened })
    }

    /// Where they lie.
    pub(super) fn path(&self) -> &Path {
        self.home.path()
    }

    /// Checks that there may be indexes.
    ///
    /// # Errors
    /// Such as [`Error::Untrusted`].
    pub(super) fn check(&self) -> Result<(), Error> {
        self.home.check()
    }

    /// Opens an index that covers `dir`, a canonical path.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none; another error if it cannot be used.
    pub(super) fn covering(&self, dir: &Path) -> Result<Arc<OpenIndex>, Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.iter().find(|opened| dir.starts_with(opened.root())) {
            return Ok(Arc::clone(known));
        }
        let index = self.home.find(dir)?;
        let TrustedDevice { device, trusts_dirs } = trusted_device(index.root())?;
        let is_watched = self.is_watched && trusts_dirs;
        let changes = is_watched.then(|| self.changes(&index)).flatten();
        let freshness = Freshness { device, trusts_dirs, changes };
        let index = Arc::new(OpenIndex { index, freshness });
        opened.push(Arc::clone(&index));
        Ok(index)
    }

    /// The indexes that have been opened.
    pub(super) fn opened(&self) -> Vec<Arc<OpenIndex>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what determines whether the index of `dir` covers a file as it is now.
    ///
    /// # Errors
    /// There is no index, or it cannot be used.
    pub(crate) fn covers(
        &self,
        dir: &Path,
    ) -> Result<impl Fn(&FileMetadata) -> bool + use<>, Error> {
        let opened = self.covering(dir)?;
        opened.index.check_if_changed()?;
        let candidates = opened.index.candidates(&Plan::anything(), Scope::Line)?;
        Ok(move |now: &FileMetadata| {
            now.id.device == opened.freshness.device
                && candidates.verdict(&stamp_of(now)) != Verdict::NotCovered
        })
    }

    /// What may have changed since `index` was built, if a process that watches the tree knows.
    fn changes(&self, index: &Index) -> Option<Changes> {
        let root = index.root();
        let pending = heist_watch::request(&self.home.dir_of(root), index.identity());
        match pending.and_then(|pending| pending.changes(root)) {
            Ok(changes) => {
                log::debug!("{}: changes are known from the watching process", root.display());
                Some(changes)
            }
            Err(why) => {
                log::debug!("{}: stamps are taken: {why}", root.display());
                None
            }
        }
    }
}

impl OpenIndex {
    /// The directory that is covered.
    pub(super) fn root(&self) -> &Path {
        self.index.root()
    }
}

/// The canonical path of a directory; `None` if `path` leads to none.
pub(super) fn canonical_dir(path: &Path) -> Option<PathBuf> {
    let dir = fs::canonicalize(path).ok()?;
    fs::metadata(&dir).ok()?.is_dir().then_some(dir)
}

/// A device with stamps that prove something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrustedDevice {
    pub(crate) device: u64,
    /// Whether the stamps of directories do.
    pub(crate) trusts_dirs: bool,
}

/// The device of a directory, if stamps prove something there.
///
/// # Errors
/// The reason why they do not, or the system's error.
pub(super) fn trusted_device(dir: &Path) -> io::Result<TrustedDevice> {
    let trusts_dirs = match StampTrust::of(dir)? {
        StampTrust::FilesAndDirs => true,
        StampTrust::Files => false,
        StampTrust::Nothing(why) => return Err(io::Error::other(why)),
    };
    let id = FileId::of(&fs::metadata(dir)?);
    let device = id.map(|id| id.device).ok_or(io::ErrorKind::Unsupported)?;
    Ok(TrustedDevice { device, trusts_dirs })
}
