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

use std::sync::{Arc, OnceLock};

use heist_matcher::{Matcher, NeedleSearch};

use super::piece::{Candidates, PART, Piece};
use crate::mmap::Mapping;

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

/// Needles, one of which each match has.
#[derive(Debug)]
pub(crate) struct Needles {
    pub(crate) search: NeedleSearch,
    /// The number of bytes before and after a part that a needle may reach to.
    pub(crate) overlap: usize,
}

impl Needles {
    /// The needles that `search` finds. `None` if it may find empty ones.
    pub(crate) fn new(search: NeedleSearch) -> Option<Needles> {
        let overlap = search.longest().checked_sub(1)?;
        Some(Needles { search, overlap })
    }

    /// Whether a needle touches the part at `offset` of the file, which is copied from `view` to
    /// `bytes`, with what is around it. `None` if bytes no longer exist.
    pub(crate) fn touch(&self, view: &View, offset: u64, bytes: &mut [u8]) -> Option<bool> {
        let lead = offset.min(self.overlap as u64);
        let bytes = &mut bytes[..lead as usize + PART + self.overlap];
        view.copy(offset - lead, bytes).then(|| self.search.is_in(bytes))
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
        // If a needle is long, a copy of the parts around it takes too long.
        let needles = || {
            let needles = Needles::new(self.matcher.needle_search()?)?;
            (needles.overlap < MAX_NEEDLE_BYTES).then_some(needles)
        };
        let Some(needles) = self.needles.get_or_init(needles) else { return Some(()) };
        let mut bytes = [0; PART + 2 * MAX_NEEDLE_BYTES];
        let mut candidates = Candidates::default();
        while let Some(place) = candidates.next(pieces) {
            if !needles.touch(view, offset + place as u64, &mut bytes)? {
                Piece::rule_out(pieces, place);
            }
        }
        Some(())
    }
}

/// A window of a file, as a look at it found it.
#[derive(Debug)]
pub(crate) struct View {
    pub(super) mapping: Arc<Mapping>,
    /// Where the window begins in the file.
    pub(super) from: u64,
    /// The look at it took few page faults.
    pub(crate) is_cheap: bool,
}

impl View {
    /// Fills `buffer` with the file's bytes from `offset` on, which must be in the window. Returns
    /// whether all exist.
    pub(crate) fn copy(&self, offset: u64, buffer: &mut [u8]) -> bool {
        self.mapping.copy((offset - self.from) as usize, buffer) == buffer.len()
    }
}
