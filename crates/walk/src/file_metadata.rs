//! What the system reports about a file that changes with its contents.

use std::{fs, io};

use crate::file_id::FileId;

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
