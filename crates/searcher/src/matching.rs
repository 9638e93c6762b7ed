//! Finds the lines of a block that match.

use std::ops::Range;

use heist_matcher::{BlockScan, Finder, LineHit};

use crate::{SearchConfig, lines};

/// Finds the matching lines in a block.
pub(crate) trait Matches<'h> {
    fn block(&self) -> &'h [u8];

    /// The first line at or after `from` that matches. `from` must begin a line, and not be less
    /// than in an earlier call. In an inverted search the result may include matching lines that
    /// follow.
    fn next(&mut self, finder: &mut Finder, from: usize, config: &SearchConfig)
    -> Option<Matching>;

    /// The number of selected lines at or after `from`; see `next`.
    fn count(&mut self, finder: &mut Finder, from: usize, config: &SearchConfig) -> u64;
}

/// A matching line, or several successive ones.
pub(crate) struct Matching {
    pub(crate) line: Range<usize>,
    /// The number of lines in the haystack before it, if it is known.
    pub(crate) lines_before: Option<u64>,
}

impl<'h> Matches<'h> for BlockScan<'h> {
    fn block(&self) -> &'h [u8] {
        self.haystack()
    }

    #[inline]
    fn next(
        &mut self,
        finder: &mut Finder,
        from: usize,
        config: &SearchConfig,
    ) -> Option<Matching> {
        let line = next_matching_lines(finder, self, from, config)?;
        Some(Matching { line, lines_before: None })
    }

    fn count(&mut self, finder: &mut Finder, from: usize, config: &SearchConfig) -> u64 {
        let matching = finder.count_lines(self, from);
        if !config.invert {
            return matching;
        }
        let rest = &self.haystack()[from..];
        let is_incomplete = rest.last().is_some_and(|last| *last != config.line_terminator);
        lines::count(rest, config.line_terminator) + u64::from(is_incomplete) - matching
    }
}

/// As [`next_matching_line`]. In an inverted search, the result includes the lines after it that
/// are known to match, which can be passed over together.
pub(crate) fn next_matching_lines(
    finder: &mut Finder,
    scan: &mut BlockScan<'_>,
    from: usize,
    config: &SearchConfig,
) -> Option<Range<usize>> {
    let mut lines = next_matching_line(finder, scan, from, config)?;
    if config.invert {
        lines.end = finder.matching_to(scan, lines.end);
    }
    Some(lines)
}

/// The first line at or after `from` that matches in the block of `scan`. `from` must begin a line,
/// and not be less than in an earlier call.
pub(crate) fn next_matching_line(
    finder: &mut Finder,
    scan: &mut BlockScan<'_>,
    from: usize,
    config: &SearchConfig,
) -> Option<Range<usize>> {
    let (block, terminator) = (scan.haystack(), config.line_terminator);
    let mut at = from;
    while at < block.len() {
        let (offset, confirmed) = match finder.next_line(scan, at)? {
            LineHit::Confirmed(offset) => (offset, true),
            LineHit::Candidate(offset) => (offset, false),
        };
        let line = lines::around(block, terminator, at, offset);
        if line.start == block.len() {
            // A match after the last terminator is in no line.
            return None;
        }
        at = line.end;
        if confirmed || finder.is_match(lines::content(&block[line.clone()], config)) {
            return Some(line);
        }
    }
    None
}
