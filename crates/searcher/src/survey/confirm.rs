//! Which of the parts that pass the fingerprint contain a needle.
//!
//! A fingerprint is three bytes at most. As letters come together in words, they often do so where
//! no needle is, and to find that out takes less time than to copy and search the lines there:
//!
//! ```text
//! needle     quick   of which q and k are looked at
//! text       … be quick or …    … a quack of …
//! copied      ^^^^^^^^^^^^^      ^^^^^^^^^^^^^   no needle: this line is not searched
//! ```
//!
//! Perf: see docs/decisions/0146-surveys-with-avx512.md.

use heist_matcher::NeedleSearch;

use super::{
    piece::{PART, PIECE, Piece},
    view::View,
};

/// The length of the longest needles that are looked for.
const LONGEST: usize = 128;

/// How many parts of each piece are copied at most, in the mean. More of them take as long as to
/// read the chunk.
const MOST: usize = 4;

/// A search for needles in a few parts of a chunk.
#[derive(Debug)]
pub(crate) struct Confirmation {
    needles: NeedleSearch,
    /// The number of bytes before and after a part that a needle may reach to.
    overlap: usize,
}

impl Confirmation {
    /// `None` if a needle is so long that a copy of the parts around it takes too long.
    pub(crate) fn new(needles: NeedleSearch) -> Option<Confirmation> {
        let overlap = needles.longest().checked_sub(1).filter(|overlap| *overlap < LONGEST)?;
        Some(Confirmation { needles, overlap })
    }

    /// Removes the candidates from `pieces`, which begin at `offset` of the file, that no needle is
    /// in, unless they are too many. `None` if bytes no longer exist.
    pub(super) fn confirm(&self, view: &View, offset: u64, pieces: &mut [Piece]) -> Option<()> {
        let candidates = pieces.iter().map(|piece| piece.candidates.count_ones() as usize);
        if candidates.sum::<usize>() > MOST * pieces.len() {
            return Some(());
        }
        let mut bytes = [0; PART + 2 * LONGEST];
        for (start, piece) in (offset..).step_by(PIECE).zip(pieces) {
            let mut left = piece.candidates;
            while left != 0 {
                let number = left.trailing_zeros();
                left &= left - 1;
                let part = start + u64::from(number) * PART as u64;
                let lead = part.min(self.overlap as u64);
                let bytes = &mut bytes[..lead as usize + PART + self.overlap];
                if !view.copy(part - lead, bytes) {
                    return None;
                }
                if !self.needles.is_in(bytes) {
                    piece.candidates &= !(1 << number);
                }
            }
        }
        Some(())
    }
}
