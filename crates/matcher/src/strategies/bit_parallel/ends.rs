//! In which lines marks are, by arithmetic too: a mark moves to the end of its line.
//!
//! Where many lines match, to look for the end of each takes longer than all the rest. A run of bytes that end no line is
//! one more repeated class: marks that are moved through such runs stand, among other places, at the ends of their
//! lines, each line having one however many marks were in it. So lines are counted as bits are.

use super::class::Class;
use super::{BITS, Id, Op, Words};
use crate::LineHit;

/// The operations that find in which lines marks are. They share nothing with those of the expression, which are not all
/// done where nothing matches.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// The first of them.
    pub(super) first: Id,
    /// Gives the ends of the lines that match.
    pub(super) matched: Id,
    /// The last of them: gives the ends of the lines that are not ASCII.
    pub(super) non_ascii: Id,
}

impl Ends {
    /// Append the operations to `ops`, where `marks` says where matches end.
    pub(super) fn append(ops: &mut Vec<Op>, marks: Id, terminator: u8) -> Ends {
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
        Ends { first: ends, matched, non_ascii }
    }
}

/// For each word of a piece of `len` bytes the bits of its places, the end of its last line included.
pub(super) fn masks(len: usize) -> impl Iterator<Item = u64> {
    (0..=len).step_by(BITS).map(move |base| match len - base {
        left if left < BITS - 1 => (2 << left) - 1,
        _ => u64::MAX,
    })
}

/// How many lines have `matched` and are not `non_ascii`.
pub(super) fn count(masks: impl Iterator<Item = u64>, matched: &Words, non_ascii: &Words) -> u64 {
    let words = masks.zip(matched).zip(non_ascii);
    words
        .map(|((mask, matched), non_ascii)| u64::from((matched & !non_ascii & mask).count_ones()))
        .sum()
}

/// Append the ends of the lines of a piece of text at `at` that have `matched`, which is certain, or are `non_ascii`.
pub(super) fn collect(
    at: usize,
    masks: impl Iterator<Item = u64>,
    matched: &Words,
    non_ascii: &Words,
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
