//! A search for lines in ASCII text that takes 64 bytes at a time, by arithmetic on words of bits.
//!
//! This is the method of Cameron et al., "Bitwise Data Parallelism in Regular Expression Matching" (2014). For each
//! class of the expression there is a bit per byte: whether it is a member. Marks are bits too, one for each place
//! where a part of the expression may have ended: matching a class moves those on that stand before a member, and a
//! repeated class moves them through a run of members by the carry of an addition. So all places of a text are
//! tried at once, and it does not matter how many of them match.
//!
//! A piece of text is whole lines. No match crosses a line end, so that no piece has to know anything of the one
//! before. What an expression is compiled to is a straight list of operations, each of which computes one word per
//! 64 bytes from what operations before it have computed.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod class;
mod compile;
mod ends;
#[cfg(test)]
mod tests;

use std::ops::Range;

use memchr::{memchr, memrchr};
use regex_syntax::hir::Hir;

use crate::LineHit;

use class::Block;
pub(crate) use class::Class;
use ends::Ends;

/// Words of a piece at most. The results of all operations are to stay in the first-level cache.
const WORDS: usize = 64;
/// Bytes that have a bit in a word.
pub(crate) const BITS: usize = u64::BITS as usize;
/// Bytes to a mark from which on lines with marks are taken to be far apart.
///
/// Perf: not measured; to find the ends of all lines of a piece takes as long as to find those of ten.
const DENSE: usize = 256;
/// Bytes of a piece at most.
const PIECE: usize = WORDS * BITS;

/// A bit for each byte of a piece of text, or for the place before it.
type Words = [u64; WORDS];

/// The results of operations, one of each: scratch space.
pub(crate) type Results = Vec<Words>;

/// Which operation, by its place in the list.
type Id = usize;

/// What is computed from what was computed before.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Op {
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

/// An expression compiled.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    ops: Vec<Op>,
    /// Whether nothing matches where this operation gives nothing, for each.
    gates: Vec<bool>,
    /// The one that gives the places where matches end.
    end: Id,
    /// Those that say in which lines that is. They come last, and are done only where there are matches.
    ends: Ends,
    terminator: u8,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The lines up to the one that ends here, its terminator left aside.
    Searched { end: usize },
    /// Nothing, as the first line is too long. It ends here.
    TooLong { end: usize },
}

impl Bits {
    /// Whether the processor has what makes it faster than an automaton.
    pub(crate) fn is_fast() -> bool {
        #[cfg(target_arch = "x86_64")]
        return avx2::is_there();
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    /// What `hir` is compiled to, an expression for blocks of lines that `terminator` ends and for ASCII text; None if it
    /// would take too many operations or needs more than the operations that there are.
    pub(crate) fn new(hir: &Hir, terminator: u8) -> Option<Bits> {
        compile::compile(hir, terminator)
    }

    /// Nanoseconds per byte that it takes, about.
    ///
    /// Perf (2026-11, 2 cores, 600 MB of kernel sources): 0.1 to 0.25 for expressions of two or three classes.
    pub(crate) fn cost(&self) -> f64 {
        let ops = &self.ops[..self.ends.first];
        let classes = ops.iter().filter(|op| matches!(op, Op::Class(_))).count();
        0.03 + 0.02 * classes as f64 + 0.007 * ops.len() as f64
    }

    /// Search the first lines of `text[at..end]`, as many as fit. `at` begins a line, `end` is within or at the end of the
    /// last one, before its terminator. Appends to `hits` a place in each line that matches, in order; and one in each line
    /// that is not ASCII, which may match.
    pub(crate) fn find(
        &self,
        text: &[u8],
        (at, end): (usize, usize),
        results: &mut Results,
        hits: &mut Vec<LineHit>,
    ) -> Piece {
        let Some(stop) = self.piece(text, at, end) else { return self.too_long(text, at, end) };
        let marked = self.marked(text, at, stop, results);
        match marked {
            Marked::None => {}
            Marked::Few => self.collect(text, (at, stop), &results[self.end], hits),
            Marked::Many | Marked::Unknown => {
                self.lines_of(text, (at, stop), marked, results);
                let [matched, non_ascii] =
                    [self.ends.matched, self.ends.non_ascii].map(|id| &results[id]);
                ends::collect(at, ends::masks(stop - at), matched, non_ascii, hits);
            }
        }
        Piece::Searched { end: stop }
    }

    /// As [`find`](Bits::find), but the lines that match are only counted. Appends to `hits` those that are not ASCII.
    pub(crate) fn count(
        &self,
        text: &[u8],
        (at, end): (usize, usize),
        results: &mut Results,
        hits: &mut Vec<LineHit>,
    ) -> (u64, Piece) {
        let Some(stop) = self.piece(text, at, end) else {
            return (0, self.too_long(text, at, end));
        };
        let mut count = 0;
        let marked = self.marked(text, at, stop, results);
        if marked != Marked::None {
            self.lines_of(text, (at, stop), marked, results);
            let [matched, non_ascii] =
                [self.ends.matched, self.ends.non_ascii].map(|id| &results[id]);
            count = ends::count(ends::masks(stop - at), matched, non_ascii);
            if marked == Marked::Unknown {
                ends::collect(at, ends::masks(stop - at), &[0; WORDS], non_ascii, hits);
            }
        }
        (count, Piece::Searched { end: stop })
    }

    /// The end of the last line of `text[at..end]` that fits into a piece, its terminator left aside.
    fn piece(&self, text: &[u8], at: usize, end: usize) -> Option<usize> {
        // One place less than there are bits: the last is the end of the last line.
        if end - at < PIECE {
            return Some(end);
        }
        memrchr(self.terminator, &text[at..at + PIECE]).map(|n| at + n)
    }

    fn too_long(&self, text: &[u8], at: usize, end: usize) -> Piece {
        let rest = memchr(self.terminator, &text[at..end]);
        Piece::TooLong { end: rest.map_or(end, |n| at + n) }
    }

    /// Do the operations that find where matches end in the piece `text[at..stop]`.
    fn marked(&self, text: &[u8], at: usize, stop: usize, results: &mut Results) -> Marked {
        let is_ascii = text[at..stop].is_ascii();
        let words = (stop - at) / BITS + 1;
        let is_found = self.run(&text[at..], words, results, 0..self.ends.first);
        match (is_ascii, is_found) {
            (false, true) => Marked::Unknown,
            (false, false) => {
                // What is left there is of another piece.
                results[self.end] = [0; WORDS];
                Marked::Unknown
            }
            (true, false) => Marked::None,
            (true, true) => {
                let marks = &results[self.end][..words];
                let count: usize = marks.iter().map(|marks| marks.count_ones() as usize).sum();
                if count * DENSE > stop - at { Marked::Many } else { Marked::Few }
            }
        }
    }

    /// Do the operations that say in which lines of the piece `text[at..stop]` the marks are, and which are not ASCII.
    fn lines_of(
        &self,
        text: &[u8],
        (at, stop): (usize, usize),
        marked: Marked,
        results: &mut Results,
    ) {
        let words = (stop - at) / BITS + 1;
        let last = match marked {
            Marked::Unknown => self.ops.len(),
            // All is ASCII.
            _ => self.ends.matched + 1,
        };
        self.run(&text[at..], words, results, self.ends.first..last);
        if marked != Marked::Unknown {
            results[self.ends.non_ascii] = [0; WORDS];
        }
    }

    /// Append the first marked place of each line of `text[at..stop]`, all of which is ASCII. For few marks that is faster than to
    /// look for the ends of all lines.
    fn collect(
        &self,
        text: &[u8],
        (at, stop): (usize, usize),
        marks: &[u64],
        hits: &mut Vec<LineHit>,
    ) {
        // Marks before this are in a line that is dealt with.
        let mut from = at;
        for (base, &marks) in (at..=stop).step_by(BITS).zip(marks) {
            let mut marks = marks & !before(from, base);
            while marks != 0 {
                let hit = base + marks.trailing_zeros() as usize;
                if hit > stop {
                    return;
                }
                hits.push(LineHit::Confirmed(hit));
                let Some(n) = memchr(self.terminator, &text[hit..stop]) else { return };
                from = hit + n + 1;
                marks &= !before(from, base);
            }
        }
    }

    /// Do these operations on the first `words` words of `text`, or as many until it is clear that nothing matches: then it is
    /// false.
    fn run(&self, text: &[u8], words: usize, results: &mut Results, ops: Range<Id>) -> bool {
        results.resize(self.ops.len(), [0; WORDS]);
        #[cfg(target_arch = "x86_64")]
        if avx2::is_there() {
            return avx2::run(self, text, words, results, ops);
        }
        self.run_by(text, words, results, ops, Class::members)
    }

    /// The same by `members`, which finds the members of a class. It is compiled for each kind of processor.
    #[inline(always)]
    fn run_by(
        &self,
        text: &[u8],
        words: usize,
        results: &mut Results,
        ops: Range<Id>,
        members: impl Fn(&Class, &Block) -> u64,
    ) -> bool {
        for id in ops {
            let (before, rest) = results.split_at_mut(id);
            let out = &mut rest[0][..words];
            match &self.ops[id] {
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

impl Class {
    /// Set in `marks` the bits of the members among the bytes of `text`. Beyond its end there are `fill` bytes.
    pub(crate) fn mark_in(&self, text: &[u8], fill: u8, marks: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if avx2::is_there() {
            return avx2::mark(self, text, fill, marks);
        }
        self.mark(text, fill, Class::members, marks);
    }
}

/// How many places are marked in a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    None,
    Few,
    Many,
    /// Not all of it is ASCII.
    Unknown,
}

/// The bits of the places before `place` in the word whose first one is that of `base`.
fn before(place: usize, base: usize) -> u64 {
    let count = place.saturating_sub(base);
    if count < BITS { (1 << count) - 1 } else { u64::MAX }
}

impl Op {
    /// Compute it. The members of a class are for others to find.
    #[inline(always)]
    fn run(&self, results: &[Words], out: &mut [u64]) {
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

/// `bits` moved by `by` places, at least one and at most 63, with the highest bits of `before` moved in, as `mask` has them.
#[inline(always)]
fn shift(bits: &[u64], by: u32, before: u64, mask: impl Fn(usize, u64) -> u64, out: &mut [u64]) {
    if let ([first, ..], [out, ..]) = (bits, &mut *out) {
        *out = mask(0, first << by | before >> (u64::BITS - by));
    }
    for (n, (out, pair)) in (1..).zip(out[1..].iter_mut().zip(bits.windows(2))) {
        *out = mask(n, pair[1] << by | pair[0] >> (u64::BITS - by));
    }
}
