//! Calls relative to open directories, which every Unix has.
//!
//! Opening by name in an open directory takes a third of the time that opening by path takes
//! (`docs/decisions/0021-open-relative.md`), and is the only way to go deeper than `PATH_MAX`.

use std::{
    ffi::{CStr, CString},
    fs, io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
};

use rustix::{
    fs::{AtFlags, CWD, FileType as SystemType, Mode, OFlags, Stat, fstat, openat, stat, statat},
    io::{Errno, retry_on_intr},
    path::Arg,
};

use super::system::{Links, Status};
use crate::{
    listing::{Attributes, FileType, Listing},
    metadata::FileId,
};

const DIR_FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
// NONBLOCK has no effect on a regular file. A pipe that has taken the place of a listed file opens
// at once instead of blocking until another process writes to it.
pub(super) const FILE_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOCTTY).union(OFlags::NONBLOCK);

/// How long a path can be that every call takes, below `PATH_MAX` with the NUL.
const MAX_PATH: usize = if cfg!(target_os = "linux") { 4000 } else { 1000 };

pub(super) fn dir_flags(links: Links) -> OFlags {
    match links {
        Links::Follow => DIR_FLAGS,
        Links::Keep => DIR_FLAGS | OFlags::NOFOLLOW,
    }
}

/// Opens a directory by path.
pub(super) fn open_dir(path: &Path, links: Links) -> io::Result<OwnedFd> {
    match open_at(CWD, path, dir_flags(links)) {
        Err(Errno::NAMETOOLONG) => open_long(path.as_os_str().as_bytes(), links, MAX_PATH),
        opened => Ok(opened?),
    }
}

/// Opens `path` relative to `dir`. A signal may interrupt the call while another process gives up a
/// lease, or while a FUSE file system answers.
pub(super) fn open_at(
    dir: impl AsFd,
    path: impl Arg + Copy,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| openat(&dir, path, flags, Mode::empty()))
}

/// Opens a listed file by its name in a directory, or by its path relative to one.
pub(super) fn open_file_at(dir: BorrowedFd<'_>, path: &CStr) -> Result<fs::File, Errno> {
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

/// Opens the file `name` in the directory `dir`, which ends in a slash or is empty.
pub(crate) fn open_by_path(dir: &[u8], name: &[u8]) -> io::Result<fs::File> {
    let path = CString::new([dir, name].concat())?;
    match open_file_at(CWD, &path) {
        Err(Errno::NAMETOOLONG) => {
            let dir = open_long(dir, Links::Follow, MAX_PATH)?;
            Ok(open_file_at(dir.as_fd(), &CString::new(name)?)?)
        }
        opened => Ok(opened?),
    }
}

/// Opens a directory at a path that is longer than the system accepts, `max` bytes at a time.
fn open_long(path: &[u8], links: Links, max: usize) -> io::Result<OwnedFd> {
    let mut dir: Option<OwnedFd> = None;
    let mut rest = path;
    loop {
        let at = dir.as_ref().map_or(CWD, OwnedFd::as_fd);
        if rest.len() <= max {
            return Ok(open_at(at, rest, dir_flags(links))?);
        }
        let slash = rest[..max].iter().rposition(|&byte| byte == b'/');
        let Some(slash) = slash.filter(|&slash| slash > 0) else {
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

/// Examines a path, following links.
pub(super) fn status(path: &Path) -> io::Result<Status> {
    Ok(status_from(&stat(path)?))
}

/// Examines an open directory itself.
pub(super) fn status_of(dir: impl AsFd) -> io::Result<Status> {
    Ok(status_from(&fstat(dir)?))
}

/// Examines a name in an open directory.
pub(super) fn status_in(dir: impl AsFd, name: &CStr, links: Links) -> io::Result<Status> {
    let flags = match links {
        Links::Follow => AtFlags::empty(),
        Links::Keep => AtFlags::SYMLINK_NOFOLLOW,
    };
    Ok(status_from(&statat(dir, name, flags)?))
}

fn status_from(stat: &Stat) -> Status {
    // On macOS devices have 32 bits and a sign, which `Metadata::dev` extends likewise.
    #[allow(clippy::unnecessary_cast)]
    let device = stat.st_dev as u64;
    Status {
        file_type: file_type_of(stat),
        id: FileId { device, inode: stat.st_ino },
        size: u64::try_from(stat.st_size).unwrap_or(0),
    }
}

fn file_type_of(stat: &Stat) -> FileType {
    known_type(SystemType::from_raw_mode(stat.st_mode)).unwrap_or(FileType::Other)
}

/// Adds an entry to a listing, unless it is `.` or `..`.
#[inline]
pub(super) fn push(listing: &mut Listing, name: &CStr, file_type: SystemType, inode: u64) {
    if name != c"." && name != c".." {
        listing.push(name, known_type(file_type), inode, Attributes::default());
    }
}

/// Returns `None` if the file system does not report types in listings.
pub(super) fn known_type(file_type: SystemType) -> Option<FileType> {
    Some(match file_type {
        SystemType::RegularFile => FileType::File,
        SystemType::Directory => FileType::Dir,
        SystemType::Symlink => FileType::Symlink,
        SystemType::Unknown => return None,
        _ => FileType::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_beyond_path_max_open_in_pieces() {
        let temp = tempfile::tempdir().unwrap();
        let name = "d".repeat(200);
        let mut dir = open_dir(temp.path(), Links::Follow).unwrap();
        let mut path = temp.path().to_path_buf();
        for _ in 0..30 {
            rustix::fs::mkdirat(&dir, name.as_str(), Mode::RWXU).unwrap();
            dir = open_at(&dir, name.as_str(), dir_flags(Links::Keep)).unwrap();
            path.push(&name);
        }
        assert!(path.as_os_str().len() > 4096);
        let by_path = open_dir(&path, Links::Keep).unwrap();
        assert_eq!(status_of(&by_path).unwrap().id, status_of(&dir).unwrap().id);
        for max in [250, 1000, 4000] {
            let in_pieces = open_long(path.as_os_str().as_bytes(), Links::Keep, max).unwrap();
            assert_eq!(status_of(&in_pieces).unwrap().id, status_of(&dir).unwrap().id, "{max}");
        }
        path.push("missing");
        let error = open_dir(&path, Links::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn identities_are_those_of_the_standard_library() {
        let temp = tempfile::tempdir().unwrap();
        let expected = FileId::of(&fs::metadata(temp.path()).unwrap());
        assert_eq!(Some(status(temp.path()).unwrap().id), expected);
        assert_eq!(
            Some(status_in(CWD, c".", Links::Keep).unwrap().id),
            FileId::of(&fs::metadata(".").unwrap())
        );
    }
}
