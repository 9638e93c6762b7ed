//! The times that the system keeps for a file.

use std::{fs, io, time::SystemTime};

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
