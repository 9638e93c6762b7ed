//! The operations compiled for processors with AVX-512, which finds the members of a class among
//! 64 bytes at once.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i, _mm_set_epi64x, _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_set_epi64,
    _mm512_set1_epi8, _mm512_shuffle_epi8, _mm512_srli_epi16, _mm512_test_epi8_mask,
};
use std::ops::Range;

use super::bitmap::{Block, Results};
use super::class::{BIT_OF_HIGH, Class, halves};
use super::compile_for::compile_for;
use super::ops::{Extent, Id, Ops};

compile_for!("AVX-512", "avx512f,avx512bw", is_fast);

/// Whether the processor has AVX-512 for bytes, and its clock does not slow down for that, for
/// which VBMI stands. See docs/decisions/0038-pairs-with-avx512.md.
pub(super) fn is_fast() -> bool {
    is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi")
}

/// A bit for each byte in `block`, as [`Class::members`] returns them: a byte is a member if the
/// column for its lower half has the bit for its upper half.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn members(class: &Class, block: &Block) -> u64 {
    let bytes = vector(block);
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), _mm512_set1_epi8(15));
    // A byte that is not ASCII picks no column.
    let column = _mm512_shuffle_epi8(in_each_quarter(&class.columns), bytes);
    _mm512_test_epi8_mask(column, _mm512_shuffle_epi8(in_each_quarter(&BIT_OF_HIGH), high))
}

/// The block as a vector: a single load once it is compiled.
#[inline]
#[target_feature(enable = "avx512f")]
fn vector(block: &Block) -> __m512i {
    let (eights, _) = block.as_chunks::<8>();
    let eights: [i64; 8] = std::array::from_fn(|n| i64::from_le_bytes(eights[n]));
    let [a, b, c, d, e, f, g, h] = eights;
    _mm512_set_epi64(h, g, f, e, d, c, b, a)
}

/// The bytes four times.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_each_quarter(bytes: &[u8; 16]) -> __m512i {
    let [low, high] = halves(bytes).map(u64::cast_signed);
    _mm512_broadcast_i32x4(_mm_set_epi64x(high, low))
}
