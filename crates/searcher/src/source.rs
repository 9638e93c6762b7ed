//! Where the bytes of a haystack come from, and a reader that replays bytes already read.
//!
//! What a search emits for a haystack with NUL bytes depends on the blocks in which it is read (see
//! `line_buffer`). The reads made here are therefore ripgrep 15.2's: its encoding detection reads
//! the first three bytes on their own, whatever the encoding setting is, and only a byte order mark
//! that is stripped makes that block disappear.

use std::{
    fs,
    io::{self, Read},
};

/// The length of the read that looks for a byte order mark, in bytes.
pub(crate) const PEEK: usize = 3;

/// A haystack to be read: a reader, and how its end is recognized.
///
/// # Examples
///
/// ```
/// use heist_searcher::{End, Source};
///
/// # fn main() -> std::io::Result<()> {
/// let file = std::fs::File::open("Cargo.toml")?;
/// assert_eq!(Source::file(&file)?.end, End::EmptyRead);
/// assert_eq!(Source::reader(std::io::stdin()).end, End::Stream);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Source<R> {
    /// Returns the raw bytes.
    pub reader: R,
    /// How the end is recognized.
    pub end: End,
}

impl<'f> Source<&'f fs::File> {
    /// The rest of `file`, from its current position. Whether it is a regular file or a pipe
    /// decides how its end is recognized.
    ///
    /// # Errors
    /// If the type of the file cannot be determined.
    pub fn file(file: &'f fs::File) -> io::Result<Source<&'f fs::File>> {
        let end = if file.metadata()?.is_file() { End::EmptyRead } else { End::Stream };
        Ok(Source { reader: file, end })
    }
}

impl<R: Read> Source<R> {
    /// Everything that `reader` returns. Lines are emitted as soon as they have been read.
    pub fn reader(reader: R) -> Source<R> {
        Source { reader, end: End::Stream }
    }
}

/// How the end of a haystack is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By a read that returns fewer bytes than requested and stops within a page. This saves one
    /// read per file, but holds only for plain files on file systems that read to the end: files in
    /// `/proc` and on FUSE may return short reads anywhere. (A page that cannot be read also makes
    /// the read before it short, but that read stops at the start of the page.)
    ShortRead,
    /// By a read that returns nothing. Holds for any file.
    EmptyRead,
    /// By a read that returns nothing; and bytes that have arrived must not wait for more. For
    /// pipes, terminals and sockets.
    Stream,
}

/// How many bytes a page has, or a fraction of that: every system's page size is a multiple.
const PAGE_BYTES: usize = 4 << 10;

impl End {
    /// Whether a read that returned fewer bytes than requested, and ended at `offset` of the
    /// haystack, has met the end.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist_searcher::End;
    ///
    /// assert!(End::ShortRead.shows_at(5000));
    /// assert!(!End::ShortRead.shows_at(8192), "perhaps a page that cannot be read follows");
    /// assert!(!End::EmptyRead.shows_at(5000));
    /// ```
    #[must_use]
    pub fn shows_at(self, offset: usize) -> bool {
        self == End::ShortRead && !offset.is_multiple_of(PAGE_BYTES)
    }
}

/// The beginning of a haystack's text, which is in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    pub(crate) bytes: &'a [u8],
    /// The length of the first block; 0 if it is as long as any other.
    pub(crate) peek: usize,
}

/// Returns a [`Head`] again, which was read before, then the rest of the haystack.
pub(crate) struct Feed<'a> {
    head: Head<'a>,
    // Perf: behind a pointer, which costs nothing beside a read, so that what reads a long haystack
    // is compiled once for each sink, not once for each sink and reader.
    rest: Option<&'a mut dyn Read>,
    end: End,
}

impl<'a> Feed<'a> {
    /// A reader over a haystack in memory, in the blocks in which a file of the same bytes is read.
    pub(crate) fn replay(head: Head<'a>) -> Feed<'a> {
        Feed { head, rest: None, end: End::ShortRead }
    }

    /// A reader over `head` and the rest of `source`.
    pub(crate) fn new(head: Head<'a>, source: Source<&'a mut dyn Read>) -> Feed<'a> {
        let Source { reader, end } = source;
        Feed { head, rest: Some(reader), end }
    }

    fn read_head(&mut self, buffer: &mut [u8]) -> usize {
        let Head { bytes, peek } = &mut self.head;
        let most = if *peek > 0 { *peek } else { buffer.len() };
        let len = most.min(buffer.len()).min(bytes.len());
        buffer[..len].copy_from_slice(&bytes[..len]);
        *bytes = &bytes[len..];
        len
    }
}

impl Read for Feed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.read_head(buffer);
        let peek = &mut self.head.peek;
        if *peek > 0 && len > 0 {
            *peek -= len;
            return Ok(len);
        }
        *peek = 0;
        // Bytes of a stream must not wait for its writer. A file is read across the seam, so that
        // blocks are as long as if the head had not been read before.
        let wants_more = len < buffer.len() && (len == 0 || self.end != End::Stream);
        let Some(rest) = self.rest.as_mut().filter(|_| wants_more) else {
            return Ok(len);
        };
        match read_some(rest, &mut buffer[len..]) {
            // What was read before is searched first; the next read returns the error again.
            Err(_) if len > 0 => Ok(len),
            Err(error) => Err(error),
            Ok(got) => {
                if got == 0 {
                    self.rest = None;
                }
                Ok(len + got)
            }
        }
    }
}

/// Whether `error` comes from what makes a haystack's bytes, such as the decoder of a damaged file:
/// then no more bytes can be made, and the last line is searched even if it has no terminator.
/// After an error from the system, the rest of that line may still exist.
pub(crate) fn is_cut_off(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidData
}

/// Reads once, and again if a signal interrupts the read.
pub(crate) fn read_some<R: Read + ?Sized>(reader: &mut R, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
