//! A file read out of a memory map: block by block, as any other reader is read.
//!
//! The map's memory itself is shown to nobody. Whoever writes to the file changes it, and much of what looks at a haystack
//! relies on bytes staying as they were: text that was checked to be UTF-8 is cut between characters, or walked without
//! looking again. So bytes are copied into the buffers of whoever reads, and results are those of reading by construction.
//!
//! What is special is a file that becomes shorter meanwhile: touching a page of the map behind its new end raises SIGBUS,
//! which ends a program that does not mind it. Here the copy ends in zeros (`unix`), which are not given to the reader.
//! Elsewhere nothing is mapped (`portable`), and the caller reads.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "portable.rs")]
mod system;

use std::{
    fs::File,
    io::{self, Read},
};

use system::Mapping;

/// Gives all bytes that a file had when it was mapped, from the first on, wherever the file itself was read to.
///
/// If the file becomes shorter before it was read to its end, what is left is given; then every read is an error, of kind
/// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) as long as the file stays shorter. A read may therefore be
/// short anywhere, and the end shows in an [empty read](crate::End::EmptyRead) only.
#[derive(Debug)]
pub struct MappedFile<'f> {
    file: &'f File,
    mapping: Mapping,
    /// How many bytes were given.
    offset: usize,
    /// How many there are to give: fewer than were mapped, once some turned out to be lost.
    end: usize,
}

impl<'f> MappedFile<'f> {
    /// Map `file`. None: it cannot be mapped, but it can still be read. So it is with what is empty, or no regular file,
    /// and on systems that are not Unix.
    #[must_use]
    pub fn new(file: &'f File) -> Option<MappedFile<'f>> {
        let mapping = Mapping::of(file)?;
        let end = mapping.len();
        Some(MappedFile { file, mapping, offset: 0, end })
    }

    /// Why there are fewer bytes than were mapped.
    fn loss(&self) -> io::Error {
        let mapped = self.mapping.len();
        match self.file.metadata().map(|metadata| metadata.len()) {
            Ok(left) if left < mapped as u64 => {
                let text = format!(
                    "truncated while it was searched: {left} of {mapped} bytes are left, what followed is not searched"
                );
                io::Error::new(io::ErrorKind::UnexpectedEof, text)
            }
            // What is on a bad sector, or was cut off and appended again.
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
            // Noted before anything can fail, for lost pages are emitted only once.
            self.end = if copied < wanted { self.offset + copied } else { self.end };
            // A page with the new end of a shorter file reads as zeros behind it, without any signal. So the length is
            // looked at as well, after the copy: what the file still has now, it had then, unless it was cut off and
            // appended to again between the two.
            let left = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX);
            let given = copied.min(left.saturating_sub(self.offset));
            self.end = if given < copied { self.offset + given } else { self.end };
            self.offset += given;
            if given > 0 {
                return Ok(given);
            }
        }
        // Nothing was asked for, or nothing is left.
        if self.end < self.mapping.len() && !buffer.is_empty() { Err(self.loss()) } else { Ok(0) }
    }
}
