//! An expression compiled to operations, and how a piece of text is searched by them.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::bitmap::{BITS, Bitmap, PIECE_BYTES, PIECE_WORDS, Results};
use super::dispatch;
use super::line_ends::{self, LineEndOps};
use super::ops::{Extent, Id, Op, Ops};
use crate::backreference::Backreference;
use crate::lines::{LineHit, line_end, line_start};
use crate::strategies::cost;

/// If there are fewer bytes per mark than this, the ends of all lines are computed, instead of
/// searched for from each mark. Not measured; to compute them takes as long as to search for ten.
const DENSE: usize = 256;

/// An expression compiled.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    pub(super) ops: Ops,
    /// The operation whose result has the places where matches end.
    pub(super) end: Id,
    /// The operations that find the lines at these places. They come last, and are done only where
    /// there are matches.
    pub(super) ends: LineEndOps,
    /// Where matches end stand the first bytes of this, unless a line is longer than a piece.
    pub(super) reference: Option<Backreference>,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Through the lines up to the one that ends here, before its terminator.
    Searched { end: usize },
    /// Nowhere: the first line, which ends here, is longer than a piece and not ASCII.
    Left { end: usize },
}

/// How many places are marked in a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    None,
    Few,
    Many,
    /// Unknown, as not all of it is ASCII.
    Unknown,
}

/// What is found in a line of ASCII text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InLine {
    /// A match ends here.
    Match(usize),
    NoMatch,
    /// Not all of the line is ASCII.
    NotAscii,
}

impl InLine {
    /// The place where a match ends.
    pub(crate) fn place(self) -> Option<usize> {
        match self {
            InLine::Match(place) => Some(place),
            InLine::NoMatch | InLine::NotAscii => None,
        }
    }
}

impl Bits {
    /// Returns this program, for matches that end within `reference`.
    #[cfg(feature = "pcre2")]
    pub(crate) fn with_reference(self, reference: Backreference) -> Bits {
        Bits { reference: Some(reference), ..self }
    }

    /// Nanoseconds per byte that it takes, about.
    pub(crate) fn cost(&self) -> f64 {
        let ops = &self.ops.list[..self.ends.first];
        let classes = ops.iter().filter(|op| matches!(op, Op::Class(_))).count();
        cost::bits(classes, ops.len())
    }

    /// Searches the first of `lines` in `text`, as many as fit into a piece. Appends to `hits` a
    /// place in each line that matches, in order, and a candidate for each line that is not ASCII.
    pub(super) fn find(
        &self,
        text: &[u8],
        lines: Range<usize>,
        results: &mut Results,
        hits: &mut Vec<LineHit>,
    ) -> Piece {
        let at = lines.start;
        let Some(stop) = self.piece(text, &lines) else {
            let line = self.first_line(text, lines);
            return match self.find_in_long_line(text, line.clone(), results) {
                InLine::NotAscii => Piece::Left { end: line.end },
                found => {
                    hits.extend(found.place().map(LineHit::Confirmed));
                    Piece::Searched { end: line.end }
                }
            };
        };
        let marked = self.marked(text, at..stop, results);
        match marked {
            Marked::None => {}
            Marked::Few => self.collect(text, at..stop, &results[self.end], hits),
            Marked::Many | Marked::Unknown => {
                self.find_lines(text, at..stop, marked, results);
                let [matched, non_ascii] =
                    [self.ends.matched, self.ends.non_ascii].map(|id| &results[id]);
                let first = hits.len();
                line_ends::collect(at, line_ends::masks(stop - at), matched, non_ascii, hits);
                if marked == Marked::Unknown {
                    self.begin_candidates(text, at, &mut hits[first..]);
                }
            }
        }
        Piece::Searched { end: stop }
    }

    /// Moves the candidates among `hits`, which are in lines from `at` on, from the ends of their
    /// lines to the beginnings: nothing was skipped within these lines.
    fn begin_candidates(&self, text: &[u8], mut at: usize, hits: &mut [LineHit]) {
        for hit in hits {
            let end = hit.offset();
            if let LineHit::Candidate(_) = hit {
                *hit = LineHit::Candidate(line_start(text, self.ops.terminator, at, end));
            }
            at = end;
        }
    }

    /// Counts the lines that [`find`](Bits::find) finds. Appends lines that are not ASCII to
    /// `hits`.
    pub(super) fn count(
        &self,
        text: &[u8],
        lines: Range<usize>,
        results: &mut Results,
        hits: &mut Vec<LineHit>,
    ) -> (u64, Piece) {
        let at = lines.start;
        let Some(stop) = self.piece(text, &lines) else {
            let line = self.first_line(text, lines);
            let end = line.end;
            return match self.find_in_long_line(text, line, results) {
                InLine::NotAscii => (0, Piece::Left { end }),
                found => (u64::from(found.place().is_some()), Piece::Searched { end }),
            };
        };
        let mut count = 0;
        let marked = self.marked(text, at..stop, results);
        if marked != Marked::None {
            self.find_lines(text, at..stop, marked, results);
            let [matched, non_ascii] =
                [self.ends.matched, self.ends.non_ascii].map(|id| &results[id]);
            count = line_ends::count(line_ends::masks(stop - at), matched, non_ascii);
            if marked == Marked::Unknown {
                let masks = line_ends::masks(stop - at);
                line_ends::collect(at, masks, &[0; PIECE_WORDS], non_ascii, hits);
            }
        }
        (count, Piece::Searched { end: stop })
    }

    /// Where the last of `lines` ends that fits into a piece, before its terminator.
    fn piece(&self, text: &[u8], lines: &Range<usize>) -> Option<usize> {
        // One byte less than there are bits: the last bit is the end of the last line.
        if lines.len() < PIECE_BYTES {
            return Some(lines.end);
        }
        let at = lines.start;
        memrchr(self.ops.terminator, &text[at..at + PIECE_BYTES]).map(|n| at + n)
    }

    /// The first of `lines`, without its terminator.
    fn first_line(&self, text: &[u8], lines: Range<usize>) -> Range<usize> {
        let Range { start, end } = lines;
        start..line_end(text, self.ops.terminator, start, end)
    }

    /// Does the operations that find where matches end in a piece of `text`.
    fn marked(&self, text: &[u8], piece: Range<usize>, results: &mut Results) -> Marked {
        let is_ascii = text[piece.clone()].is_ascii();
        let is_found = self.run(text, &piece, results, 0..self.ends.first)
            && self.may_repeat(text, &piece, &mut results[self.end]);
        match (is_ascii, is_found) {
            (false, true) => Marked::Unknown,
            (false, false) => {
                // The results belong to another piece.
                results[self.end] = [0; PIECE_WORDS];
                Marked::Unknown
            }
            (true, false) => Marked::None,
            (true, true) => {
                let marks = &results[self.end][..words(&piece)];
                let count: usize = marks.iter().map(|marks| marks.count_ones() as usize).sum();
                if count * DENSE > piece.len() { Marked::Many } else { Marked::Few }
            }
        }
    }

    /// Clears the `marks` in a piece of `text` where the reference repeats nothing. Returns whether
    /// others are left.
    fn may_repeat(&self, text: &[u8], piece: &Range<usize>, marks: &mut Bitmap) -> bool {
        let Some(reference) = &self.reference else { return true };
        let mut all = 0;
        for (base, marks) in (piece.start..).step_by(BITS).zip(&mut marks[..words(piece)]) {
            let mut unknown = *marks;
            while unknown != 0 {
                let bit = unknown.trailing_zeros();
                unknown &= unknown - 1;
                let place = base + bit as usize;
                if place > piece.end || !reference.may_repeat(text, place) {
                    *marks &= !(1 << bit);
                }
            }
            all |= *marks;
        }
        all != 0
    }

    /// Does the operations that find the lines in a piece of `text` that hold marks or are not
    /// ASCII.
    fn find_lines(&self, text: &[u8], piece: Range<usize>, marked: Marked, results: &mut Results) {
        let last = match marked {
            Marked::Unknown => self.ops.list.len(),
            // All is ASCII.
            _ => self.ends.matched + 1,
        };
        self.run(text, &piece, results, self.ends.first..last);
        if marked != Marked::Unknown {
            results[self.ends.non_ascii] = [0; PIECE_WORDS];
        }
    }

    /// Appends the first marked place in each line of a piece of `text` that is all ASCII. For few
    /// marks that is faster than to find where all lines end.
    fn collect(&self, text: &[u8], piece: Range<usize>, marks: &Bitmap, hits: &mut Vec<LineHit>) {
        let Range { start: at, end: stop } = piece;
        // Marks before this are in a line that has a hit.
        let mut from = at;
        for (base, &marks) in (at..=stop).step_by(BITS).zip(marks) {
            let mut marks = marks & !before(from, base);
            while marks != 0 {
                let hit = base + marks.trailing_zeros() as usize;
                if hit > stop {
                    return;
                }
                hits.push(LineHit::Confirmed(hit));
                let Some(n) = memchr(self.ops.terminator, &text[hit..stop]) else { return };
                from = hit + n + 1;
                marks &= !before(from, base);
            }
        }
    }

    /// Does the operations `ids` on a piece of `text`; false as soon as nothing can match.
    pub(super) fn run(
        &self,
        text: &[u8],
        piece: &Range<usize>,
        results: &mut Results,
        ids: Range<Id>,
    ) -> bool {
        results.bitmaps.resize(self.ops.list.len(), [0; PIECE_WORDS]);
        let text = &text[piece.start..];
        dispatch::run(&self.ops, text, words(piece), Extent::Lines, results, ids)
    }
}

/// How many words have the bits for a piece and for the end of its last line.
pub(super) fn words(piece: &Range<usize>) -> usize {
    piece.len() / BITS + 1
}

/// The bits for the places before `place` in the word that begins with the bit for `base`.
fn before(place: usize, base: usize) -> u64 {
    let count = place.saturating_sub(base);
    if count < BITS { (1 << count) - 1 } else { u64::MAX }
}
