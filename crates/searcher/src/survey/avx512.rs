//! The look at mapped bytes for processors with AVX-512: as with AVX2, but a part of a piece is one
//! vector, and comparisons result in a bit for each byte.
#![allow(unsafe_code)]

use std::{
    arch::x86_64::{
        __m512i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm512_and_si512,
        _mm512_broadcast_i32x4, _mm512_cmpeq_epi8_mask, _mm512_mask_cmpeq_epi8_mask,
        _mm512_min_epu8, _mm512_or_si512, _mm512_set1_epi8, _mm512_shuffle_epi8, _mm512_srli_epi16,
        _mm512_test_epi8_mask, _mm512_testn_epi8_mask,
    },
    ops::Range,
    ptr,
};

use heist_matcher::{Fingerprint, Probe};

use super::{
    bounds::{AHEAD, look_at, with_tests},
    piece::{PART, PIECE, Piece},
};
use crate::mmap::Mapping;

const _: () = assert!(size_of::<__m512i>() == PART, "a part is a vector");

/// Whether the processor has AVX-512, and its clock does not slow down for it, for which VBMI
/// stands. See docs/decisions/0038-pairs-with-avx512.md.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("popcnt")
}

/// See [`look`](super::look::look).
///
/// # Panics
/// If the processor does not have AVX-512, or if `bytes` and [`Fingerprint::REACH`] more do not lie
/// in the map.
pub(super) fn look(
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    terminator: u8,
    bytes: Range<usize>,
    pieces: &mut Vec<Piece>,
) -> bool {
    assert!(is_available(), "this is for processors with AVX-512");
    look_at(mapping, fingerprint, &bytes, |text, size| {
        // SAFETY: the processor has AVX-512. These bytes and as many behind them as a probe may be
        // away can be read, as `look_at` has it.
        unsafe { look_with_avx512(fingerprint.probes(), terminator, text, size, pieces) };
    })
}

/// The tests of a few bytes, for 64 places at once.
trait Tests {
    /// The bytes at `text`, and a bit for each of them: whether it passes all tests.
    ///
    /// # Safety
    /// The processor has AVX-512. The 64 bytes at `text` and at every distance from it can be read;
    /// they may change meanwhile.
    unsafe fn passing(&self, text: *const u8) -> (__m512i, u64);
}

/// The tables of a [`Probe`].
#[derive(Clone, Copy)]
struct Tables {
    distance: usize,
    low: __m512i,
    high: __m512i,
}

impl Tables {
    #[target_feature(enable = "avx512f,avx512bw")]
    fn of(probe: &Probe) -> Tables {
        let [low, high] = [&probe.low, &probe.high].map(|table| {
            // SAFETY: the table has 16 bytes.
            _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
        });
        Tables { distance: probe.distance, low, high }
    }
}

impl<const N: usize> Tests for [Tables; N] {
    // SAFETY: callers guarantee what the loads need.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn passing(&self, text: *const u8) -> (__m512i, u64) {
        let half = _mm512_set1_epi8(15);
        let mut common = _mm512_set1_epi8(-1);
        // SAFETY: the caller has it that these bytes can be read.
        let first = unsafe { load(text) };
        for (n, test) in self.iter().enumerate() {
            // SAFETY: the caller has it that the bytes at each distance can be read.
            let vector = if n == 0 { first } else { unsafe { load(text.add(test.distance)) } };
            let low = _mm512_shuffle_epi8(test.low, _mm512_and_si512(vector, half));
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(vector), half);
            let high = _mm512_shuffle_epi8(test.high, high);
            common = _mm512_and_si512(common, _mm512_and_si512(low, high));
        }
        (first, _mm512_test_epi8_mask(common, common))
    }
}

/// The one byte, or the one letter, that a [`Probe`] looks for.
#[derive(Clone, Copy)]
struct Single {
    distance: usize,
    mask: __m512i,
    value: __m512i,
}

impl Single {
    #[target_feature(enable = "avx512f,avx512bw")]
    fn of(probe: &Probe) -> Option<Single> {
        let (mask, value) = probe.single()?;
        let [mask, value] = [mask, value].map(|byte| _mm512_set1_epi8(byte.cast_signed()));
        Some(Single { distance: probe.distance, mask, value })
    }
}

impl<const N: usize> Tests for [Single; N] {
    // SAFETY: callers guarantee what the loads need.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn passing(&self, text: *const u8) -> (__m512i, u64) {
        let mut places = if N == 0 { 0 } else { u64::MAX };
        // SAFETY: the caller has it that these bytes can be read.
        let first = unsafe { load(text) };
        for (n, test) in self.iter().enumerate() {
            // SAFETY: the caller has it that the bytes at each distance can be read.
            let vector = if n == 0 { first } else { unsafe { load(text.add(test.distance)) } };
            let in_case = _mm512_or_si512(vector, test.mask);
            places = _mm512_mask_cmpeq_epi8_mask(places, in_case, test.value);
        }
        (first, places)
    }
}

/// # Safety
/// The processor has AVX-512. The `size` bytes at `text` and as many more as the greatest distance
/// of `probes` can be read; they may change meanwhile.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn look_with_avx512(
    probes: &[Probe],
    terminator: u8,
    text: *const u8,
    size: usize,
    pieces: &mut Vec<Piece>,
) {
    // SAFETY: each call has what this function's caller guarantees.
    with_tests!(probes, tests => unsafe { look_for(tests, terminator, text, size, pieces) });
}

/// # Safety
/// As of [`look_with_avx512`]; the first test's distance is 0, if there is one.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn look_for<T: Tests>(
    tests: &T,
    terminator: u8,
    text: *const u8,
    size: usize,
    pieces: &mut Vec<Piece>,
) {
    let ends = _mm512_set1_epi8(terminator.cast_signed());
    for at in (0..size).step_by(PIECE) {
        let mut least = _mm512_set1_epi8(-1);
        let mut piece = Piece::default();
        for part in 0..PIECE / PART {
            let start = at + part * PART;
            _mm_prefetch::<_MM_HINT_T0>(text.wrapping_add(start + AHEAD).cast());
            // SAFETY: the part and what follows it is some of what can be read.
            let (vector, places) = unsafe { tests.passing(text.add(start)) };
            piece.terminators += _mm512_cmpeq_epi8_mask(vector, ends).count_ones();
            least = _mm512_min_epu8(least, vector);
            piece.candidates |= u64::from(places != 0) << part;
        }
        piece.has_nul = _mm512_testn_epi8_mask(least, least) != 0;
        pieces.push(piece);
    }
}

/// Loads 64 bytes once, even if they are written to meanwhile.
///
/// # Safety
/// They can be read.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(at: *const u8) -> __m512i {
    #[repr(C, packed)]
    struct Unaligned(__m512i);
    // SAFETY: the caller has it that these bytes can be read; the type has no alignment, and any
    // bytes are a value of it. They belong to no Rust allocation, but to a map, which other
    // processes may write to: a volatile load may read such memory.
    unsafe { ptr::read_volatile(at.cast::<Unaligned>()).0 }
}
