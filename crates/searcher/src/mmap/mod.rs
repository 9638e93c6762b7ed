//! Reads a file through a memory map, block by block, as any other reader does.
//!
//! The mapped memory itself is never exposed. Another process may write to the file at any time,
//! and a search relies on unchanging bytes: text that was checked to be UTF-8 is cut between
//! characters or decoded without checks. So bytes are copied into the caller's buffers, and results
//! are by construction the same as when reading.
//!
//! The special case is a file that is truncated meanwhile: touching a page of the map after its new
//! end raises SIGBUS, which by default ends the program. Here the copy ends in zeros (`unix`),
//! which are not returned to the reader. On other systems nothing is mapped (`portable`), and the
//! caller reads the file. What the page cache holds is known on Linux alone (`linux`, `not_linux`).

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "portable.rs")]
mod system;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "not_linux.rs")]
mod page_cache;

use std::{
    fs::File,
    io::{self, Read},
};

pub(crate) use page_cache::{is_cached, page_faults, prefer_large_pages};
pub(crate) use system::Mapping;

/// Returns all bytes that a file had when it was mapped, from the first on, whatever the file's
/// position is.
///
/// If the file is truncated before it was read to its end, the remaining bytes are returned; after
/// them every read returns an error, of kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) as
/// long as the file stays shorter. A read may therefore be short anywhere, and only an [empty
/// read](crate::End::EmptyRead) means the end.
///
/// # Examples
///
/// ```
/// use heist_matcher::Matcher;
/// use heist_searcher::{End, Flow, MappedFile, Searcher, Source, sinks::Lossy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # if cfg!(not(unix)) { return Ok(()) }
/// let file = std::fs::File::open("Cargo.toml")?;
/// let mapped = MappedFile::new(&file).expect("a regular file, on Unix");
/// let matcher = Matcher::new(&["^name".to_owned()], &Default::default())?;
/// let mut sink = Lossy::new(|_, line| {
///     assert!(line.starts_with("name"));
///     Flow::Continue(())
/// });
/// let source = Source { reader: mapped, end: End::EmptyRead };
/// Searcher::default().search(&mut matcher.finder(), source, &mut sink)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MappedFile<'f> {
    file: &'f File,
    mapping: Mapping,
    /// The number of bytes returned.
    offset: usize,
    /// The number of bytes that can be returned: fewer than were mapped, once some turned out to be
    /// lost.
    end: usize,
}

impl<'f> MappedFile<'f> {
    /// Maps `file`. Returns `None` if it cannot be mapped but may still be read: if it is empty or
    /// not a regular file, and on systems other than Unix.
    #[must_use]
    pub fn new(file: &'f File) -> Option<MappedFile<'f>> {
        let mapping = Mapping::of(file)?;
        let end = mapping.len();
        Some(MappedFile { file, mapping, offset: 0, end })
    }

    /// The error that explains why there are fewer bytes than were mapped.
    fn loss(&self) -> io::Error {
        let mapped = self.mapping.len();
        match self.file.metadata().map(|metadata| metadata.len()) {
            Ok(left) if left < mapped as u64 => {
                let text = format!(
                    "truncated while it was searched: {left} of {mapped} bytes are left, what followed is not searched"
                );
                io::Error::new(io::ErrorKind::UnexpectedEof, text)
            }
            // The bytes are on a bad sector, or were truncated and appended again.
            Ok(_) => io::Error::other("could not be read to its end through a memory map"),
            Err(error) => error,
        }
    }
}

impl Read for MappedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = buffer.len().min(self.end - self.offset);
        if wanted > 0 {
            let copied = self.mapping.copy(self.offset, &mut buffer[..wanted]);
            // Stored before anything can fail: what is lost stays so.
            self.end = if copied < wanted { self.offset + copied } else { self.end };
            // In the page of the new end, the bytes after it read as zeros without a signal. So the
            // length is checked as well, after the copy: bytes that the file has now it also had
            // then, unless it was truncated and extended again between the two.
            let left = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX);
            let given = copied.min(left.saturating_sub(self.offset));
            self.end = if given < copied { self.offset + given } else { self.end };
            self.offset += given;
            if given > 0 {
                return Ok(given);
            }
        }
        // The buffer is empty, or nothing is left.
        if self.end < self.mapping.len() && !buffer.is_empty() { Err(self.loss()) } else { Ok(0) }
    }
}
