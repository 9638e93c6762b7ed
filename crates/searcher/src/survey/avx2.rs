//! The look at mapped bytes for processors with AVX2.
//!
//! Every byte of a map is read by volatile loads of 32 bytes: the compiler may neither repeat one
//! nor assume that two of them agree. No branch that memory safety depends on looks at the bytes.
#![allow(unsafe_code)]

use std::{
    arch::x86_64::{
        __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_and_si256, _mm256_cmpeq_epi8,
        _mm256_extract_epi64, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_sad_epu8, _mm256_set_epi64x, _mm256_set1_epi8, _mm256_setzero_si256,
        _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_sub_epi8, _mm256_testz_si256,
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

/// The length of a vector in bytes.
const VECTOR: usize = size_of::<__m256i>();

/// Whether the processor has AVX2.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
}

/// See [`look`](super::look::look).
///
/// # Panics
/// If the processor does not have AVX2, or if `bytes` and [`Fingerprint::REACH`] more do not lie in
/// the map.
pub(super) fn look(
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    terminator: u8,
    bytes: Range<usize>,
    pieces: &mut Vec<Piece>,
) -> bool {
    assert!(is_available(), "this is for processors with AVX2");
    look_at(mapping, fingerprint, &bytes, |text, size| {
        // SAFETY: the processor has AVX2. These bytes and as many behind them as a probe may be
        // away can be read, as `look_at` has it.
        unsafe { look_with_avx2(fingerprint.probes(), terminator, text, size, pieces) };
    })
}

/// The test of one byte, for 32 of them at once.
trait Test {
    fn distance(&self) -> usize;

    /// The groups that each byte is in, or any number but 0 if it is in one.
    ///
    /// # Safety
    /// The processor has AVX2.
    unsafe fn groups(&self, bytes: __m256i) -> __m256i;
}

/// The tables of a [`Probe`].
#[derive(Clone, Copy)]
struct Tables {
    distance: usize,
    low: __m256i,
    high: __m256i,
}

impl Tables {
    #[target_feature(enable = "avx2")]
    fn of(probe: &Probe) -> Tables {
        let [low, high] = [&probe.low, &probe.high].map(|table| {
            let (eights, _) = table.as_chunks::<8>();
            [eights[0], eights[1]].map(i64::from_le_bytes)
        });
        let twice = |[low, high]: [i64; 2]| _mm256_set_epi64x(high, low, high, low);
        Tables { distance: probe.distance, low: twice(low), high: twice(high) }
    }
}

impl Test for Tables {
    fn distance(&self) -> usize {
        self.distance
    }

    // SAFETY: the body has no unsafe operation; callers guarantee AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn groups(&self, bytes: __m256i) -> __m256i {
        let half = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(self.low, _mm256_and_si256(bytes, half));
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
        _mm256_and_si256(low, _mm256_shuffle_epi8(self.high, high))
    }
}

/// The one byte, or the one letter, that a [`Probe`] looks for.
#[derive(Clone, Copy)]
struct Single {
    distance: usize,
    mask: __m256i,
    value: __m256i,
}

impl Single {
    #[target_feature(enable = "avx2")]
    fn of(probe: &Probe) -> Option<Single> {
        let (mask, value) = probe.single()?;
        let [mask, value] = [mask, value].map(|byte| _mm256_set1_epi8(byte.cast_signed()));
        Some(Single { distance: probe.distance, mask, value })
    }
}

impl Test for Single {
    fn distance(&self) -> usize {
        self.distance
    }

    // SAFETY: the body has no unsafe operation; callers guarantee AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn groups(&self, bytes: __m256i) -> __m256i {
        _mm256_cmpeq_epi8(_mm256_or_si256(bytes, self.mask), self.value)
    }
}

/// # Safety
/// The `size` bytes at `text` and as many more as the greatest distance of `probes` can be read;
/// they may change meanwhile.
#[target_feature(enable = "avx2")]
unsafe fn look_with_avx2(
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
/// As of [`look_with_avx2`]; the first test's distance is 0, if there is one.
#[target_feature(enable = "avx2")]
unsafe fn look_for<T: Test, const N: usize>(
    tests: &[T; N],
    terminator: u8,
    text: *const u8,
    size: usize,
    pieces: &mut Vec<Piece>,
) {
    for at in (0..size).step_by(PIECE) {
        // SAFETY: the piece and what follows it is a part of what can be read.
        pieces.push(unsafe { look_at_piece(tests, terminator, text.add(at)) });
    }
}

/// # Safety
/// As of [`look_for`], for [`PIECE`] bytes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn look_at_piece<T: Test, const N: usize>(
    tests: &[T; N],
    terminator: u8,
    text: *const u8,
) -> Piece {
    let (zero, ends) = (_mm256_setzero_si256(), _mm256_set1_epi8(terminator.cast_signed()));
    // Each lane counts one byte of every vector: 128 terminators at most.
    let (mut counts, mut least) = (zero, _mm256_set1_epi8(-1));
    let mut candidates = 0;
    for part in 0..PIECE / PART {
        _mm_prefetch::<_MM_HINT_T0>(text.wrapping_add(part * PART + AHEAD).cast());
        let mut passed = zero;
        for half in 0..PART / VECTOR {
            let at = part * PART + half * VECTOR;
            // SAFETY: the vector lies in the piece.
            let first = unsafe { load(text.add(at)) };
            counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(first, ends));
            least = _mm256_min_epu8(least, first);
            let mut common = if N == 0 { zero } else { _mm256_set1_epi8(-1) };
            for (n, test) in tests.iter().enumerate() {
                // SAFETY: the vector of the test is no further from that at `at` than can be read.
                // The processor has AVX2.
                let groups = unsafe {
                    let distance = test.distance();
                    test.groups(if n == 0 { first } else { load(text.add(at + distance)) })
                };
                common = _mm256_and_si256(common, groups);
            }
            passed = _mm256_or_si256(passed, common);
        }
        candidates |= u64::from(_mm256_testz_si256(passed, passed) == 0) << part;
    }
    let sums = _mm256_sad_epu8(counts, zero);
    let terminators = _mm256_extract_epi64::<0>(sums)
        + _mm256_extract_epi64::<1>(sums)
        + _mm256_extract_epi64::<2>(sums)
        + _mm256_extract_epi64::<3>(sums);
    let has_nul = _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, zero)) != 0;
    Piece { terminators: terminators as u32, has_nul, candidates, is_copied: false }
}

/// Loads 32 bytes once, even if they are written to meanwhile.
///
/// # Safety
/// They can be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(at: *const u8) -> __m256i {
    #[repr(C, packed)]
    struct Unaligned(__m256i);
    // SAFETY: the caller has it that these bytes can be read; the type has no alignment, and any
    // bytes are a value of it. They belong to no Rust allocation, but to a map, which other
    // processes may write to: a volatile load may read such memory.
    unsafe { ptr::read_volatile(at.cast::<Unaligned>()).0 }
}
