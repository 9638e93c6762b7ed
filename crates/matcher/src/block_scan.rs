//! One pass over a block of lines, with the hits that were found ahead.

use crate::lines::LineHit;
use crate::strategies::budget::Lookahead;

/// A pass over one block of lines, for [`Finder::next_line`](crate::Finder::next_line).
///
/// A strategy may find the hits of several kilobytes at once. The scan keeps them until the caller
/// gets there; it borrows the block, so that they stay true.
#[derive(Debug)]
pub struct BlockScan<'h> {
    haystack: &'h [u8],
    /// Hits found ahead, in order, each as its strategy reported it.
    hits: Vec<LineHit>,
    /// The index of the first hit that the caller has not passed.
    next: usize,
    /// The strategy that found the hits.
    source: Source,
    /// Lines that begin before this offset have no hits but those in `hits`.
    known_to: usize,
    /// The block is ASCII from the line in question up to this offset; unknown if the line begins
    /// behind it.
    ascii_to: usize,
    /// Bytes to search ahead next.
    lookahead: Lookahead,
}

/// The strategy that found the hits of a scan.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Source {
    /// The strategy's level in the finder.
    pub(crate) level: usize,
    /// Whether a line that it confirms is known to match.
    pub(crate) is_exact: bool,
}

impl<'h> BlockScan<'h> {
    /// A pass over `haystack`, a block of whole lines. Only the last may lack its terminator.
    #[must_use]
    pub fn new(haystack: &'h [u8]) -> BlockScan<'h> {
        BlockScan::with_memory(haystack, Vec::new())
    }

    /// A pass over `haystack` that keeps its hits in `hits`, which is empty.
    pub(crate) fn with_memory(haystack: &'h [u8], hits: Vec<LineHit>) -> BlockScan<'h> {
        BlockScan {
            haystack,
            hits,
            next: 0,
            source: Source::default(),
            known_to: 0,
            ascii_to: 0,
            lookahead: Lookahead::default(),
        }
    }

    /// Ends the pass. Returns the memory of its hits, which is empty.
    pub(crate) fn into_memory(mut self) -> Vec<LineHit> {
        self.hits.clear();
        self.hits
    }

    /// The block.
    #[must_use]
    pub fn haystack(&self) -> &'h [u8] {
        self.haystack
    }

    /// The first hit at or after `at` that was found ahead, as its strategy reported it.
    #[inline]
    pub(crate) fn known(&mut self, at: usize) -> Option<LineHit> {
        while let Some(&hit) = self.hits.get(self.next) {
            if hit.offset() >= at {
                return Some(hit);
            }
            self.next += 1;
        }
        None
    }

    /// Whether nothing was found ahead of `at`, or behind it.
    #[inline]
    pub(crate) fn is_unknown(&self, at: usize) -> bool {
        self.known_to <= at && self.next == self.hits.len()
    }

    pub(crate) fn source(&self) -> Source {
        self.source
    }

    pub(crate) fn set_source(&mut self, source: Source) {
        self.source = source;
    }

    /// The first offset at or after `at` where lines begin that have not been searched.
    #[inline]
    pub(crate) fn unknown(&self, at: usize) -> usize {
        at.max(self.known_to)
    }

    /// Replaces the hits by those that `find` appends, which must be all hits in lines from the
    /// first unknown one up to the offset that `find` returns.
    pub(crate) fn learn(&mut self, find: impl FnOnce(&mut Vec<LineHit>) -> usize) {
        self.hits.clear();
        self.next = 0;
        self.known_to = find(&mut self.hits);
    }

    /// Lines that begin before `to` have no further hits.
    pub(crate) fn pass(&mut self, to: usize) {
        self.learn(|_| to);
    }

    /// How many bytes to search ahead. The number doubles with each call, as it becomes likely that
    /// the caller wants all lines.
    pub(crate) fn lookahead(&mut self) -> usize {
        self.lookahead.next()
    }

    /// The end of a line up to which the block is known to be ASCII from `at` on.
    pub(crate) fn ascii_from(&self, at: usize) -> Option<usize> {
        (at < self.ascii_to).then_some(self.ascii_to)
    }

    /// Records that the block is ASCII from the line in question to `to`, the end of a line.
    pub(crate) fn learn_ascii(&mut self, to: usize) {
        self.ascii_to = to;
    }
}

#[cfg(test)]
mod tests {
    use crate::{LineHit, Matcher, MatcherConfig};

    #[test]
    fn a_scan_has_the_memory_of_the_last_one_but_not_its_hits() {
        let matcher = Matcher::new([r"[A-Z]\w+x"], &MatcherConfig::default()).expect("a pattern");
        let mut finder = matcher.finder();
        let first = b"Max\nFelix\nno\n".repeat(20);
        let mut scan = finder.scan(&first);
        assert!(finder.next_line(&mut scan, 0).is_some());
        finder.end_scan(scan);
        let mut scan = finder.scan(b"none\n");
        let memory = scan.hits.as_ptr();
        assert!(scan.hits.capacity() > 0, "it is that of the first scan");
        assert_eq!(finder.next_line(&mut scan, 0), None);
        finder.end_scan(scan);
        let mut scan = finder.scan(b"a\nb\nAlex\n");
        assert_eq!(scan.hits.as_ptr(), memory);
        let offset = finder.next_line(&mut scan, 0).map(LineHit::offset);
        assert!(offset.is_some_and(|offset| (4..9).contains(&offset)), "{offset:?}");
    }
}
