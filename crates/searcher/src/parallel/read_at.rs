//! Files that are read at places, by several workers at once.

use std::{
    fs,
    io::{self, Read},
};

/// Gives the bytes at a place, whatever was read before and by whom.
pub trait ReadAt: Send + Sync {
    /// Read into `buffer` what stands at `offset`, in bytes from the beginning. May give less than fits; nothing only at
    /// the end.
    ///
    /// # Errors
    /// As the system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
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
}

/// A reader of a file that others can be given as well.
pub trait FileRead: Read {
    /// The file, to be read at places.
    ///
    /// # Errors
    /// As the system says.
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

/// Fill `buffer` from `offset` on. Gives how many bytes there are, fewer than fit only at the end.
pub(super) fn read_full(source: &dyn ReadAt, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
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

/// Reads from a place on, as from a file of one's own.
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
