//! The operations compiled for processors with AVX2, which finds the members of a class among 32
//! bytes at once.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm_set_epi64x, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
    _mm256_movemask_epi8, _mm256_set_epi64x, _mm256_set1_epi8, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_srli_epi16,
};
use std::ops::Range;

use super::bitmap::{Block, Results};
use super::class::{BIT_OF_HIGH, Class, halves};
use super::compile_for::compile_for;
use super::ops::{Extent, Id, Ops};

/// Whether the processor has AVX2.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
}

compile_for!("AVX2", "avx2", is_available);

/// A bit for each byte in `block`, as [`Class::members`] returns them: a byte is a member if the
/// column for its lower half has the bit for its upper half.
#[inline]
#[target_feature(enable = "avx2")]
fn members(class: &Class, block: &Block) -> u64 {
    let columns = in_each_half(&class.columns);
    let (eights, _) = block.as_chunks::<8>();
    let eights: [i64; 8] = std::array::from_fn(|n| i64::from_le_bytes(eights[n]));
    let [a, b, c, d, e, f, g, h] = eights;
    let first = members_of_half(columns, _mm256_set_epi64x(d, c, b, a));
    let second = members_of_half(columns, _mm256_set_epi64x(h, g, f, e));
    u64::from(first) | u64::from(second) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn members_of_half(columns: __m256i, bytes: __m256i) -> u32 {
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(15));
    // A byte that is not ASCII picks no column.
    let column = _mm256_shuffle_epi8(columns, bytes);
    let bit = _mm256_and_si256(column, _mm256_shuffle_epi8(in_each_half(&BIT_OF_HIGH), high));
    let others = _mm256_cmpeq_epi8(bit, _mm256_setzero_si256());
    !_mm256_movemask_epi8(others).cast_unsigned()
}

/// The bytes twice.
#[inline]
#[target_feature(enable = "avx2")]
fn in_each_half(bytes: &[u8; 16]) -> __m256i {
    let [low, high] = halves(bytes).map(u64::cast_signed);
    _mm256_broadcastsi128_si256(_mm_set_epi64x(high, low))
}
