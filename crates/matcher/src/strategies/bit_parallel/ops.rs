//! Operations on the bits for a piece of text.

use std::ops::Range;

use super::bitmap::{Bitmap, Block, Results};
use super::class::Class;

/// The number of an operation: its place in the list.
pub(super) type Id = usize;

/// What is computed from earlier results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// The bytes that are members.
    Class(Class),
    /// The places behind those bytes.
    After(Id),
    /// The places where lines begin, from the bytes that end them.
    Starts(Id),
    /// The places behind marked bytes that are members.
    Advance { marks: Id, class: Id },
    /// The marks moved by `by` places, at most 63, where they are then among `to`.
    Move { marks: Id, by: u32, to: Id },
    /// The marks, and those moved through runs of members.
    Star { marks: Id, class: Id },
    /// Either.
    Or(Id, Id),
    /// Both.
    And(Id, Id),
    /// The first without the second.
    AndNot(Id, Id),
    /// Not.
    Not(Id),
    /// One of them.
    Xor(Id, Id),
}

/// What an operation shows if its result is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gate {
    /// Nothing.
    Open,
    /// No match lies in the piece.
    Piece,
    /// No match has come as far as here in the piece. The result has marks, and each was moved to
    /// its place from an earlier one.
    Marks,
}

/// Where the text of a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The piece is whole lines.
    Lines,
    /// The piece is a part of a line. The parts before it have been searched.
    Part,
}

/// Operations. Each takes the results of earlier ones.
#[derive(Clone, Debug)]
pub(super) struct Ops {
    pub(super) list: Vec<Op>,
    /// For each, what follows where its result is empty.
    pub(super) gates: Vec<Gate>,
    pub(super) terminator: u8,
}

impl Ops {
    /// Does the operations `ids` on the first `words` words of `text`. It stops and returns false
    /// as soon as nothing can match. `members` finds a class's members; this is compiled for each
    /// kind of processor.
    #[inline(always)]
    pub(super) fn run_by(
        &self,
        text: &[u8],
        words: usize,
        extent: Extent,
        results: &mut Results,
        ids: Range<Id>,
        members: impl Fn(&Class, &Block) -> u64,
    ) -> bool {
        let is_part = extent == Extent::Part;
        let Results { bitmaps, carries } = results;
        for id in ids {
            let (before, rest) = bitmaps.split_at_mut(id);
            let out = &mut rest[0][..words];
            let op = &self.list[id];
            let mut carry = if is_part { carries[id] } else { op.first_carry() };
            match op {
                Op::Class(class) => class.mark(text, self.terminator, &members, out),
                op => op.run(before, out, &mut carry),
            }
            if is_part {
                carries[id] = carry;
            }
            let gate = self.gates[id];
            if gate != Gate::Open
                && out.iter().fold(0, |all, word| all | word) == 0
                && (!is_part || gate == Gate::Marks && self.stops_in_part(id, carries))
            {
                return false;
            }
        }
        true
    }

    /// Whether no match in the line is under way, if the operation `id`, which marks every match,
    /// gives no mark in a part of the line. The operations after it are then not done: their
    /// carries are cleared.
    ///
    /// A match that has passed this operation before has left a carry in a later one that moves
    /// marks. A match that has not gets its mark in a later part; behind its first place, so that
    /// what the later operations know about this part does not matter.
    fn stops_in_part(&self, id: Id, carries: &mut [u64]) -> bool {
        let (later, carries) = (&self.list[id + 1..], &mut carries[id..]);
        let (own, carries) = (carries[0], &mut carries[1..]);
        let is_under_way = |(op, carry): (&Op, &u64)| op.moves_marks() && *carry != 0;
        if own & 1 != 0 || later.iter().zip(&*carries).any(is_under_way) {
            return false;
        }
        carries.fill(0);
        true
    }

    /// What the operations carry into the first part of a line.
    pub(super) fn first_carries(&self) -> impl Iterator<Item = u64> {
        self.list.iter().map(Op::first_carry)
    }
}

impl Op {
    /// The bits that come in at the beginning of a line.
    #[inline(always)]
    fn first_carry(&self) -> u64 {
        u64::from(matches!(self, Op::Starts(_)))
    }

    /// Whether it moves marks that depend on the operations before it, and not only members of a
    /// class.
    fn moves_marks(&self) -> bool {
        match self {
            Op::Advance { .. } | Op::Star { .. } => true,
            Op::Move { marks, to, .. } => marks != to,
            _ => false,
        }
    }

    /// Computes `out`, and the `carry` from the carry of the words before. A class is not computed
    /// here: its members depend on the text.
    #[inline(always)]
    fn run(&self, results: &[Bitmap], out: &mut [u64], carry: &mut u64) {
        let words = out.len();
        let result = |id: Id| &results[id][..words];
        match *self {
            Op::Class(_) => {}
            Op::After(a) | Op::Starts(a) => shift(result(a), 1, carry, |_, moved| moved, out),
            Op::Advance { marks, class } => {
                let mut last = *carry;
                for ((out, &m), &c) in out.iter_mut().zip(result(marks)).zip(result(class)) {
                    let both = m & c;
                    *out = both << 1 | last;
                    last = both >> 63;
                }
                *carry = last;
            }
            Op::Move { marks, by, to } => {
                let to = result(to);
                shift(result(marks), by, carry, |n, moved| moved & to[n], out);
            }
            Op::Star { marks, class } => {
                let mut last = *carry;
                for ((out, &m), &c) in out.iter_mut().zip(result(marks)).zip(result(class)) {
                    let (sum, first) = (m & c).overflowing_add(c);
                    let (sum, second) = sum.overflowing_add(last);
                    last = u64::from(first | second);
                    *out = (sum ^ c) | m;
                }
                *carry = last;
            }
            Op::Or(a, b) => both(result(a), result(b), |a, b| a | b, out),
            Op::And(a, b) => both(result(a), result(b), |a, b| a & b, out),
            Op::AndNot(a, b) => both(result(a), result(b), |a, b| a & !b, out),
            Op::Xor(a, b) => both(result(a), result(b), |a, b| a ^ b, out),
            Op::Not(a) => both(result(a), result(a), |a, _| !a, out),
        }
    }
}

#[inline(always)]
fn both(a: &[u64], b: &[u64], op: impl Fn(u64, u64) -> u64, out: &mut [u64]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = op(a, b);
    }
}

/// Moves `bits` by `by` places, at least one and at most 63. Bits from `carry` come in at the
/// bottom, and those that leave at the top become the new carry. `mask` is applied last to each
/// word of the result.
#[inline(always)]
fn shift(
    bits: &[u64],
    by: u32,
    carry: &mut u64,
    mask: impl Fn(usize, u64) -> u64,
    out: &mut [u64],
) {
    if let ([first, ..], [out, ..]) = (bits, &mut *out) {
        *out = mask(0, first << by | *carry);
    }
    *carry = bits.last().map_or(0, |last| last >> (u64::BITS - by));
    for (n, (out, pair)) in (1..).zip(out[1..].iter_mut().zip(bits.windows(2))) {
        *out = mask(n, pair[1] << by | pair[0] >> (u64::BITS - by));
    }
}
