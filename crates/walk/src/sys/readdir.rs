//! macOS and the BSDs: files and directories are opened relative to a descriptor, and listings come
//! from `readdir`, which reports the types of files. Linux can walk this way too: its tests do, and
//! so does the program with `--cfg readdir`.
//!
//! macOS's `getattrlistbulk` would also return sizes and times, which a search does not need, and
//! is slower than `readdir` (`docs/decisions/0100-readdir-on-macos.md`).

use std::{
    ffi::CStr,
    fs, io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::Dir,
    io::{Errno, fcntl_dupfd_cloexec},
};

use super::{
    at,
    system::{Links, Lister, OpenFile, Progress, Status, System},
};
use crate::listing::Listing;

/// The way to walk on every Unix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Readdir;

/// An open directory.
#[derive(Debug)]
pub(crate) struct OpenDir(OwnedFd);

/// A directory that is being listed.
pub(crate) struct DirLister(Dir);

impl System for Readdir {
    type Dir = OpenDir;
    type Buffer = ();
    type Lister<'a> = DirLister;

    fn open(self, path: &Path, links: Links) -> io::Result<OpenDir> {
        at::open_dir(path, links).map(OpenDir)
    }

    fn open_in(parent: &OpenDir, name: &[u8], links: Links) -> io::Result<OpenDir> {
        Ok(OpenDir(at::open_at(&parent.0, name, at::dir_flags(links))?))
    }

    fn status(self, path: &Path) -> io::Result<Status> {
        at::status(path)
    }

    fn status_of(dir: &OpenDir) -> io::Result<Status> {
        at::status_of(&dir.0)
    }

    fn status_in(dir: &OpenDir, name: &CStr, links: Links) -> io::Result<Status> {
        at::status_in(&dir.0, name, links)
    }

    /// The descriptor's copy belongs to the stream. Both share the stream's position: a directory
    /// is listed once.
    fn list<'a>(dir: &'a OpenDir, (): &'a mut ()) -> io::Result<DirLister> {
        Ok(DirLister(Dir::new(fcntl_dupfd_cloexec(&dir.0, 0)?)?))
    }
}

impl OpenFile for OpenDir {
    fn opener(&self) -> &dyn OpenFile {
        self
    }

    fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        Ok(at::open_file_at(self.0.as_fd(), name)?)
    }
}

impl Lister for DirLister {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        while !listing.is_full() {
            let entry = match self.0.read() {
                None => return Ok(Progress::End),
                Some(Ok(entry)) => entry,
                // The directory was removed after it was opened, so it is empty.
                Some(Err(Errno::NOENT)) => return Ok(Progress::End),
                Some(Err(error)) => return Err(error.into()),
            };
            at::push(listing, entry.file_name(), entry.file_type(), entry.ino());
        }
        Ok(Progress::More)
    }
}
