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
    /// States that no line matches in the part at `place`, counted from the first of the `pieces`.
    pub(crate) fn rule_out(pieces: &mut [Piece], place: usize) {
        pieces[place / PIECE].candidates &= !(1 << (place % PIECE / PART));
    }

    /// Whether `pieces` have no more than `most` parts each, in the mean, where a line may match.
    pub(crate) fn have_few_candidates(pieces: &[Piece], most: usize) -> bool {
        let candidates = pieces.iter().map(|piece| piece.candidates.count_ones() as usize);
        candidates.sum::<usize>() <= most * pieces.len()
    }
}

/// Goes through the parts of successive pieces where a line may match.
///
/// The pieces may change meanwhile, except for the candidates of the one that the last part is in.
#[derive(Default)]
pub(crate) struct Candidates {
    /// How many pieces have been begun.
    begun: usize,
    /// The candidates in the last one of these that are left.
    left: u64,
}

impl Candidates {
    /// Returns the place of the next part, counted from the first of the `pieces`.
    pub(crate) fn next(&mut self, pieces: &[Piece]) -> Option<usize> {
        while self.left == 0 {
            self.left = pieces.get(self.begun)?.candidates;
            self.begun += 1;
        }
        let part = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some((self.begun - 1) * PIECE + part * PART)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_has_its_turn() {
        let of = |candidates| Piece { candidates, ..Piece::default() };
        let mut pieces = [of(0), of(0b101), of(0), of(1 << 63)];
        let (mut candidates, mut places) = (Candidates::default(), Vec::new());
        while let Some(place) = candidates.next(&pieces) {
            Piece::rule_out(&mut pieces, place);
            places.push(place);
        }
        assert_eq!(places, [PIECE, PIECE + 2 * PART, 4 * PIECE - PART]);
        assert!(pieces.iter().all(|piece| piece.candidates == 0));
    }
}
