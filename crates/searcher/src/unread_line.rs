//! A matching line that is too long to be worth its memory.

use std::{fmt, fs, io, ops::Range};

use crate::ReadAt;

/// Which matches of a line a sink needs to know in order to accept the line unread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnreadMatches {
    /// No line is accepted unread.
    #[default]
    Never,
    /// None of them.
    None,
    /// The first one.
    First,
    /// All of them.
    All,
    /// All of them, and their bytes.
    Texts,
}

/// A matching line of a file that has not been read as a whole, because it is long; see
/// [`Sink::matched_unread`](crate::Sink::matched_unread).
#[derive(Clone, Copy)]
pub struct UnreadLine<'a> {
    /// The file that contains the line.
    pub(crate) source: &'a dyn ReadAt,
    /// The position of the line in the file.
    pub(crate) start: u64,
    /// How many bytes the line has, with its terminator, which only a haystack's last line may
    /// lack.
    pub len: u64,
    /// The position of the first byte in the haystack.
    pub offset: u64,
    /// The number of the line, starting at 1; `None` unless
    /// [`line_numbers`](crate::SearchConfig::line_numbers) is set.
    pub number: Option<u64>,
    /// The [requested](crate::Wants::unread) matches, in order: their positions in the line.
    /// Empty if they are not known.
    pub matches: &'a [Range<usize>],
    /// The bytes of these matches, one after the other; empty if they were not requested.
    pub texts: &'a [u8],
}

impl UnreadLine<'_> {
    /// Fills `buffer` with the bytes from `at` of the line on.
    ///
    /// # Errors
    /// The operating system's error, or that the file has become shorter.
    ///
    /// # Panics
    /// If the line has fewer bytes.
    pub fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        assert!(at + buffer.len() as u64 <= self.len, "the line has these bytes");
        let got = crate::parallel::read_full(self.source, buffer, self.start + at)?;
        if got < buffer.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// The file and the position of the line in it, if it can be passed to the operating system.
    #[must_use]
    pub fn in_file(&self) -> Option<(&fs::File, u64)> {
        Some((self.source.file()?, self.start))
    }
}

impl fmt::Debug for UnreadLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnreadLine { start, len, number, .. } = self;
        let mut debug = f.debug_struct("UnreadLine");
        debug.field("start", start).field("len", len).field("number", number);
        debug.finish_non_exhaustive()
    }
}
