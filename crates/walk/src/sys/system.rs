//! The interface between a walk and the operating system.

use std::{ffi::CStr, fmt, fs, io, path::Path, time::SystemTime};

use super::opened_file::OpenedFile;
use crate::{
    listing::{FileType, Listing},
    metadata::{FileId, FileMetadata, FileTime},
};

/// Whether a symbolic link stands for its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Keep,
}

/// What the system reports about a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    pub(crate) file_type: FileType,
    pub(crate) id: FileId,
    pub(crate) size: u64,
}

/// How far a listing has been read, which comes in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There may be more entries.
    More,
    /// The listing is complete.
    End,
}

/// The calls of an operating system that a walk needs.
pub(crate) trait System: Copy + Send + Sync + 'static {
    /// An open directory.
    type Dir: OpenFile + fmt::Debug + Send + Sync;
    /// The memory that listings are read into, one per worker.
    type Buffer: Default + Send;
    /// A directory that is being listed.
    type Lister<'a>: Lister;

    /// Opens a directory by path. `links` applies to the last component.
    fn open(self, path: &Path, links: Links) -> io::Result<Self::Dir>;
    /// Opens a directory by its name in another.
    fn open_in(parent: &Self::Dir, name: &[u8], links: Links) -> io::Result<Self::Dir>;
    /// Examines a path, following links.
    fn status(self, path: &Path) -> io::Result<Status>;
    /// The identity of the file at a path, if it is a regular one that can be examined: pipes and
    /// devices are not the same each time they are read.
    fn file_id(self, path: &Path) -> Option<FileId> {
        let status = self.status(path).ok()?;
        (status.file_type == FileType::File).then_some(status.id)
    }
    /// Examines an open directory itself.
    fn status_of(dir: &Self::Dir) -> io::Result<Status>;
    /// Examines a name in an open directory.
    fn status_in(dir: &Self::Dir, name: &CStr, links: Links) -> io::Result<Status>;
    /// Starts to list an open directory.
    fn list<'a>(dir: &'a Self::Dir, buffer: &'a mut Self::Buffer) -> io::Result<Self::Lister<'a>>;
}

/// Returns the entries of a directory in chunks.
pub(crate) trait Lister {
    /// Adds entries to `listing`, except `.` and `..`, until it is full or the directory ends.
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress>;
}

/// Opens files by their name in a directory. This is all that an entry needs of its directory.
pub(crate) trait OpenFile {
    /// The directory itself, where a call through `self` would only lead there.
    fn opener(&self) -> &dyn OpenFile;

    /// Opens a file for reading. Does not block if a pipe has taken the place of a listed file.
    fn open_file(&self, name: &CStr) -> io::Result<fs::File>;

    /// Opens a file that will be read to its end, and finds out how the end shows, which takes a
    /// cheaper system call or saves a read.
    fn open_whole(&self, name: &CStr) -> io::Result<OpenedFile> {
        Ok(OpenedFile::plain(self.open_file(name)?))
    }

    /// Returns what the system reports about a file, as [`std::fs::Metadata`] has it. May fail
    /// where looking it up by path succeeds.
    fn metadata_of(&self, _name: &CStr, _links: Links) -> io::Result<FileMetadata> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns a time of a file. May fail where looking it up by path succeeds.
    fn time_of(&self, _name: &CStr, _links: Links, _time: FileTime) -> io::Result<SystemTime> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The error for a path of too many symbolic links.
pub(crate) fn too_many_links() -> io::Error {
    #[cfg(unix)]
    {
        rustix::io::Errno::LOOP.into()
    }
    #[cfg(not(unix))]
    io::Error::other("too many levels of symbolic links")
}
