//! A search for lines in ASCII text that takes 64 bytes at a time, by arithmetic on words of bits.
//!
//! This is Cameron et al.'s method, "Bitwise Data Parallelism in Regular Expression Matching"
//! (2014). Each class in the expression has a bit per byte: whether the byte is a member. Marks are
//! bits, too, one for each place where a part of the expression may have ended: to match a class
//! moves those marks by one that stand before a member, and a repeated class moves them through a
//! run of members by an addition's carry. For `a[0-9]+b` in `xa12b a3`:
//!
//! ```text
//! text              x a 1 2 b   a 3
//! behind a          . . 1 . . . . 1
//! through [0-9]+    . . . 1 1 . . . 1
//! behind b          . . . . . 1 . . .
//! ```
//!
//! So all places in a text are tried at once, and it does not matter how many match.
//!
//! A piece of text is whole lines. No match crosses a line end, so that no piece depends on the one
//! before. A longer line is several pieces (`long_line`), and each carries bits into the next. An
//! expression is compiled to a straight list of operations; each computes one word per 64 bytes
//! from earlier results.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bitmap;
mod class;
mod compile;
#[cfg(target_arch = "x86_64")]
mod compile_for;
mod dispatch;
mod finder;
mod line_ends;
mod long_line;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod ops;
mod program;
#[cfg(test)]
pub(super) mod tests;

pub(crate) use bitmap::BITS;
pub(crate) use class::Class;
pub(crate) use dispatch::{is_fast, mark};
pub(crate) use finder::BitParallel;
pub(crate) use long_line::BitsInParts;
pub(crate) use program::{Bits, InLine};
