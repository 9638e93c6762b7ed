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

use std::sync::OnceLock;

use heist_matcher::{Matcher, NeedleSearch};

use super::{
    piece::{PART, PIECE, Piece},
    view::View,
};

/// The length of the longest needles that are looked for.
const MAX_NEEDLE_BYTES: usize = 128;

/// How many parts of each piece are copied at most, in the mean. To copy more takes as long as to
/// read the chunk.
const MAX_PARTS_PER_PIECE: usize = 4;

/// A search for needles in a few parts of a chunk.
#[derive(Debug)]
pub(crate) struct Confirmation {
    matcher: Matcher,
    /// Compiled when there is something to confirm: for many needles, that takes milliseconds.
    needles: OnceLock<Option<Needles>>,
}

#[derive(Debug)]
struct Needles {
    search: NeedleSearch,
    /// The number of bytes before and after a part that a needle may reach to.
    overlap: usize,
}

impl Needles {
    /// `None` if a needle is so long that a copy of the parts around it takes too long.
    fn of(matcher: &Matcher) -> Option<Needles> {
        let search = matcher.needle_search()?;
        let overlap =
            search.longest().checked_sub(1).filter(|overlap| *overlap < MAX_NEEDLE_BYTES)?;
        Some(Needles { search, overlap })
    }
}

impl Confirmation {
    /// A search for the needles of `matcher`.
    pub(crate) fn new(matcher: Matcher) -> Confirmation {
        Confirmation { matcher, needles: OnceLock::new() }
    }

    /// Removes the candidates from `pieces`, which begin at `offset` of the file, that no needle is
    /// in, unless they are too many. `None` if bytes no longer exist.
    pub(super) fn confirm(&self, view: &View, offset: u64, pieces: &mut [Piece]) -> Option<()> {
        let has_none = pieces.iter().all(|piece| piece.candidates == 0);
        if has_none || !Piece::have_few_candidates(pieces, MAX_PARTS_PER_PIECE) {
            return Some(());
        }
        let needles = self.needles.get_or_init(|| Needles::of(&self.matcher));
        let Some(Needles { search, overlap }) = needles else { return Some(()) };
        let mut bytes = [0; PART + 2 * MAX_NEEDLE_BYTES];
        for (start, piece) in (offset..).step_by(PIECE).zip(pieces) {
            let mut left = piece.candidates;
            while left != 0 {
                let number = left.trailing_zeros();
                left &= left - 1;
                let part = start + u64::from(number) * PART as u64;
                let lead = part.min(*overlap as u64);
                let bytes = &mut bytes[..lead as usize + PART + overlap];
                if !view.copy(part - lead, bytes) {
                    return None;
                }
                if !search.is_in(bytes) {
                    piece.candidates &= !(1 << number);
                }
            }
        }
        Some(())
    }
}
