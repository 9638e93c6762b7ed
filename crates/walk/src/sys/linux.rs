//! Linux: files and directories are opened relative to a descriptor, listings come straight from
//! `getdents64`, and no file is examined whose type the listing reports.
//!
//! Opening by name in an open directory takes a third of the time of opening by path
//! (`docs/decisions/0021-open-relative.md`), and is the only way to go deeper than `PATH_MAX`.

use std::{
    ffi::{CStr, CString},
    fs, io,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::{
    fs::{
        AtFlags, CWD, FileType as SystemType, Mode, OFlags, RawDir, ResolveFlags, Stat, fstat,
        fstatfs, openat, openat2, stat, statat,
    },
    io::{Errno, retry_on_intr},
    path::Arg,
};

use super::{
    attributes::Attributes,
    opened_file::OpenedFile,
    system::{Links, Lister, OpenFile, Progress, Status, System},
};
use crate::{
    file_id::FileId,
    listing::{FileType, Listing},
};

/// The fastest way to walk on Linux.
#[derive(Debug)]
pub(crate) struct Linux;

/// The memory that `getdents64` writes to. 64 KiB hold about 2,000 entries, so that nearly every
/// directory takes one call and another that returns the end.
#[derive(Debug)]
pub(crate) struct Buffer(Box<[MaybeUninit<u8>]>);

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer(Box::new_uninit_slice(64 << 10))
    }
}

/// An open directory.
#[derive(Debug)]
pub(crate) struct OpenDir {
    fd: OwnedFd,
    /// Determined when the first file or directory is opened in this one.
    fs_traits: OnceLock<FsTraits>,
}

/// What is known about the file system of a directory.
#[derive(Debug, Default)]
struct FsTraits {
    /// Whether a short read is the end of a file.
    short_read_is_eof: AtomicBool,
    /// Whether that holds, and the files lie on a disk.
    is_disk: bool,
}

/// A directory that is being listed.
pub(crate) struct RawLister<'a>(RawDir<'a, &'a OwnedFd>);

const DIR_FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
// NONBLOCK has no effect on a regular file. A pipe that has taken the place of a listed file opens
// at once instead of blocking until another process writes to it.
const FILE_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOCTTY).union(OFlags::NONBLOCK);

fn dir_flags(links: Links) -> OFlags {
    match links {
        Links::Follow => DIR_FLAGS,
        Links::Keep => DIR_FLAGS | OFlags::NOFOLLOW,
    }
}

impl System for Linux {
    type Dir = OpenDir;
    type Buffer = Buffer;
    type Lister<'a> = RawLister<'a>;

    fn open(path: &Path, links: Links) -> io::Result<OpenDir> {
        match open_at(CWD, path, dir_flags(links)) {
            Err(Errno::NAMETOOLONG) => {
                open_long(path.as_os_str().as_bytes(), links).map(OpenDir::new)
            }
            opened => Ok(OpenDir::new(opened?)),
        }
    }

    fn open_in(parent: &OpenDir, name: &[u8], links: Links) -> io::Result<OpenDir> {
        let flags = dir_flags(links);
        let fs_traits = parent.fs_traits();
        if !fs_traits.short_read_is_eof() {
            // Assumed of the child too. At worst its files are read with more care than needed.
            let fd = open_at(&parent.fd, name, flags)?;
            return Ok(OpenDir { fd, fs_traits: FsTraits::default().into() });
        }
        // What is known about the parent holds for every directory on the same mount.
        if let Some(fd) = fs_traits.open_on_same_mount(parent, name, flags) {
            return Ok(OpenDir { fd, fs_traits: FsTraits::local(fs_traits.is_disk).into() });
        }
        Ok(OpenDir::new(open_at(&parent.fd, name, flags)?))
    }

    fn status(path: &Path) -> io::Result<Status> {
        Ok(status_from(&stat(path)?))
    }

    fn status_of(dir: &OpenDir) -> io::Result<Status> {
        Ok(status_from(&fstat(&dir.fd)?))
    }

    fn status_in(dir: &OpenDir, name: &CStr, links: Links) -> io::Result<Status> {
        let flags = match links {
            Links::Follow => AtFlags::empty(),
            Links::Keep => AtFlags::SYMLINK_NOFOLLOW,
        };
        Ok(status_from(&statat(&dir.fd, name, flags)?))
    }

    fn list<'a>(dir: &'a OpenDir, buffer: &'a mut Buffer) -> io::Result<RawLister<'a>> {
        Ok(RawLister(RawDir::new(&dir.fd, &mut buffer.0)))
    }
}

impl OpenDir {
    fn new(fd: OwnedFd) -> OpenDir {
        OpenDir { fd, fs_traits: OnceLock::new() }
    }

    fn fs_traits(&self) -> &FsTraits {
        self.fs_traits.get_or_init(|| FsTraits::of(&self.fd))
    }
}

impl OpenFile for OpenDir {
    fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        Ok(open_file_at(self.fd.as_fd(), name)?)
    }

    fn open_whole(&self, name: &CStr) -> io::Result<OpenedFile> {
        let fs_traits = self.fs_traits();
        if fs_traits.short_read_is_eof()
            && let Some(fd) = fs_traits.open_on_same_mount(self, name, FILE_FLAGS)
        {
            let may_be_cold = fs_traits.is_disk;
            return Ok(OpenedFile { file: fd.into(), short_read_is_eof: true, may_be_cold });
        }
        Ok(OpenedFile::plain(self.open_file(name)?))
    }
}

impl FsTraits {
    /// The traits of the file system of `dir`. Files that are read through the page cache, from a
    /// local disk or from memory, return less than requested only at their end. Other file systems
    /// may do so anywhere.
    fn of(dir: &OwnedFd) -> FsTraits {
        /// `linux/magic.h`: ext2 to ext4, XFS, Btrfs, F2FS.
        const DISKS: [u32; 4] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010];
        /// The same for tmpfs.
        const MEMORY: u32 = 0x0102_1994;
        // Magic numbers have 32 bits; the width of the field depends on the architecture.
        match fstatfs(dir).map(|stat| stat.f_type as u32) {
            Ok(magic) if DISKS.contains(&magic) => FsTraits::local(true),
            Ok(MEMORY) => FsTraits::local(false),
            _ => FsTraits::default(),
        }
    }

    fn local(is_disk: bool) -> FsTraits {
        FsTraits { short_read_is_eof: true.into(), is_disk }
    }

    fn short_read_is_eof(&self) -> bool {
        // Ordering: Relaxed, because the flag publishes nothing but its own value.
        self.short_read_is_eof.load(Ordering::Relaxed)
    }

    /// Opens `name` in `dir`, a directory with these traits, if it lies on the same mount. It may
    /// be the mount point of another file system, or a link to one: `RESOLVE_NO_XDEV` refuses both.
    /// Returns `None` if `name` must be opened the ordinary way.
    fn open_on_same_mount(&self, dir: &OpenDir, name: impl Arg, flags: OFlags) -> Option<OwnedFd> {
        let opened = openat2(&dir.fd, name, flags, Mode::empty(), ResolveFlags::NO_XDEV);
        if let Err(Errno::NOSYS | Errno::PERM) = opened {
            // Linux before 5.6, or a sandbox: the call would fail for every file.
            // Ordering: Relaxed, as in `short_read_is_eof`.
            self.short_read_is_eof.store(false, Ordering::Relaxed);
        }
        opened.ok()
    }
}

impl Lister for RawLister<'_> {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        while !(listing.is_full() && self.0.is_buffer_empty()) {
            let entry = match self.0.next() {
                None => return Ok(Progress::End),
                Some(Ok(entry)) => entry,
                Some(Err(Errno::INTR)) => continue,
                // The directory was removed after it was opened, so it is empty.
                Some(Err(Errno::NOENT)) => return Ok(Progress::End),
                Some(Err(error)) => return Err(error.into()),
            };
            let name = entry.file_name();
            if name != c"." && name != c".." {
                let attributes = Attributes::default();
                listing.push(name, known_type(entry.file_type()), entry.ino(), attributes);
            }
        }
        Ok(Progress::More)
    }
}

fn file_type_of(stat: &Stat) -> FileType {
    known_type(SystemType::from_raw_mode(stat.st_mode)).unwrap_or(FileType::Other)
}

/// Returns `None` if the file system does not report types in listings.
fn known_type(file_type: SystemType) -> Option<FileType> {
    Some(match file_type {
        SystemType::RegularFile => FileType::File,
        SystemType::Directory => FileType::Dir,
        SystemType::Symlink => FileType::Symlink,
        SystemType::Unknown => return None,
        _ => FileType::Other,
    })
}

fn status_from(stat: &Stat) -> Status {
    Status {
        file_type: file_type_of(stat),
        id: FileId { device: stat.st_dev, inode: stat.st_ino },
        size: u64::try_from(stat.st_size).unwrap_or(0),
    }
}

/// Opens `path` relative to `dir`. A signal may interrupt the call while another process gives up a
/// lease, or while a FUSE file system answers.
fn open_at(dir: impl AsFd, path: impl Arg + Copy, flags: OFlags) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| openat(&dir, path, flags, Mode::empty()))
}

/// Opens a listed file by its name in a directory, or by its path relative to one.
fn open_file_at(dir: BorrowedFd<'_>, path: &CStr) -> Result<fs::File, Errno> {
    match open_at(dir, path, FILE_FLAGS) {
        Err(Errno::AGAIN)
            if file_type_of(&statat(dir, path, AtFlags::empty())?) == FileType::File =>
        {
            // Another process holds a lease on the file (fcntl(2), F_SETLEASE) and has been
            // notified. Without NONBLOCK the call waits until the lease is given up.
            let flags = FILE_FLAGS.difference(OFlags::NONBLOCK);
            Ok(open_at(dir, path, flags)?.into())
        }
        opened => Ok(opened?.into()),
    }
}

/// Opens the file `name` of the directory `dir`, which ends in a slash or is empty.
pub(crate) fn open_by_path(dir: &[u8], name: &[u8]) -> io::Result<fs::File> {
    let path = CString::new([dir, name].concat())?;
    match open_file_at(CWD, &path) {
        Err(Errno::NAMETOOLONG) => {
            let dir = open_long(dir, Links::Follow)?;
            Ok(open_file_at(dir.as_fd(), &CString::new(name)?)?)
        }
        opened => Ok(opened?),
    }
}

/// Opens a directory whose path is longer than the system accepts, a piece at a time.
fn open_long(path: &[u8], links: Links) -> io::Result<OwnedFd> {
    /// Below `PATH_MAX`, which is 4096 with the NUL.
    const PIECE: usize = 4000;
    let mut dir: Option<OwnedFd> = None;
    let mut rest = path;
    loop {
        let at = dir.as_ref().map_or(CWD, OwnedFd::as_fd);
        if rest.len() <= PIECE {
            return Ok(open_at(at, rest, dir_flags(links))?);
        }
        let Some(slash) = rest[..PIECE].iter().rposition(|&b| b == b'/').filter(|&i| i > 0) else {
            return Err(Errno::NAMETOOLONG.into());
        };
        let opened = open_at(at, &rest[..slash], dir_flags(Links::Follow))?;
        let name = rest[slash..].iter().position(|&byte| byte != b'/');
        // A second slash would make the rest absolute.
        rest = &rest[slash + name.unwrap_or(rest.len() - slash)..];
        if rest.is_empty() {
            return Ok(opened);
        }
        dir = Some(opened);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_beyond_path_max_open_in_pieces() {
        let temp = tempfile::tempdir().unwrap();
        let name = "d".repeat(200);
        let mut dir = Linux::open(temp.path(), Links::Follow).unwrap();
        let mut path = temp.path().to_path_buf();
        for _ in 0..30 {
            rustix::fs::mkdirat(&dir.fd, name.as_str(), Mode::RWXU).unwrap();
            dir = Linux::open_in(&dir, name.as_bytes(), Links::Keep).unwrap();
            path.push(&name);
        }
        assert!(path.as_os_str().len() > 4096);
        let by_path = Linux::open(&path, Links::Keep).unwrap();
        assert_eq!(Linux::status_of(&by_path).unwrap().id, Linux::status_of(&dir).unwrap().id);
        path.push("missing");
        let error = Linux::open(&path, Links::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
