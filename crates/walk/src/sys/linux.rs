//! Linux: files and directories are opened relative to a descriptor, listings come straight from
//! `getdents64`, and no file is examined if the listing reports its type.

use std::{
    ffi::CStr,
    fs, io,
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
    path::Path,
    sync::atomic::{AtomicU8, Ordering},
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
    statx,
    system::{Links, Lister, OpenFile, Progress, Status, System},
};
use crate::{
    listing::Listing,
    metadata::{FileMetadata, FileTime},
};

/// The fastest way to walk on Linux.
#[derive(Clone, Copy, Debug)]
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
    /// The [`FsTraits`], or [`UNKNOWN_TRAITS`] until the first file or directory is opened in this
    /// one.
    fs_traits: AtomicU8,
}

/// What is known about a directory's file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum FsTraits {
    /// Nothing: a short read may occur anywhere.
    Other,
    /// A short read is the end of a file.
    Local,
    /// A short read is the end of a file, and the files lie on a disk.
    LocalDisk,
}

/// Not determined yet.
const UNKNOWN_TRAITS: u8 = u8::MAX;

/// A directory that is being listed.
pub(crate) struct RawLister<'a> {
    entries: RawDir<'a, &'a OwnedFd>,
    /// Whether [`END_POSITION`] can be relied on.
    marks_end: bool,
    /// The position behind the entry that was read last.
    last_position: u64,
}

/// The position that ext4 reports behind the last entry if it could read all entries of a directory
/// that has an index or a single block: `EXT4_HTREE_EOF_64BIT`, which it gives to no entry. Saves
/// the call that returns the end. Other file systems on disks use it for nothing else.
const END_POSITION: u64 = i64::MAX as u64;

impl System for Linux {
    type Dir = OpenDir;
    type Buffer = Buffer;
    type Lister<'a> = RawLister<'a>;

    fn open(self, path: &Path, links: Links) -> io::Result<OpenDir> {
        at::open_dir(path, links).map(OpenDir::new)
    }

    fn open_in(parent: &OpenDir, name: &[u8], links: Links) -> io::Result<OpenDir> {
        let flags = dir_flags(links);
        let fs_traits = parent.fs_traits();
        if !fs_traits.short_read_is_eof() {
            // Assumed about the child too. At worst its files are read with more care than needed.
            let fd = at::open_at(&parent.fd, name, flags)?;
            return Ok(OpenDir::with(fd, FsTraits::Other));
        }
        // What is known about the parent holds for every directory on the same mount.
        if let Some(fd) = parent.open_on_same_mount(name, flags) {
            return Ok(OpenDir::with(fd, fs_traits));
        }
        Ok(OpenDir::new(at::open_at(&parent.fd, name, flags)?))
    }

    fn status(self, path: &Path) -> io::Result<Status> {
        at::status(path)
    }

    fn status_of(dir: &OpenDir) -> io::Result<Status> {
        at::status_of(&dir.fd)
    }

    fn status_in(dir: &OpenDir, name: &CStr, links: Links) -> io::Result<Status> {
        at::status_in(&dir.fd, name, links)
    }

    fn list<'a>(dir: &'a OpenDir, buffer: &'a mut Buffer) -> io::Result<RawLister<'a>> {
        let entries = RawDir::new(&dir.fd, &mut buffer.0);
        // Ordering: Relaxed, see `fs_traits`.
        let marks_end = dir.fs_traits.load(Ordering::Relaxed) == FsTraits::LocalDisk as u8;
        Ok(RawLister { entries, marks_end, last_position: 0 })
    }
}

impl OpenDir {
    fn new(fd: OwnedFd) -> OpenDir {
        OpenDir { fd, fs_traits: UNKNOWN_TRAITS.into() }
    }

    fn with(fd: OwnedFd, fs_traits: FsTraits) -> OpenDir {
        OpenDir { fd, fs_traits: (fs_traits as u8).into() }
    }

    fn fs_traits(&self) -> FsTraits {
        // Ordering: Relaxed, here and in other places: the value publishes nothing but itself. Two
        // workers that determine it at the same time find the same.
        match self.fs_traits.load(Ordering::Relaxed) {
            UNKNOWN_TRAITS => {
                let found = FsTraits::of(&self.fd);
                self.fs_traits.store(found as u8, Ordering::Relaxed);
                found
            }
            known => FsTraits::from(known),
        }
    }

    /// Opens `name` in this directory if it lies on the same mount. It may be the mount point of
    /// another file system, or a link to one: `RESOLVE_NO_XDEV` refuses both. Returns `None` if
    /// `name` must be opened the ordinary way.
    fn open_on_same_mount(&self, name: impl Arg, flags: OFlags) -> Option<OwnedFd> {
        let opened = openat2(&self.fd, name, flags, Mode::empty(), ResolveFlags::NO_XDEV);
        if let Err(Errno::NOSYS | Errno::PERM) = opened {
            // Linux before 5.6, or a sandbox: the call would fail for every file.
            self.fs_traits.store(FsTraits::Other as u8, Ordering::Relaxed);
        }
        opened.ok()
    }
}

impl OpenFile for OpenDir {
    fn opener(&self) -> &dyn OpenFile {
        self
    }

    fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        Ok(at::open_file_at(self.fd.as_fd(), name)?)
    }

    fn open_whole(&self, name: &CStr) -> io::Result<OpenedFile> {
        let fs_traits = self.fs_traits();
        if fs_traits.short_read_is_eof()
            && let Some(fd) = self.open_on_same_mount(name, FILE_FLAGS)
        {
            let may_be_cold = fs_traits == FsTraits::LocalDisk;
            return Ok(OpenedFile { file: fd.into(), short_read_is_eof: true, may_be_cold });
        }
        Ok(OpenedFile::plain(self.open_file(name)?))
    }

    fn metadata_of(&self, name: &CStr, links: Links) -> io::Result<FileMetadata> {
        statx::metadata_in(&self.fd, name, links)
    }

    fn time_of(&self, name: &CStr, links: Links, time: FileTime) -> io::Result<SystemTime> {
        statx::time_in(&self.fd, name, links, time)
    }
}

impl FsTraits {
    /// What is known about the file system that `dir` is on. Files that are read through the page
    /// cache, from a local disk or from memory, return less than requested only at their end. Other
    /// file systems may do so anywhere.
    fn of(dir: &OwnedFd) -> FsTraits {
        /// `linux/magic.h`: ext2 to ext4, XFS, Btrfs, F2FS.
        const DISK_MAGICS: [u32; 4] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010];
        /// `linux/magic.h`: tmpfs.
        const TMPFS_MAGIC: u32 = 0x0102_1994;
        // Magic numbers have 32 bits; how wide the field is depends on the architecture.
        match fstatfs(dir).map(|stat| stat.f_type as u32) {
            Ok(magic) if DISK_MAGICS.contains(&magic) => FsTraits::LocalDisk,
            Ok(TMPFS_MAGIC) => FsTraits::Local,
            _ => FsTraits::Other,
        }
    }

    fn short_read_is_eof(self) -> bool {
        self != FsTraits::Other
    }
}

impl From<u8> for FsTraits {
    fn from(stored: u8) -> FsTraits {
        const LOCAL: u8 = FsTraits::Local as u8;
        const LOCAL_DISK: u8 = FsTraits::LocalDisk as u8;
        match stored {
            LOCAL => FsTraits::Local,
            LOCAL_DISK => FsTraits::LocalDisk,
            _ => FsTraits::Other,
        }
    }
}

impl Lister for RawLister<'_> {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        loop {
            if self.entries.is_buffer_empty() {
                if listing.is_full() {
                    return Ok(Progress::More);
                }
                if self.marks_end && self.last_position == END_POSITION {
                    return Ok(Progress::End);
                }
            }
            let entry = match self.entries.next() {
                None => return Ok(Progress::End),
                Some(Ok(entry)) => entry,
                Some(Err(Errno::INTR)) => continue,
                // The directory was removed after it was opened, so it is empty.
                Some(Err(Errno::NOENT)) => return Ok(Progress::End),
                Some(Err(error)) => return Err(error.into()),
            };
            self.last_position = entry.next_entry_cookie();
            at::push(listing, entry.file_name(), entry.file_type(), entry.ino());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each listing takes one chunk or several, whether or not the file system marks the end.
    #[test]
    fn every_entry_is_listed_once() {
        let temp = tempfile::tempdir().unwrap();
        let parent = Linux.open(temp.path(), Links::Follow).unwrap();
        parent.fs_traits();
        for count in [0, 1, 20, 300, 3000] {
            let name = count.to_string();
            let path = temp.path().join(&name);
            fs::create_dir(&path).unwrap();
            for number in 0..count {
                // Several blocks, and more than the buffer holds in the largest directory.
                fs::write(path.join(format!("{number:0100}")), "").unwrap();
            }
            let dirs = [
                Linux.open(&path, Links::Keep),
                Linux::open_in(&parent, name.as_bytes(), Links::Keep),
            ];
            for dir in dirs.map(Result::unwrap) {
                let mut buffer = Buffer::default();
                let mut lister = Linux::list(&dir, &mut buffer).unwrap();
                let mut listing = Listing::default();
                let mut names = Vec::new();
                loop {
                    listing.clear();
                    let progress = lister.fill(&mut listing).unwrap();
                    let entries = listing.entries().iter();
                    names.extend(entries.map(|&entry| listing.name(entry).bytes().to_vec()));
                    if progress == Progress::End {
                        break;
                    }
                }
                names.sort();
                let expected: Vec<_> =
                    (0..count).map(|n| format!("{n:0100}").into_bytes()).collect();
                assert_eq!(names, expected, "{count}");
            }
        }
    }
}
