//! Which lines of a block match.

use std::ops::Range;

use heist_matcher::{BlockScan, Finder, LineHit};

use crate::{SearchConfig, lines};

/// Where the matching lines of a block are learned.
pub(crate) trait Matches<'h> {
    /// The block.
    fn block(&self) -> &'h [u8];

    /// The first line at or after `from` that matches. `from` must begin a line, none before that of an earlier call.
    /// Inverted, it may come with lines that follow and match too.
    fn next(&mut self, finder: &mut Finder, from: usize, config: &SearchConfig)
    -> Option<Matching>;

    /// How many lines are selected at or after `from`, which is as for `next`.
    fn count(&mut self, finder: &mut Finder, from: usize, config: &SearchConfig) -> u64;
}

/// A line that matches, or some in a row.
pub(crate) struct Matching {
    pub(crate) line: Range<usize>,
    /// How many lines of the haystack stand before it, where that is known.
    pub(crate) lines_before: Option<u64>,
}

impl<'h> Matches<'h> for BlockScan<'h> {
    fn block(&self) -> &'h [u8] {
        self.haystack()
    }

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
        let is_begun = rest.last().is_some_and(|last| *last != config.line_terminator);
        lines::count(rest, config.line_terminator) + u64::from(is_begun) - matching
    }
}

/// As [`next_matching_line`]; inverted, with the lines behind it that are known to match, which are all passed over.
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

/// The first line at or after `from` that matches, in the block of `scan`. `from` must begin a line, none before that of an
/// earlier call.
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
            // A match past the last terminator is in no line.
            return None;
        }
        at = line.end;
        if confirmed || finder.is_match(lines::content(&block[line.clone()], config)) {
            return Some(line);
        }
    }
    None
}
