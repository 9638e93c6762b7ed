//! Lines of a block: how they end, and the places in them that a search reports.

use std::ops::Range;

use memchr::{memchr, memrchr};

/// A line that a search reports in a block, by the offset of any byte in it.
///
/// ```
/// use heist_matcher::{BlockScan, MatcherConfig, LineHit, Matcher};
///
/// // An exact search confirms the line; needles of a larger pattern only name a candidate.
/// let block = b"spam\n_init(\nham\n";
/// let mut finder = Matcher::new(["_init"], &MatcherConfig::default())?.finder();
/// let hit = finder.next_line(&mut BlockScan::new(block), 0);
/// assert_eq!(hit, Some(LineHit::Confirmed(5)));
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineHit {
    /// The line that holds this offset matches.
    Confirmed(usize),
    /// The line that holds this offset may match; [`Finder::is_match`](crate::Finder::is_match) on
    /// that line alone decides.
    Candidate(usize),
}

impl LineHit {
    /// A hit at `offset` that is `Confirmed` if the search `is_exact`.
    pub(crate) fn new(offset: usize, is_exact: bool) -> LineHit {
        if is_exact { LineHit::Confirmed(offset) } else { LineHit::Candidate(offset) }
    }

    /// Where in the haystack the line is hit.
    #[must_use]
    pub fn offset(self) -> usize {
        match self {
            LineHit::Confirmed(offset) | LineHit::Candidate(offset) => offset,
        }
    }
}

/// How lines end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEnds {
    pub(crate) terminator: u8,
    /// Whether `\r\n` ends a line too.
    pub(crate) crlf: bool,
}

impl LineEnds {
    /// Where the last line in `haystack` ends, without its terminator: no line follows.
    pub(crate) fn content_end(self, haystack: &[u8]) -> usize {
        match haystack.split_last() {
            Some((last, rest)) if *last == self.terminator => rest.len(),
            _ => haystack.len(),
        }
    }

    /// The line `haystack[start..stop]`, from which `\r` is cut if it belongs to the terminator at
    /// `stop`.
    pub(crate) fn content(self, haystack: &[u8], start: usize, stop: usize) -> &[u8] {
        let line = &haystack[start..stop];
        match line.split_last() {
            Some((b'\r', rest)) if self.crlf && stop < haystack.len() => rest,
            _ => line,
        }
    }
}

/// The end of the line that holds `at`, before its terminator; `end` if none comes before that.
pub(crate) fn line_end(haystack: &[u8], terminator: u8, at: usize, end: usize) -> usize {
    if at >= end {
        return end;
    }
    memchr(terminator, &haystack[at..end]).map_or(end, |n| at + n)
}

/// Where the lines in `range` end that end before `at`, without the last terminator. If the first
/// line does not, where that line ends.
pub(crate) fn lines_end(haystack: &[u8], terminator: u8, at: usize, range: Range<usize>) -> usize {
    let Range { start, end } = range;
    if at >= end {
        return end;
    }
    match memrchr(terminator, &haystack[start..at]) {
        Some(n) => start + n,
        None => line_end(haystack, terminator, at, end),
    }
}

/// Where the line starts that holds `at`. `from` is where this line or an earlier one starts.
pub(crate) fn line_start(haystack: &[u8], terminator: u8, from: usize, at: usize) -> usize {
    memrchr(terminator, &haystack[from..at]).map_or(from, |n| from + n + 1)
}
