//! One pass over a block of lines: what was found ahead of the line that is asked for.

use crate::LineHit;
use crate::strategies::scan::line_end;

/// A pass over one block of lines, for [`Finder::next_line`](crate::Finder::next_line). It borrows the block, so that what it
/// knows of it stays true.
#[derive(Debug)]
pub struct BlockScan<'h> {
    haystack: &'h [u8],
    /// Places in lines that match or may match, in order, found before they were asked for.
    hits: Vec<LineHit>,
    /// Those before this index have been asked for.
    next: usize,
    /// No line that begins before this has a hit but those in `hits`.
    known_to: usize,
    /// From the place that was asked for last up to here the block is ASCII; nothing is known if that is further on.
    ascii_to: usize,
    /// Bytes that are worth searching ahead next.
    lookahead: usize,
}

/// Bytes that are searched ahead at first: a match in them may be all that is wanted.
///
/// Perf (2026-11, 2 busy cores, `-m2 -f` with 1000 words on a tree in which nearly every file has them): with 16 KiB at once twice
/// what the engine takes.
const FIRST_LOOKAHEAD: usize = 2 << 10;

/// Bytes that are searched ahead at most: stays in the first-level cache for who goes over them again.
const LAST_LOOKAHEAD: usize = 16 << 10;

impl<'h> BlockScan<'h> {
    /// A pass over `haystack`, whole lines of which only the last may lack its terminator.
    #[must_use]
    pub fn new(haystack: &'h [u8]) -> BlockScan<'h> {
        BlockScan {
            haystack,
            hits: Vec::new(),
            next: 0,
            known_to: 0,
            ascii_to: 0,
            lookahead: FIRST_LOOKAHEAD,
        }
    }

    /// The block.
    #[must_use]
    pub fn haystack(&self) -> &'h [u8] {
        self.haystack
    }

    /// The first hit at or after `at` that is known already.
    pub(crate) fn known(&mut self, at: usize) -> Option<LineHit> {
        let passed = self.hits[self.next..].iter().take_while(|hit| hit.place() < at).count();
        self.next += passed;
        self.hits.get(self.next).copied()
    }

    /// The first place at or after `at` of which nothing is known.
    pub(crate) fn unknown(&self, at: usize) -> usize {
        at.max(self.known_to)
    }

    /// All hits in lines that begin before the place that `find` gives are those that it appends, and those known before.
    pub(crate) fn learn(&mut self, find: impl FnOnce(&mut Vec<LineHit>) -> usize) {
        self.hits.clear();
        self.next = 0;
        self.known_to = find(&mut self.hits);
    }

    /// The first hit at or after `at` in the lines up to `end`, which is at most the terminator of the last. What is not known yet is
    /// found by `find`, which is given a part of the block from the beginning of a line to the end of one, its terminator
    /// left aside, and appends the hits in it in order. None of them is certain if it is not `is_exact`.
    pub(crate) fn next_by(
        &mut self,
        (at, end): (usize, usize),
        terminator: u8,
        is_exact: bool,
        mut find: impl FnMut((usize, usize), &mut Vec<LineHit>),
    ) -> Option<LineHit> {
        loop {
            if let Some(hit) = self.known(at) {
                return Some(hit);
            }
            let from = self.unknown(at);
            if from > end {
                return None;
            }
            let stop =
                line_end(self.haystack, terminator, from + self.lookahead(LAST_LOOKAHEAD), end);
            self.learn(|hits| {
                find((from, stop), hits);
                if !is_exact {
                    hits.iter_mut().for_each(|hit| *hit = LineHit::Candidate(hit.place()));
                }
                stop + 1
            });
        }
    }

    /// How many bytes to search ahead, at most `most`: more each time, as it becomes likely that all are wanted.
    pub(crate) fn lookahead(&mut self, most: usize) -> usize {
        let lookahead = self.lookahead.min(most);
        self.lookahead = lookahead.saturating_mul(2);
        lookahead
    }

    /// LineEnds that begin before `to` have no further hits.
    pub(crate) fn pass(&mut self, to: usize) {
        self.learn(|_| to);
    }

    /// How far from `at` on the block is known to be ASCII: to the end of a line, its terminator left aside.
    pub(crate) fn ascii_from(&self, at: usize) -> Option<usize> {
        (at < self.ascii_to).then_some(self.ascii_to)
    }

    /// The block is ASCII from the place that is asked for to `to`, the end of a line.
    pub(crate) fn learn_ascii(&mut self, to: usize) {
        self.ascii_to = to;
    }
}
