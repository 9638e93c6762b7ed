//! Files' metadata on Linux by name in an open directory, where the standard library looks up the
//! whole path.

use std::{
    io,
    os::fd::AsFd,
    path::Path,
    time::{Duration, SystemTime},
};

use rustix::{
    fs::{AtFlags, CWD, Statx, StatxFlags, StatxTimestamp, makedev, statx},
    path::Arg,
};

use super::{portable, system::Links};
use crate::metadata::{FileId, FileMetadata, FileTime};

/// Returns a time of the file at `path`. Rust's standard library has no creation time with musl.
pub(crate) fn time_of(path: &Path, links: Links, time: FileTime) -> io::Result<SystemTime> {
    // Old kernels and containers do not permit the call.
    time_in(CWD, path, links, time).or_else(|_| portable::time_of(path, links, time))
}

/// The time of the file at `path`, relative to `dir`.
pub(super) fn time_in(
    dir: impl AsFd,
    path: impl Arg,
    links: Links,
    time: FileTime,
) -> io::Result<SystemTime> {
    let wanted = match time {
        FileTime::Modified => StatxFlags::MTIME,
        FileTime::Accessed => StatxFlags::ATIME,
        FileTime::Created => StatxFlags::BTIME,
    };
    let status = status_in(dir, path, links, wanted)?;
    let StatxTimestamp { tv_sec, tv_nsec, .. } = match time {
        FileTime::Modified => status.stx_mtime,
        FileTime::Accessed => status.stx_atime,
        FileTime::Created => status.stx_btime,
    };
    let (epoch, seconds) = (SystemTime::UNIX_EPOCH, Duration::from_secs(tv_sec.unsigned_abs()));
    let second = if tv_sec < 0 { epoch.checked_sub(seconds) } else { epoch.checked_add(seconds) };
    second
        .and_then(|second| second.checked_add(Duration::from_nanos(tv_nsec.into())))
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Returns the metadata for the file at `path`, relative to `dir`.
pub(super) fn metadata_in(
    dir: impl AsFd,
    path: impl Arg,
    links: Links,
) -> io::Result<FileMetadata> {
    let status = status_in(dir, path, links, StatxFlags::BASIC_STATS)?;
    let time = |time: StatxTimestamp| (time.tv_sec, time.tv_nsec.into());
    Ok(FileMetadata {
        id: FileId {
            device: makedev(status.stx_dev_major, status.stx_dev_minor),
            inode: status.stx_ino,
        },
        size: status.stx_size,
        mode: status.stx_mode.into(),
        modified: time(status.stx_mtime),
        changed: time(status.stx_ctime),
    })
}

/// What the system reports, everything in `wanted` at least.
fn status_in(
    dir: impl AsFd,
    path: impl Arg,
    links: Links,
    wanted: StatxFlags,
) -> io::Result<Statx> {
    let flags = match links {
        Links::Follow => AtFlags::empty(),
        Links::Keep => AtFlags::SYMLINK_NOFOLLOW,
    };
    let status = statx(dir, path, flags, wanted)?;
    if !StatxFlags::from_bits_retain(status.stx_mask).contains(wanted) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn metadata_is_that_of_the_standard_library() {
        let temp = tempfile::tempdir().unwrap();
        let (file, link) = (temp.path().join("file"), temp.path().join("link"));
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let opened = fs::File::options().write(true).open(&file).unwrap();
        let epoch = SystemTime::UNIX_EPOCH;
        for modified in [epoch - Duration::new(7, 300), epoch + Duration::new(1 << 31, 999_999_999)]
        {
            opened.set_modified(modified).unwrap();
            assert_eq!(time_of(&link, Links::Follow, FileTime::Modified).unwrap(), modified);
        }
        for time in [FileTime::Modified, FileTime::Accessed, FileTime::Created] {
            for links in [Links::Follow, Links::Keep] {
                let expected = portable::time_of(&link, links, time);
                let Ok(expected) = expected else { continue };
                assert_eq!(time_of(&link, links, time).unwrap(), expected, "{time:?} {links:?}");
            }
        }
        for (links, expected) in
            [(Links::Follow, fs::metadata(&link)), (Links::Keep, fs::symlink_metadata(&link))]
        {
            let expected = FileMetadata::of(&expected.unwrap()).unwrap();
            assert_eq!(metadata_in(CWD, &link, links).unwrap(), expected);
        }
    }
}
