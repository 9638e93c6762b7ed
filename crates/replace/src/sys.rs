//! What systems differ in: stamps, and what a file has besides its text.

use std::{
    fs::{File, Metadata, OpenOptions},
    io,
    path::Path,
};

use crate::stamp::Stamp;

impl Stamp {
    /// The stamp of a file with this metadata.
    pub(crate) fn of(metadata: &Metadata) -> Stamp {
        stamp(metadata)
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

    use rustix::fs::{Access, OFlags, access};

    use super::{File, Metadata, OpenOptions, Path, Stamp, io};

    pub(crate) fn stamp(metadata: &Metadata) -> Stamp {
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            len: metadata.len(),
            written: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Opens the file at `path` to read it, unless the path is a link.
    pub(crate) fn open_no_link(path: &Path) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
    }

    /// Creates a file that only the user may read, where none may be.
    pub(crate) fn create_private(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    }

    /// Creates a directory that only the user may enter.
    pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
        std::fs::DirBuilder::new().mode(0o700).create(path)
    }

    /// Whether the user may write to the file at `path`, and its mode does not forbid it to all.
    pub(crate) fn is_writable(path: &Path, metadata: &Metadata) -> bool {
        metadata.mode() & 0o222 != 0 && access(path, Access::WRITE_OK).is_ok()
    }

    /// How many names the file has.
    pub(crate) fn links(metadata: &Metadata) -> u64 {
        metadata.nlink()
    }

    /// Gives `new` the owner, the mode and the attributes of `old`.
    pub(crate) fn keep_attributes(old: &File, metadata: &Metadata, new: &File) -> io::Result<()> {
        let own = new.metadata()?;
        if (own.uid(), own.gid()) != (metadata.uid(), metadata.gid()) {
            std::os::unix::fs::fchown(new, Some(metadata.uid()), Some(metadata.gid()))?;
        }
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        extended::copy(old, new)?;
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        let _ = old;
        // After the owner, whose change clears bits, and after the list of access, which sets some.
        let mode = std::fs::Permissions::from_mode(metadata.mode() & 0o7777);
        new.set_permissions(mode)
    }

    /// Writes to the disk which names are in the directory at `path`.
    pub(crate) fn sync_dir(path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    /// Extended attributes, of which lists of access are some.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    mod extended {
        use std::{ffi::CStr, fs::File, io};

        use rustix::{
            fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr},
            io::Errno,
        };

        /// The most bytes that the names of a file's attributes, or one value, can have on Linux.
        const MAX_ATTRIBUTE_BYTES: usize = 64 << 10;

        pub(super) fn copy(old: &File, new: &File) -> io::Result<()> {
            let mut names = vec![0; MAX_ATTRIBUTE_BYTES];
            let len = match flistxattr(old, &mut names[..]) {
                Ok(0) | Err(Errno::NOTSUP) => return Ok(()),
                len => len?,
            };
            let mut value = vec![0; MAX_ATTRIBUTE_BYTES];
            let mut present = vec![0; MAX_ATTRIBUTE_BYTES];
            for name in names[..len].split_inclusive(|&byte| byte == 0) {
                let name = CStr::from_bytes_with_nul(name).map_err(io::Error::other)?;
                let len = fgetxattr(old, name, &mut value[..])?;
                let is_there = fgetxattr(new, name, &mut present[..])
                    .is_ok_and(|there| present[..there] == value[..len]);
                if !is_there {
                    fsetxattr(new, name, &value[..len], XattrFlags::empty())?;
                }
            }
            Ok(())
        }
    }
}

#[cfg(unix)]
use unix::stamp;
#[cfg(unix)]
pub(crate) use unix::{
    create_private, create_private_dir, is_writable, keep_attributes, links, open_no_link, sync_dir,
};

#[cfg(not(unix))]
mod other {
    use std::time::UNIX_EPOCH;

    use super::{File, Metadata, OpenOptions, Path, Stamp, io};

    pub(crate) fn stamp(metadata: &Metadata) -> Stamp {
        let written = metadata.modified().ok();
        let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let written =
            written.map_or((0, 0), |it| (it.as_secs().cast_signed(), it.subsec_nanos().into()));
        Stamp { device: 0, inode: 0, len: metadata.len(), written, changed: (0, 0) }
    }

    /// Opens the file at `path`, which is canonical, to read it.
    pub(crate) fn open_no_link(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    /// Creates a file where none may be.
    pub(crate) fn create_private(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    /// Creates a directory.
    pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
        std::fs::create_dir(path)
    }

    /// Whether the file may be written to.
    pub(crate) fn is_writable(_: &Path, metadata: &Metadata) -> bool {
        !metadata.permissions().readonly()
    }

    /// How many names the file has, as far as that is known.
    pub(crate) fn links(_: &Metadata) -> u64 {
        1
    }

    /// Gives `new` what the metadata of `old` states besides the text.
    pub(crate) fn keep_attributes(_: &File, metadata: &Metadata, new: &File) -> io::Result<()> {
        new.set_permissions(metadata.permissions())
    }

    /// The system has no way to write a directory to the disk.
    pub(crate) fn sync_dir(_: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
use other::stamp;
#[cfg(not(unix))]
pub(crate) use other::{
    create_private, create_private_dir, is_writable, keep_attributes, links, open_no_link, sync_dir,
};
