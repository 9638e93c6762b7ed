//! [`Class::members`] for ARM's 64-bit processors, which all have NEON: it finds a class's members
//! among 16 bytes at once.
#![allow(unsafe_code)]

use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vcombine_u8, vcreate_u8, vdupq_n_u8, vgetq_lane_u64, vpaddq_u8,
    vqtbl1q_u8, vreinterpretq_u64_u8, vshrq_n_u8, vtstq_u8,
};

use super::bitmap::Block;
use super::class::{BIT_OF_HIGH, Class, halves};

/// The bit for each byte in two groups of eight.
const BIT_OF_BYTE: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// A bit for each byte in `block`, as [`Class::members`] returns them.
#[inline]
pub(super) fn members(class: &Class, block: &Block) -> u64 {
    const { assert!(cfg!(target_feature = "neon"), "the target has NEON") };
    // SAFETY: the assertion on the line before compiles only if the processor has NEON.
    unsafe { members_with_neon(class, block) }
}

/// A byte is a member if the column for its lower half has the bit for its upper half.
#[inline]
#[target_feature(enable = "neon")]
fn members_with_neon(class: &Class, block: &Block) -> u64 {
    let columns = vector(&class.columns);
    let (quarters, _) = block.as_chunks();
    let [a, b, c, d] = [0, 1, 2, 3].map(|n| members_of_quarter(columns, vector(&quarters[n])));
    // Each addition joins the bits of neighbours, which differ: 16, 32 and then 64 bytes' bits.
    let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
}

/// For each member among `bytes` the bit for its place in a group of eight; zero for other bytes.
#[inline]
#[target_feature(enable = "neon")]
fn members_of_quarter(columns: uint8x16_t, bytes: uint8x16_t) -> uint8x16_t {
    // A byte that is not ASCII picks no column, because the highest bit is left to it.
    let column = vqtbl1q_u8(columns, vandq_u8(bytes, vdupq_n_u8(0x8f)));
    let bit = vqtbl1q_u8(vector(&BIT_OF_HIGH), vshrq_n_u8::<4>(bytes));
    vandq_u8(vtstq_u8(column, bit), vector(&BIT_OF_BYTE))
}

/// The bytes as a vector: a single load once it is compiled.
#[inline]
#[target_feature(enable = "neon")]
fn vector(bytes: &[u8; 16]) -> uint8x16_t {
    let [low, high] = halves(bytes);
    vcombine_u8(vcreate_u8(low), vcreate_u8(high))
}
