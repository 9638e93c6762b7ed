//! The directory of an index, as the watching process sees it.

use std::{
    fs::{File, TryLockError},
    io::{self, Read, Write},
    mem::MaybeUninit,
    path::Path,
};

use heist_index::{Home, Index};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
    io::Errno,
};

use crate::error::Error;

/// Locked by the process that watches.
const LOCK: &str = "watcher-lock";
/// What an update replaces last.
const MANIFEST: &[u8] = b"manifest";

/// The directory of an index, for the only process that watches its tree.
pub(super) struct IndexDir {
    reports: OwnedFd,
    _lock: File,
}

/// What has happened to an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing.
    None,
    /// Another index may have replaced it.
    Changed,
    /// The index was removed.
    Gone,
}

/// Opens the index of `root`.
pub(super) fn open(home: &Home, root: &Path) -> Result<Index, heist_index::Error> {
    let index = home.find(root)?;
    // An index of a directory above is not meant.
    if index.root() == root { Ok(index) } else { Err(heist_index::Error::Absent) }
}

impl IndexDir {
    /// Locks the directory, and watches it.
    ///
    /// # Errors
    /// [`Error::Running`] if another process has locked it.
    pub(super) fn lock(dir: &Path) -> Result<IndexDir, Error> {
        let path = dir.join(LOCK);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut lock = options.open(&path).map_err(|error| {
            let error = heist_index::Error::Io(error);
            Error::Index(heist_index::Error::At(path, Box::new(error)))
        })?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let owner = lock.read_to_string(&mut text).ok().and_then(|_| text.parse().ok());
                return Err(Error::Running(owner));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // Who holds it is only for messages.
        let _ = lock.set_len(0);
        let _ = lock.write_all(std::process::id().to_string().as_bytes());
        let reports = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK);
        let reports = reports.map_err(io::Error::from)?;
        let what = WatchFlags::MOVED_TO | WatchFlags::DELETE | WatchFlags::DELETE_SELF;
        inotify::add_watch(&reports, dir, what | WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR)
            .map_err(io::Error::from)?;
        Ok(IndexDir { reports, _lock: lock })
    }

    /// Returns what has happened since the last call.
    pub(super) fn news(&self) -> Result<News, Error> {
        let mut buffer = [const { MaybeUninit::uninit() }; 4096];
        let mut reader = Reader::new(&self.reports, &mut buffer);
        let mut news = News::None;
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return Ok(news),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(io::Error::from(error).into()),
            };
            let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED;
            let is_manifest = event.file_name().is_some_and(|name| name.to_bytes() == MANIFEST);
            if event.events().intersects(gone) {
                return Ok(News::Gone);
            } else if is_manifest || event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                news = News::Changed;
            }
        }
    }
}

impl AsFd for IndexDir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reports.as_fd()
    }
}
