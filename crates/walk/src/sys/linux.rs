//! Linux: directories are opened and files looked up relative to a descriptor, listings come straight from
//! `getdents64`, and nothing is stat'ed that the listing tells.
//!
//! Opening by name in an open directory costs a third of opening by path (measured once for the design: 437 ns against
//! 1391 ns), and is the only way to go deeper than `PATH_MAX`.

use std::{
    ffi::CStr,
    fs, io,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, Stat, fstat, openat, stat, statat},
    io::Errno,
    process::{Resource, getrlimit},
};

use super::{DescriptorLimit, Links, Lister, OpenFile, Progress, Status, System};
use crate::{
    config::FileId,
    listing::{Kind, Listing},
};

/// See the module.
#[derive(Debug)]
pub(crate) struct Linux;

/// The space `getdents64` writes to: 64 KiB hold about 2,000 entries, so that nearly every directory takes one call
/// and the one that says there is no more.
#[derive(Debug)]
pub(crate) struct Buffer(Box<[MaybeUninit<u8>]>);

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer(Box::new_uninit_slice(64 << 10))
    }
}

/// A directory being listed.
pub(crate) struct RawLister<'a>(RawDir<'a, &'a OwnedFd>);

const DIR_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);
// NONBLOCK: a regular file does not know it, a pipe that took a listed file's place opens at once instead of waiting
// for somebody to write to it.
const FILE_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY)
    .union(OFlags::NONBLOCK);

fn dir_flags(links: Links) -> OFlags {
    match links {
        Links::Follow => DIR_FLAGS,
        Links::Keep => DIR_FLAGS | OFlags::NOFOLLOW,
    }
}

impl System for Linux {
    type Dir = OwnedFd;
    type Buffer = Buffer;
    type Lister<'a> = RawLister<'a>;

    fn open(path: &Path, links: Links) -> io::Result<OwnedFd> {
        match openat(CWD, path, dir_flags(links), Mode::empty()) {
            Err(Errno::NAMETOOLONG) => open_long(path.as_os_str().as_bytes(), links),
            opened => Ok(opened?),
        }
    }

    fn open_in(parent: &OwnedFd, name: &[u8], links: Links) -> io::Result<OwnedFd> {
        Ok(openat(parent, name, dir_flags(links), Mode::empty())?)
    }

    fn status(path: &Path) -> io::Result<Status> {
        Ok(status_from(&stat(path)?))
    }

    fn status_of(dir: &OwnedFd) -> io::Result<Status> {
        Ok(status_from(&fstat(dir)?))
    }

    fn status_in(dir: &OwnedFd, name: &CStr, links: Links) -> io::Result<Status> {
        let flags = match links {
            Links::Follow => AtFlags::empty(),
            Links::Keep => AtFlags::SYMLINK_NOFOLLOW,
        };
        Ok(status_from(&statat(dir, name, flags)?))
    }

    fn list<'a>(dir: &'a OwnedFd, buffer: &'a mut Buffer) -> io::Result<RawLister<'a>> {
        Ok(RawLister(RawDir::new(dir, &mut buffer.0)))
    }
}

impl OpenFile for OwnedFd {
    fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        Ok(openat(self, name, FILE_FLAGS, Mode::empty())?.into())
    }
}

impl Lister for RawLister<'_> {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        while !(listing.is_full() && self.0.is_buffer_empty()) {
            let Some(entry) = self.0.next() else {
                return Ok(Progress::End);
            };
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                listing.push(name, kind_from(entry.file_type()), entry.ino());
            }
        }
        Ok(Progress::More)
    }
}

fn kind_from(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Dir,
        FileType::Symlink => Kind::Symlink,
        FileType::Unknown => Kind::Unknown,
        _ => Kind::Other,
    }
}

fn status_from(stat: &Stat) -> Status {
    Status {
        kind: kind_from(FileType::from_raw_mode(stat.st_mode)),
        id: FileId {
            device: stat.st_dev,
            inode: stat.st_ino,
        },
        size: u64::try_from(stat.st_size).unwrap_or(0),
    }
}

/// Open a directory whose path is longer than the system takes at once, a piece at a time.
fn open_long(path: &[u8], links: Links) -> io::Result<OwnedFd> {
    /// Below `PATH_MAX`, which is 4096 with the NUL.
    const PIECE: usize = 4000;
    let mut dir: Option<OwnedFd> = None;
    let mut rest = path;
    loop {
        let at = dir.as_ref().map_or(CWD, OwnedFd::as_fd);
        if rest.len() <= PIECE {
            return Ok(openat(at, rest, dir_flags(links), Mode::empty())?);
        }
        let Some(slash) = rest[..PIECE]
            .iter()
            .rposition(|&b| b == b'/')
            .filter(|&i| i > 0)
        else {
            return Err(Errno::NAMETOOLONG.into());
        };
        let opened = openat(at, &rest[..slash], dir_flags(Links::Follow), Mode::empty())?;
        rest = &rest[slash + 1..];
        dir = Some(opened);
    }
}

/// The soft limit, and a count of what is taken where the limit is so low that the count matters.
pub(super) fn descriptor_limit() -> Option<DescriptorLimit> {
    const LOW: usize = 256;
    const USUALLY_TAKEN: usize = 16;
    let limit = usize::try_from(getrlimit(Resource::Nofile).current?).ok()?;
    let taken = match limit {
        0..LOW => fs::read_dir("/proc/self/fd").map_or(USUALLY_TAKEN, Iterator::count),
        _ => USUALLY_TAKEN,
    };
    Some(DescriptorLimit { limit, taken })
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
            rustix::fs::mkdirat(&dir, name.as_str(), Mode::RWXU).unwrap();
            dir = Linux::open_in(&dir, name.as_bytes(), Links::Keep).unwrap();
            path.push(&name);
        }
        assert!(path.as_os_str().len() > 4096);
        let by_path = Linux::open(&path, Links::Keep).unwrap();
        assert_eq!(
            Linux::status_of(&by_path).unwrap().id,
            Linux::status_of(&dir).unwrap().id
        );
        path.push("missing");
        let error = Linux::open(&path, Links::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
