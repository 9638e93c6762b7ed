//! Linux: files and directories are opened relative to a descriptor, listings come straight from
//! `getdents64`, and no file is examined whose type the listing reports.

use std::{
    ffi::CStr,
    fs, io,
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use rustix::{
    fs::{Mode, OFlags, RawDir, ResolveFlags, fstatfs, openat2},
    io::Errno,
    path::Arg,
};

use super::{
    at::{self, FILE_FLAGS, dir_flags},
    opened_file::OpenedFile,
    system::{Links, Lister, OpenFile, Progress, Status, System},
    times,
};
use crate::{file_time::FileTime, listing::Listing};

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

impl System for Linux {
    type Dir = OpenDir;
    type Buffer = Buffer;
    type Lister<'a> = RawLister<'a>;

    fn open(path: &Path, links: Links) -> io::Result<OpenDir> {
        at::open_dir(path, links).map(OpenDir::new)
    }

    fn open_in(parent: &OpenDir, name: &[u8], links: Links) -> io::Result<OpenDir> {
        let flags = dir_flags(links);
        let fs_traits = parent.fs_traits();
        if !fs_traits.short_read_is_eof() {
            // Assumed of the child too. At worst its files are read with more care than needed.
            let fd = at::open_at(&parent.fd, name, flags)?;
            return Ok(OpenDir { fd, fs_traits: FsTraits::default().into() });
        }
        // What is known about the parent holds for every directory on the same mount.
        if let Some(fd) = fs_traits.open_on_same_mount(parent, name, flags) {
            return Ok(OpenDir { fd, fs_traits: FsTraits::local(fs_traits.is_disk).into() });
        }
        Ok(OpenDir::new(at::open_at(&parent.fd, name, flags)?))
    }

    fn status(path: &Path) -> io::Result<Status> {
        at::status(path)
    }

    fn status_of(dir: &OpenDir) -> io::Result<Status> {
        at::status_of(&dir.fd)
    }

    fn status_in(dir: &OpenDir, name: &CStr, links: Links) -> io::Result<Status> {
        at::status_in(&dir.fd, name, links)
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
        Ok(at::open_file_at(self.fd.as_fd(), name)?)
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

    fn time_of(&self, name: &CStr, links: Links, time: FileTime) -> io::Result<SystemTime> {
        times::time_in(&self.fd, name, links, time)
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
            at::push(listing, entry.file_name(), entry.file_type(), entry.ino());
        }
        Ok(Progress::More)
    }
}
