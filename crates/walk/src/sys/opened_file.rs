//! A file that a visitor has opened.

use std::{fs, io};

/// A file that is open for reading, with what is known about reading it.
#[derive(Debug)]
pub struct OpenedFile {
    /// The file.
    pub file: fs::File,
    /// Whether a short read is the end of the file. True on local file systems that are known to
    /// return less than requested only at the end, or at a page boundary; it saves the read that
    /// would return 0. That read is needed if what has been read is a multiple of the page size.
    pub short_read_is_eof: bool,
    /// Whether the file lies on a disk, so that [`read_cached`](Self::read_cached) can distinguish
    /// what is in the page cache from what is not.
    pub may_be_cold: bool,
}

impl OpenedFile {
    /// A file about which nothing is known.
    pub(crate) fn plain(file: fs::File) -> OpenedFile {
        OpenedFile { file, short_read_is_eof: false, may_be_cold: false }
    }

    /// Returns whether the file's inode number is the one that its directory lists, so that
    /// [`WalkConfig::skip`](crate::WalkConfig::skip) recognised it. True on a local file system,
    /// unless the file is a mount point.
    #[must_use]
    pub fn is_as_listed(&self) -> bool {
        // Only a file on its directory's own mount is opened with this knowledge.
        self.short_read_is_eof
    }

    /// Reads on without waiting for a disk. Returns less than requested at the end of the file and
    /// where the cached pages end; the system starts to fetch the pages that follow.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if the next bytes are not in the page cache. After any other
    /// error, such as [`io::ErrorKind::Unsupported`], an ordinary read returns the true result:
    /// the system or the file system may not implement such reads.
    pub fn read_cached(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(target_os = "linux")]
        {
            use rustix::io::{ReadWriteFlags, preadv2};
            /// Read from the file's own offset and advance it.
            const CURRENT_OFFSET: u64 = u64::MAX;
            let into = &mut [io::IoSliceMut::new(buffer)];
            Ok(preadv2(&self.file, into, CURRENT_OFFSET, ReadWriteFlags::NOWAIT)?)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = buffer;
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

/// The error if something else is where a listed file was.
pub(super) fn no_longer_regular() -> io::Error {
    io::Error::other("is no longer a regular file")
}
