//! Operations on the bits of a piece of text.

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

/// Operations, each of which takes the results of earlier ones.
#[derive(Clone, Debug)]
pub(super) struct Ops {
    pub(super) list: Vec<Op>,
    /// For each, whether nothing matches where its result is empty.
    pub(super) gates: Vec<bool>,
    pub(super) terminator: u8,
}

impl Ops {
    /// Does the operations `ids` on the first `words` words of `text`. It stops and returns false
    /// as soon as nothing can match. `members` finds the members of a class; this is compiled for
    /// each kind of processor.
    #[inline(always)]
    pub(super) fn run_by(
        &self,
        text: &[u8],
        words: usize,
        results: &mut Results,
        ids: Range<Id>,
        members: impl Fn(&Class, &Block) -> u64,
    ) -> bool {
        for id in ids {
            let (before, rest) = results.split_at_mut(id);
            let out = &mut rest[0][..words];
            match &self.list[id] {
                Op::Class(class) => class.mark(text, self.terminator, &members, out),
                op => op.run(before, out),
            }
            if self.gates[id] && out.iter().fold(0, |all, word| all | word) == 0 {
                return false;
            }
        }
        true
    }
}

impl Op {
    /// Computes `out`. A class is not computed here: its members depend on the text.
    #[inline(always)]
    fn run(&self, results: &[Bitmap], out: &mut [u64]) {
        let words = out.len();
        let result = |id: Id| &results[id][..words];
        match *self {
            Op::Class(_) => {}
            Op::After(a) => shift(result(a), 1, 0, |_, moved| moved, out),
            Op::Starts(a) => shift(result(a), 1, u64::MAX, |_, moved| moved, out),
            Op::Advance { marks, class } => {
                let mut carry = 0;
                for ((out, &m), &c) in out.iter_mut().zip(result(marks)).zip(result(class)) {
                    let both = m & c;
                    *out = both << 1 | carry;
                    carry = both >> 63;
                }
            }
            Op::Move { marks, by, to } => {
                let to = result(to);
                shift(result(marks), by, 0, |n, moved| moved & to[n], out);
            }
            Op::Star { marks, class } => {
                let mut carry = false;
                for ((out, &m), &c) in out.iter_mut().zip(result(marks)).zip(result(class)) {
                    let (sum, first) = (m & c).overflowing_add(c);
                    let (sum, second) = sum.overflowing_add(u64::from(carry));
                    carry = first | second;
                    *out = (sum ^ c) | m;
                }
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

/// Moves `bits` by `by` places, at least one and at most 63; the highest bits of `before` come in
/// at the bottom. `mask` has the last word on each word of the result.
#[inline(always)]
fn shift(bits: &[u64], by: u32, before: u64, mask: impl Fn(usize, u64) -> u64, out: &mut [u64]) {
    if let ([first, ..], [out, ..]) = (bits, &mut *out) {
        *out = mask(0, first << by | before >> (u64::BITS - by));
    }
    for (n, (out, pair)) in (1..).zip(out[1..].iter_mut().zip(bits.windows(2))) {
        *out = mask(n, pair[1] << by | pair[0] >> (u64::BITS - by));
    }
}
