//! The vectors of bytes that a look works with, for processors with AVX2 and with AVX-512.
//!
//! Perf: see docs/decisions/0146-surveys-with-avx512.md.
#![allow(unsafe_code)]

use std::{
    arch::x86_64::{
        __m256i, __m512i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256,
        _mm256_cmpeq_epi8, _mm256_extract_epi64, _mm256_min_epu8, _mm256_or_si256, _mm256_sad_epu8,
        _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
        _mm256_sub_epi8, _mm256_testz_si256, _mm512_and_si512, _mm512_broadcast_i32x4,
        _mm512_cmpeq_epi8_mask, _mm512_min_epu8, _mm512_movm_epi8, _mm512_or_si512,
        _mm512_reduce_add_epi64, _mm512_sad_epu8, _mm512_set1_epi8, _mm512_setzero_si512,
        _mm512_shuffle_epi8, _mm512_srli_epi16, _mm512_sub_epi8, _mm512_test_epi8_mask,
    },
    ptr,
};

/// A vector of bytes, and what a look does with it, byte by byte.
///
/// # Safety
/// The functions may only be called where the processor has the features that the vector is for.
pub(super) trait Vector: Copy {
    /// Loads the bytes at `at`, which can be read, once, even if they are written to meanwhile.
    unsafe fn load(at: *const u8) -> Self;
    /// Returns `byte` at every place.
    unsafe fn splat(byte: u8) -> Self;
    /// Returns the table as often as it fits.
    unsafe fn repeat(table: &[u8; 16]) -> Self;
    unsafe fn and(a: Self, b: Self) -> Self;
    unsafe fn or(a: Self, b: Self) -> Self;
    unsafe fn min(a: Self, b: Self) -> Self;
    /// Returns the differences of the bytes.
    ///
    /// # Safety
    /// The processor has the features, as for all functions of the trait.
    unsafe fn sub(a: Self, b: Self) -> Self;
    /// Returns the upper half of each 16 bits' bytes in their lower halves, and other bits above.
    unsafe fn shift_by_four(bytes: Self) -> Self;
    /// Replaces each index below 16 by what the [repeated](Self::repeat) table has there.
    unsafe fn look_up(table: Self, indices: Self) -> Self;
    /// Returns 0xFF where both are equal, and else 0.
    unsafe fn equal(a: Self, b: Self) -> Self;
    /// Returns whether a bit is set.
    unsafe fn is_any(bytes: Self) -> bool;
    /// Returns the sum of all bytes.
    unsafe fn sum(bytes: Self) -> u32;
}

/// Implements [`Vector`] for a type by an expression for each function.
///
/// The functions have no features of their own, as the compiler would not inline them into those
/// that are generic over vectors.
///
/// # Safety
/// An expression reads no memory but that of its arguments.
macro_rules! vector {
    ($vector:ty: $($name:ident($($arg:ident: $kind:ty),+) -> $out:ty = $body:expr;)+) => {
        impl Vector for $vector {$(
            #[inline(always)]
            unsafe fn $name($($arg: $kind),+) -> $out {
                // SAFETY: callers guarantee the features of the processor, and of `load` that the
                // bytes can be read. Tables have the 16 bytes that are loaded.
                unsafe { $body }
            }
        )+}
    };
}

vector! {
    __m256i:
    load(at: *const u8) -> __m256i = load_once(at);
    splat(byte: u8) -> __m256i = _mm256_set1_epi8(byte.cast_signed());
    repeat(table: &[u8; 16]) -> __m256i =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
    and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
    or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
    min(a: __m256i, b: __m256i) -> __m256i = _mm256_min_epu8(a, b);
    sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi8(a, b);
    shift_by_four(bytes: __m256i) -> __m256i = _mm256_srli_epi16::<4>(bytes);
    look_up(table: __m256i, indices: __m256i) -> __m256i = _mm256_shuffle_epi8(table, indices);
    equal(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi8(a, b);
    is_any(bytes: __m256i) -> bool = _mm256_testz_si256(bytes, bytes) == 0;
    sum(bytes: __m256i) -> u32 = {
        let sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
        let sum = _mm256_extract_epi64::<0>(sums)
            + _mm256_extract_epi64::<1>(sums)
            + _mm256_extract_epi64::<2>(sums)
            + _mm256_extract_epi64::<3>(sums);
        sum as u32
    };
}

vector! {
    __m512i:
    load(at: *const u8) -> __m512i = load_once(at);
    splat(byte: u8) -> __m512i = _mm512_set1_epi8(byte.cast_signed());
    repeat(table: &[u8; 16]) -> __m512i =
        _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()));
    and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512(a, b);
    or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512(a, b);
    min(a: __m512i, b: __m512i) -> __m512i = _mm512_min_epu8(a, b);
    sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi8(a, b);
    shift_by_four(bytes: __m512i) -> __m512i = _mm512_srli_epi16::<4>(bytes);
    look_up(table: __m512i, indices: __m512i) -> __m512i = _mm512_shuffle_epi8(table, indices);
    // The compiler leaves out the way through a vector where only the bits are used.
    equal(a: __m512i, b: __m512i) -> __m512i = _mm512_movm_epi8(_mm512_cmpeq_epi8_mask(a, b));
    is_any(bytes: __m512i) -> bool = _mm512_test_epi8_mask(bytes, bytes) != 0;
    sum(bytes: __m512i) -> u32 =
        _mm512_reduce_add_epi64(_mm512_sad_epu8(bytes, _mm512_setzero_si512())) as u32;
}

/// Loads a vector in one step that is neither repeated nor left out.
///
/// # Safety
/// The bytes at `at` can be read.
#[inline(always)]
unsafe fn load_once<V: Vector>(at: *const u8) -> V {
    #[repr(C, packed)]
    struct Unaligned<V>(V);
    // SAFETY: the caller has it that these bytes can be read; the type has no alignment, and any
    // bytes are a value of it. They belong to no Rust allocation, but to a map, which other
    // processes may write to: a volatile load may read such memory.
    unsafe { ptr::read_volatile(at.cast::<Unaligned<V>>()).0 }
}
