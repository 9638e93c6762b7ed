//! The identity of a file, by which loops of links and the output file are recognised.

use std::fs::Metadata;

/// The identity of a file on this machine. Two paths with the same `FileId` lead to the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    /// The device that holds the file.
    pub device: u64,
    /// The file's inode number on that device.
    pub inode: u64,
}

impl FileId {
    /// Returns the identity of the file that `metadata` describes, or `None` if the system has no
    /// inode numbers.
    ///
    /// ```
    /// use heist_walk::FileId;
    ///
    /// let id = |path| std::fs::metadata(path).map(|metadata| FileId::of(&metadata));
    /// assert_eq!(id("Cargo.toml")?, id("./src/../Cargo.toml")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn of(metadata: &Metadata) -> Option<FileId> {
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
}
