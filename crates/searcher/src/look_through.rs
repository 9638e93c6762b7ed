//! Looks through the rest of a file for a matching line before the file is searched.
//!
//! A search block by block counts the lines of each block, looks for NUL bytes in it and copies the
//! first read, which is of use only if a line matches. For most files that are larger than the
//! first read, none does: then it suffices to look for one, in pieces as large as the first read.
//! Where a line may match, the file is searched as if nothing had been looked at, although what was
//! looked through is read again.
//!
//! Perf (2026-11, 2 cores, corpus `linux`, in memory): see docs/decisions/0141-look-through.md.

use std::io;

use heist_matcher::Finder;
use memchr::memrchr;

use crate::{
    End, ReadAt, SearchConfig, aligned::AlignedBytes, decode::Form, matching::next_matching_line,
    parallel::FileCursor, route::Ending, source::read_some,
};

/// How many bytes are kept free in front of a piece, for the start of its first line. Pieces are
/// read to the same address, so that they stay aligned; see docs/decisions/0040.
const FRONT_BYTES: usize = 4 << 10;

/// A file. Its first bytes have been read.
pub(crate) struct LookThrough<'a> {
    pub(crate) config: &'a SearchConfig,
    pub(crate) form: Form,
    /// The file's first bytes.
    pub(crate) head: &'a [u8],
    pub(crate) file: &'a dyn ReadAt,
    /// How its end is recognized.
    pub(crate) end: End,
}

impl LookThrough<'_> {
    /// Looks through the file. The search is over if no line matches; it gives up if that is not
    /// certain, or cannot be found out at less than the price of the search.
    ///
    /// `piece` is a buffer for pieces of the file.
    pub(crate) fn end(&self, finder: &mut Finder, piece: &mut AlignedBytes) -> Ending {
        match self.has_no_match(finder, piece) {
            Ok(true) => Ending::Over,
            Ok(false) | Err(_) => Ending::GaveUp,
        }
    }

    /// Whether no line matches. `false` if a line is too long or the engine fails.
    fn has_no_match(&self, finder: &mut Finder, piece: &mut AlignedBytes) -> io::Result<bool> {
        let LookThrough { form, head, file, end, .. } = *self;
        let text = form.text(head).bytes;
        let size = head.len();
        piece.grow(FRONT_BYTES + size);
        let Some(mut rest) = self.rest_after_lines(finder, text) else { return Ok(false) };
        piece[FRONT_BYTES - rest..FRONT_BYTES].copy_from_slice(&text[text.len() - rest..]);
        let mut reader = FileCursor { source: file, offset: size as u64 };
        loop {
            let (mut got, mut is_end) = (0, false);
            while got < size && !is_end {
                let read =
                    read_some(&mut reader, &mut piece[FRONT_BYTES + got..FRONT_BYTES + size])?;
                got += read;
                is_end = read == 0 || got < size && end.shows_at(reader.offset as usize);
            }
            let lines = &piece[FRONT_BYTES - rest..FRONT_BYTES + got];
            if is_end {
                return Ok(self.is_without_match(finder, lines));
            }
            let Some(left) = self.rest_after_lines(finder, lines) else { return Ok(false) };
            piece.copy_within(FRONT_BYTES + got - left..FRONT_BYTES + got, FRONT_BYTES - left);
            rest = left;
        }
    }

    /// Searches the lines that end in `bytes`. Returns how much follows them, or `None` if a line
    /// matches or what follows is too long.
    fn rest_after_lines(&self, finder: &mut Finder, bytes: &[u8]) -> Option<usize> {
        let lines = memrchr(self.config.line_terminator, bytes)? + 1;
        let rest = bytes.len() - lines;
        (rest <= FRONT_BYTES && self.is_without_match(finder, &bytes[..lines])).then_some(rest)
    }

    fn is_without_match(&self, finder: &mut Finder, lines: &[u8]) -> bool {
        let mut scan = finder.scan(lines);
        let found = next_matching_line(finder, &mut scan, 0, self.config);
        finder.end_scan(scan);
        // The search fails at the same line, in its turn.
        found.is_none() && finder.take_failure().is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use heist_matcher::{Matcher, MatcherConfig};

    use super::*;
    use crate::{
        BinaryPolicy, Wants,
        route::{Extent, Facts, FirstRead, Route, route},
    };

    /// A file in memory that notes which parts of it are read.
    struct Noted(Vec<u8>, Mutex<Vec<(u64, usize)>>);

    impl ReadAt for Noted {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let rest = self.0.get(offset as usize..).unwrap_or_default();
            let got = rest.len().min(buffer.len());
            buffer[..got].copy_from_slice(&rest[..got]);
            self.1.lock().unwrap().push((offset, got));
            Ok(got)
        }
    }

    /// Looks for `x` in `bytes`; `head` bytes have been read. Returns whether there is certainly
    /// none, and what was read.
    fn look(bytes: &[u8], head: usize, binary: BinaryPolicy) -> (bool, Vec<(u64, usize)>) {
        let file = Noted(bytes.to_vec(), Mutex::default());
        let mut finder = Matcher::new(["x"], &MatcherConfig::default()).unwrap().finder();
        let config = SearchConfig { binary, ..SearchConfig::default() };
        let end = End::ShortRead;
        let extent = Extent::File(bytes.len() as u64);
        let (bytes, form) = (&bytes[..head], Form::Raw);
        let first = FirstRead { bytes, form, end, extent };
        let facts = Facts::new(&config, &finder, Wants::default(), &first);
        let look = LookThrough {
            config: &config,
            form: Form::Raw,
            head: &bytes[..head],
            file: &file,
            end,
        };
        let mut piece = AlignedBytes::default();
        let found = route(&facts) == Route::LookThrough
            && look.end(&mut finder, &mut piece) == Ending::Over;
        let parts = file.1.lock().unwrap().clone();
        (found, parts)
    }

    #[test]
    fn a_file_without_a_match_is_read_once() {
        let bytes = b"abc de\n".repeat(100);
        for binary in [BinaryPolicy::Quit, BinaryPolicy::Text] {
            let (found, parts) = look(&bytes, 200, binary);
            assert!(found);
            assert_eq!(parts, [(200, 200), (400, 200), (600, 100)]);
        }
    }

    #[test]
    fn a_match_is_found_wherever_it_is() {
        let bytes = b"abc de\n".repeat(100);
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] = b'x';
            let (found, parts) = look(&bytes, 200, BinaryPolicy::Quit);
            assert!(!found, "{at}");
            let read: usize = parts.iter().map(|part| part.1).sum();
            assert!(200 + read <= (at + 7).next_multiple_of(200), "{at}: {parts:?}");
        }
    }

    #[test]
    fn what_is_left_to_the_search() {
        let lines = b"abc de\n".repeat(4000);
        let with = |at: usize, byte| {
            let mut bytes = lines.clone();
            bytes[at] = byte;
            bytes
        };
        let long = [&lines[..], &b"a".repeat(5000), b"\n", &lines].concat();
        for (what, bytes, binary) in [
            ("NUL bytes near the front", with(100, 0), BinaryPolicy::Quit),
            ("NUL bytes that end lines", lines.clone(), BinaryPolicy::Convert),
            ("a line that outgrows the room for it", long, BinaryPolicy::Quit),
        ] {
            assert!(!look(&bytes, 2048, binary).0, "{what}");
        }
        // A NUL byte further away makes no match of what is none.
        assert!(look(&with(9000, 0), 2048, BinaryPolicy::Quit).0);
    }
}
