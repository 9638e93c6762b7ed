//! The lines that hold marks, by arithmetic too: a mark moves to the end of its line.
//!
//! Where many lines match, a search for the end of each takes longer than all the rest. The bytes
//! that end no line are one more repeated class: marks that move through runs of these bytes stand,
//! among other places, at the ends of their lines, where each line has one, however many marks it
//! held. So lines are counted as bits are.

use super::bitmap::{BITS, Bitmap};
use super::class::Class;
use super::ops::{Id, Op};
use crate::lines::LineHit;

/// The operations that find the lines that hold marks. They share nothing with the expression's
/// operations, which are not all done where nothing matches.
#[derive(Clone, Debug)]
pub(super) struct LineEndOps {
    /// The first of them.
    pub(super) first: Id,
    /// Gives the ends of the lines that match.
    pub(super) matched: Id,
    /// The last operation: gives where lines end that are not ASCII.
    pub(super) non_ascii: Id,
}

impl LineEndOps {
    /// Appends the operations to `ops`. The result of `marks` has the places where matches end.
    pub(super) fn append(ops: &mut Vec<Op>, marks: Id, terminator: u8) -> LineEndOps {
        let mut push = |op| {
            ops.push(op);
            ops.len() - 1
        };
        let ends = push(Op::Class(Class::new(|byte| byte == terminator)));
        let inner = push(Op::Not(ends));
        let through = push(Op::Star { marks, class: inner });
        let matched = push(Op::And(through, ends));
        let ascii = push(Op::Class(Class::new(|_| true)));
        let others = push(Op::Not(ascii));
        let through = push(Op::Star { marks: others, class: inner });
        let non_ascii = push(Op::And(through, ends));
        LineEndOps { first: ends, matched, non_ascii }
    }
}

/// For each word of a piece with `len` bytes, the bits for its places and for the end of its last
/// line.
pub(super) fn masks(len: usize) -> impl Iterator<Item = u64> {
    (0..=len).step_by(BITS).map(move |base| match len - base {
        left if left < BITS - 1 => (2 << left) - 1,
        _ => u64::MAX,
    })
}

/// Counts the lines that have `matched` and are not `non_ascii`.
pub(super) fn count(masks: impl Iterator<Item = u64>, matched: &Bitmap, non_ascii: &Bitmap) -> u64 {
    let words = masks.zip(matched).zip(non_ascii);
    words
        .map(|((mask, matched), non_ascii)| u64::from((matched & !non_ascii & mask).count_ones()))
        .sum()
}

/// Appends where lines end in a piece of text at `at`: lines that have `matched`, which is certain,
/// or are `non_ascii`, which only the engine can search.
pub(super) fn collect(
    at: usize,
    masks: impl Iterator<Item = u64>,
    matched: &Bitmap,
    non_ascii: &Bitmap,
    hits: &mut Vec<LineHit>,
) {
    for (base, ((mask, matched), non_ascii)) in
        (at..).step_by(BITS).zip(masks.zip(matched).zip(non_ascii))
    {
        let mut ends = (matched | non_ascii) & mask;
        while ends != 0 {
            let bit = ends.trailing_zeros();
            let place = base + bit as usize;
            hits.push(match non_ascii >> bit & 1 {
                0 => LineHit::Confirmed(place),
                _ => LineHit::Candidate(place),
            });
            ends &= ends - 1;
        }
    }
}
