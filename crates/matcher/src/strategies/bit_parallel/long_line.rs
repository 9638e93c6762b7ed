//! A line that is longer than a piece: it is searched piece by piece, and each operation carries
//! what it moves beyond the end of one into the next.

use std::ops::Range;
use std::sync::Arc;

use super::bitmap::{BITS, Bitmap, PIECE_BYTES, PIECE_WORDS, Results};
use super::dispatch;
use super::ops::Extent;
use super::program::{Bits, InLine, words};

impl Bits {
    /// Searches `line` of `text`, which has no terminator in it, for where the first match ends.
    pub(super) fn find_in_long_line(
        &self,
        text: &[u8],
        line: Range<usize>,
        results: &mut Results,
    ) -> InLine {
        self.begin_line(results);
        let mut at = line.start;
        loop {
            let piece = at..line.end.min(at + PIECE_BYTES);
            let is_last = piece.len() < PIECE_BYTES;
            match self.find_in_piece(&text[at..], piece.len(), results) {
                InLine::Match(place) => return InLine::Match(at + place),
                InLine::NoMatch if !is_last => at = piece.end,
                other => return other,
            }
        }
    }

    fn begin_line(&self, results: &mut Results) {
        results.bitmaps.resize(self.ops.list.len(), [0; PIECE_WORDS]);
        results.carries.clear();
        results.carries.extend(self.ops.first_carries());
    }

    /// Searches the next piece of a line, which is the first `len` bytes in `text`. With fewer than
    /// [`PIECE_BYTES`] bytes it ends the line.
    fn find_in_piece(&self, text: &[u8], len: usize, results: &mut Results) -> InLine {
        if !text[..len].is_ascii() {
            return InLine::NotAscii;
        }
        let (words, ids) = (words(&(0..len)).min(PIECE_WORDS), 0..self.ends.first);
        if !dispatch::run(&self.ops, text, words, Extent::Part, results, ids) {
            return InLine::NoMatch;
        }
        first_mark(&results[self.end], len).map_or(InLine::NoMatch, InLine::Match)
    }
}

/// The first mark in `marks`, which are for a piece with `len` bytes and for the place behind it.
fn first_mark(marks: &Bitmap, len: usize) -> Option<usize> {
    let places = (0..).step_by(BITS).zip(marks).take(len / BITS + 1);
    let marked = |(base, marks): (usize, &u64)| {
        (*marks != 0).then(|| base + marks.trailing_zeros() as usize)
    };
    places.filter_map(marked).next().filter(|place| *place <= len)
}

/// The search of a line that is not in memory as a whole.
#[derive(Clone, Debug)]
pub(crate) struct BitsInParts {
    bits: Arc<Bits>,
    results: Results,
    /// The bytes of the next piece, as far as they are there.
    begun: Vec<u8>,
    found: InLine,
}

impl BitsInParts {
    pub(super) fn new(bits: &Arc<Bits>) -> BitsInParts {
        let (results, begun) = (Results::default(), Vec::with_capacity(PIECE_BYTES));
        let (bits, found) = (Arc::clone(bits), InLine::NoMatch);
        let mut line = BitsInParts { bits, results, begun, found };
        line.begin();
        line
    }

    /// Begins another line.
    pub(crate) fn begin(&mut self) {
        self.bits.begin_line(&mut self.results);
        self.begun.clear();
        self.found = InLine::NoMatch;
    }

    /// Searches the next bytes of the line. Returns what has been found so far, as far as that is
    /// decided; the place means nothing.
    pub(crate) fn search(&mut self, mut part: &[u8]) -> InLine {
        while self.found == InLine::NoMatch && !part.is_empty() {
            if self.begun.is_empty() && part.len() >= PIECE_BYTES {
                self.found = self.bits.find_in_piece(part, PIECE_BYTES, &mut self.results);
                part = &part[PIECE_BYTES..];
                continue;
            }
            let (more, rest) = part.split_at(part.len().min(PIECE_BYTES - self.begun.len()));
            self.begun.extend_from_slice(more);
            part = rest;
            if self.begun.len() == PIECE_BYTES {
                self.search_begun();
            }
        }
        self.found
    }

    /// Ends the line.
    pub(crate) fn end(&mut self) -> InLine {
        if self.found == InLine::NoMatch {
            self.search_begun();
        }
        self.found
    }

    fn search_begun(&mut self) {
        let BitsInParts { bits, results, begun, found } = self;
        *found = bits.find_in_piece(begun, begun.len(), results);
        begun.clear();
    }
}
