//! Files that several workers read at once, each at its own position.

use std::{
    fs,
    io::{self, Read},
};

/// Returns the bytes at a position, independently of other reads.
pub trait ReadAt: Send + Sync {
    /// Reads from `offset`, in bytes from the start, into `buffer`. May return fewer bytes than
    /// fit, but 0 only at the end.
    ///
    /// # Errors
    /// The operating system's error.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The file that is read, if it may be mapped into memory instead.
    fn file(&self) -> Option<&fs::File> {
        None
    }
}

impl ReadAt for fs::File {
    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    fn file(&self) -> Option<&fs::File> {
        Some(self)
    }
}

/// A reader of a file that can be shared with other workers.
pub trait FileRead: Read {
    /// Returns a handle for reads at any position.
    ///
    /// # Errors
    /// The operating system's error, if the file cannot be shared.
    fn share(&self) -> io::Result<fs::File>;
}

impl FileRead for fs::File {
    fn share(&self) -> io::Result<fs::File> {
        self.try_clone()
    }
}

impl FileRead for &fs::File {
    fn share(&self) -> io::Result<fs::File> {
        self.try_clone()
    }
}

impl<R: FileRead + ?Sized> FileRead for &mut R {
    fn share(&self) -> io::Result<fs::File> {
        R::share(self)
    }
}

/// Fills `buffer` from `offset` on. Returns the number of bytes, which is less than fits only at
/// the end.
pub(crate) fn read_full(source: &dyn ReadAt, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match source.read_at(&mut buffer[len..], offset + len as u64) {
            Ok(0) => break,
            Ok(got) => len += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

/// Reads a file sequentially from `offset` on.
pub(crate) struct FileCursor<'a> {
    pub(crate) source: &'a dyn ReadAt,
    pub(crate) offset: u64,
}

impl Read for FileCursor<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.source.read_at(buffer, self.offset)?;
        self.offset += got as u64;
        Ok(got)
    }
}
