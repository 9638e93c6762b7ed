//! A file's identity, by which loops of links and the output file are recognised.

use std::{
    fs::{File, Metadata},
    io,
};

/// A file's identity on this machine. Two paths with the same `FileId` lead to the same file.
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
