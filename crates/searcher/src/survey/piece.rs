//! A piece of a file, and what is known about it.

/// How many bytes a piece has: a memory page, or a part of one.
pub(crate) const PIECE: usize = 4 << 10;

/// How many bytes a part of a piece has, in which a match may be.
pub(crate) const PART: usize = PIECE / u64::BITS as usize;

/// What is known of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The number of line terminators.
    pub(crate) terminators: u32,
    pub(crate) has_nul: bool,
    /// The parts where a line may match: part 0 is the lowest bit.
    pub(crate) candidates: u64,
    /// Whether it has been copied.
    pub(crate) is_copied: bool,
}

impl Piece {
    /// Whether `pieces` have no more than `most` parts each, in the mean, where a line may match.
    pub(crate) fn have_few_candidates(pieces: &[Piece], most: usize) -> bool {
        let candidates = pieces.iter().map(|piece| piece.candidates.count_ones() as usize);
        candidates.sum::<usize>() <= most * pieces.len()
    }
}
