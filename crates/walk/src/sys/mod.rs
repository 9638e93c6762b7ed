//! Everything here that depends on the operating system, behind one trait with two implementations: [`Native`] uses
//! descriptors and raw listings where the system has them, [`Portable`] only the standard library. Both are compiled
//! and tested on Linux, so that neither rots.

use std::{ffi::CStr, fs, io, path::Path};

use crate::{
    config::FileId,
    listing::{Kind, Listing},
};

#[cfg(target_os = "linux")]
mod linux;
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use linux::Linux as Native;
pub(crate) use portable::Portable;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::Portable as Native;

/// Whether a symbolic link stands for what it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Keep,
}

/// What a status call tells about a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    pub(crate) kind: Kind,
    pub(crate) id: FileId,
    pub(crate) size: u64,
}

/// The state of a listing that is read in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There may be more entries.
    More,
    /// That was all of them.
    End,
}

/// The calls of an operating system that a walk needs.
pub(crate) trait System: Send + Sync + Sized + 'static {
    /// An open directory.
    type Dir: OpenFile + std::fmt::Debug + Send + Sync;
    /// Memory that listings are read into, one per worker.
    type Buffer: Default + Send;
    /// A directory being listed.
    type Lister<'a>: Lister;

    /// Open a directory by path. `links` speaks of the last component.
    fn open(path: &Path, links: Links) -> io::Result<Self::Dir>;
    /// Open a directory by its name in another.
    fn open_in(parent: &Self::Dir, name: &[u8], links: Links) -> io::Result<Self::Dir>;
    /// Examine a path, following links.
    fn status(path: &Path) -> io::Result<Status>;
    /// Examine an open directory itself.
    fn status_of(dir: &Self::Dir) -> io::Result<Status>;
    /// Examine a name in an open directory.
    fn status_in(dir: &Self::Dir, name: &CStr, links: Links) -> io::Result<Status>;
    /// Start to list an open directory.
    fn list<'a>(dir: &'a Self::Dir, buffer: &'a mut Self::Buffer) -> io::Result<Self::Lister<'a>>;
}

/// Yields a directory's entries in chunks.
pub(crate) trait Lister {
    /// Add entries to `listing` until it is full or the directory is exhausted; `.` and `..` are left out.
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress>;
}

/// Opens files by their name in a directory; all that a visitor's view of a directory needs.
pub(crate) trait OpenFile {
    /// Open for reading. A pipe that took the place of a listed file does not block.
    fn open_file(&self, name: &CStr) -> io::Result<fs::File>;

    /// As [`open_file`](OpenFile::open_file), for a file that is going to be read whole: worth finding out how its end
    /// shows.
    fn open_whole(&self, name: &CStr) -> io::Result<OpenedFile> {
        Ok(OpenedFile::plain(self.open_file(name)?))
    }
}

/// A file open for reading.
#[derive(Debug)]
pub struct OpenedFile {
    /// The file.
    pub file: fs::File,
    /// A read that gives less than it was asked for, and stops within a page, has met the end: the file lies on a local
    /// file system that is known to read to the end, or to the length asked for. Spares the read that confirms it.
    pub short_read_is_eof: bool,
    /// It lies on a disk, and what is in memory of it can be told from what is not: [`read_cached`](Self::read_cached)
    /// is worth a try.
    pub may_be_cold: bool,
}

impl OpenedFile {
    /// A file of which nothing is known.
    pub(crate) fn plain(file: fs::File) -> OpenedFile {
        OpenedFile { file, short_read_is_eof: false, may_be_cold: false }
    }

    /// Whether its number is the one that its directory lists it by, which [`WalkConfig::skip`](crate::WalkConfig::skip) is known by:
    /// on a local file system, unless it was mounted where it lies.
    #[must_use]
    pub fn is_as_listed(&self) -> bool {
        // To be opened as such a file it had to lie on its directory's own mount.
        self.short_read_is_eof
    }

    /// Read on without waiting for a disk. Gives less than it was asked for at the end of the file, and where the pages
    /// end that are in memory; these are fetched in the meantime.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`]: nothing is in memory of what comes next. Whatever else it is, a system or a file
    /// system may not know of such reads: an ordinary one tells what it really is.
    pub fn read_cached(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(target_os = "linux")]
        return linux::read_cached(&self.file, buffer);
        #[cfg(not(target_os = "linux"))]
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Open the file `name` of the directory whose path is `dir`, with a slash at the end or empty, as
/// [`open_file`](OpenFile::open_file) would.
pub(crate) fn open_by_path(dir: &[u8], name: &[u8]) -> io::Result<fs::File> {
    #[cfg(target_os = "linux")]
    return linux::open_by_path(dir, name);
    #[cfg(not(target_os = "linux"))]
    portable::open_by_path(dir, name)
}

/// How many descriptors this process may have open at a time, and how many are taken; None where nobody counts.
pub(crate) fn descriptor_limit() -> Option<DescriptorLimit> {
    #[cfg(target_os = "linux")]
    return linux::descriptor_limit();
    #[cfg(not(target_os = "linux"))]
    None
}

/// Make room for so many descriptors, where the system would otherwise do it when they are needed, with all threads
/// waiting. Without the room everything works, only later.
pub(crate) fn reserve_descriptors(count: usize) {
    #[cfg(target_os = "linux")]
    linux::reserve_descriptors(count);
    #[cfg(not(target_os = "linux"))]
    let _ = count;
}

/// How often this thread has had to wait for something, and so given away its core; None where nobody counts.
pub(crate) fn waits() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return linux::waits();
    #[cfg(not(target_os = "linux"))]
    None
}

/// See [`descriptor_limit`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptorLimit {
    pub(crate) limit: usize,
    pub(crate) taken: usize,
}

/// The bytes by which ignore rules and output know a path or name.
#[cfg(unix)]
pub(crate) fn bytes_of(path: &Path) -> std::borrow::Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().into()
}

/// The bytes by which ignore rules and output know a path or name.
#[cfg(not(unix))]
pub(crate) fn bytes_of(path: &Path) -> std::borrow::Cow<'_, [u8]> {
    path.as_os_str().to_string_lossy().into_owned().into_bytes().into()
}

/// The path that `bytes` stand for.
#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> std::borrow::Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).into()
}

/// The path that `bytes` stand for.
#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> std::borrow::Cow<'_, Path> {
    std::path::PathBuf::from(String::from_utf8_lossy(bytes).into_owned()).into()
}
