//! What the system reports about a file: its identity, its times, and what changes with its
//! contents.

use std::{
    fs::{self, File},
    io,
    time::SystemTime,
};

/// A file's identity on this machine, by which loops of links and the output file are recognised.
/// Two paths with the same `FileId` lead to the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device that holds the file.
    pub device: u64,
    /// The file's inode number on that device.
    pub inode: u64,
}

impl FileId {
    /// Returns the identity that `metadata` gives a file, or `None` on systems where metadata lack
    /// it, such as Windows.
    ///
    /// ```
    /// use heist_walk::FileId;
    ///
    /// let id = |path| std::fs::metadata(path).map(|metadata| FileId::of(&metadata));
    /// assert_eq!(id("Cargo.toml")?, id("./src/../Cargo.toml")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn of(metadata: &fs::Metadata) -> Option<FileId> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(FileId { device: metadata.dev(), inode: metadata.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            None
        }
    }

    /// Returns an open file's or directory's identity.
    ///
    /// # Errors
    /// The system refuses to report it.
    pub fn of_file(file: &File) -> io::Result<FileId> {
        #[cfg(windows)]
        {
            let information = winapi_util::file::information(file)?;
            let device = information.volume_serial_number();
            Ok(FileId { device, inode: information.file_index() })
        }
        #[cfg(not(windows))]
        FileId::of(&file.metadata()?).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }
}

/// What the system reports about a file that changes with its contents;
/// [`Entry::file_metadata`](crate::Entry::file_metadata) returns it.
///
/// Times are seconds and nanoseconds since 1970 began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileMetadata {
    /// Which file it is.
    pub id: FileId,
    /// How long the file is in bytes.
    pub size: u64,
    /// The file's kind and permissions, as `st_mode` has them.
    pub mode: u32,
    /// When its contents were last written.
    pub modified: (i64, i64),
    /// When its contents or its metadata were last changed, which no program can set.
    pub changed: (i64, i64),
}

impl FileMetadata {
    /// Takes what is needed from the standard library's metadata.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] on Windows, which does not report the time of change.
    pub fn of(metadata: &fs::Metadata) -> io::Result<FileMetadata> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(FileMetadata {
                id: FileId { device: metadata.dev(), inode: metadata.ino() },
                size: metadata.size(),
                mode: metadata.mode(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
            })
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

/// A time that the system keeps for each file; [`Entry::time`](crate::Entry::time) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTime {
    /// When its contents were last written.
    Modified,
    /// When it was last read, as far as the file system records that.
    Accessed,
    /// When it was created.
    Created,
}

impl FileTime {
    pub(crate) fn of(self, metadata: &fs::Metadata) -> io::Result<SystemTime> {
        match self {
            FileTime::Modified => metadata.modified(),
            FileTime::Accessed => metadata.accessed(),
            FileTime::Created => metadata.created(),
        }
    }
}
