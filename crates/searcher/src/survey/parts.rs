//! The look at the parts of pieces, in vectors.
//!
//! Every byte of a map is read by volatile loads: the compiler may neither repeat one nor assume
//! that two of them agree. No branch that memory safety depends on looks at the bytes.
#![allow(unsafe_code)]

use std::arch::x86_64::{__m256i, __m512i, _MM_HINT_T0, _mm_prefetch};

use heist_matcher::Probe;

use super::{
    piece::{PART, PIECE, Piece},
    vector::Vector,
};

/// How far ahead of a look the processor begins to load bytes. On its own it does so up to the end
/// of a page at most. See docs/decisions/0146-surveys-with-avx512.md.
const BYTES_AHEAD: usize = 2 << 10;

/// Appends what is in `size` bytes from `text` on, whole pieces, to `pieces`.
///
/// # Safety
/// The processor has AVX2. These bytes and as many more as the greatest distance of `probes` can be
/// read; they may change meanwhile.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn look_with_avx2(
    probes: &[Probe],
    terminator: u8,
    text: *const u8,
    size: usize,
    pieces: &mut Vec<Piece>,
) {
    // SAFETY: the caller guarantees what this needs.
    unsafe { look::<__m256i>(probes, terminator, text, size, pieces) }
}

/// [`look_with_avx2`] with AVX-512.
///
/// # Safety
/// As there, but the processor has AVX-512.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn look_with_avx512(
    probes: &[Probe],
    terminator: u8,
    text: *const u8,
    size: usize,
    pieces: &mut Vec<Piece>,
) {
    // SAFETY: the caller guarantees what this needs.
    unsafe { look::<__m512i>(probes, terminator, text, size, pieces) }
}

/// # Safety
/// As of [`look_with_avx2`], for the features of the vector.
#[inline(always)]
unsafe fn look<V: Vector>(
    probes: &[Probe],
    terminator: u8,
    text: *const u8,
    size: usize,
    pieces: &mut Vec<Piece>,
) {
    // SAFETY: the caller guarantees what all of these need.
    unsafe {
        match probes {
            [a] => look_for::<V, 1>([a], terminator, text, size, pieces),
            [a, b] => look_for::<V, 2>([a, b], terminator, text, size, pieces),
            [a, b, c] => look_for::<V, 3>([a, b, c], terminator, text, size, pieces),
            _ => unreachable!("there are one to three probes"),
        }
    }
}

/// # Safety
/// As of [`look`].
#[inline(always)]
unsafe fn look_for<V: Vector, const N: usize>(
    probes: [&Probe; N],
    terminator: u8,
    text: *const u8,
    size: usize,
    pieces: &mut Vec<Piece>,
) {
    // SAFETY: the caller guarantees the features. The pieces and what follows them can be read. A
    // closure would not have the features: what runs for each piece is in a loop.
    unsafe {
        let tests = probes.map(|probe| Tables::<V>::of(probe));
        for at in (0..size).step_by(PIECE) {
            pieces.push(look_at_piece(&tests, terminator, text.add(at)));
        }
    }
}

/// The tables of a [`Probe`].
#[derive(Clone, Copy)]
struct Tables<V> {
    distance: usize,
    low: V,
    high: V,
}

impl<V: Vector> Tables<V> {
    /// # Safety
    /// As of [`Vector`].
    #[inline(always)]
    unsafe fn of(probe: &Probe) -> Tables<V> {
        // SAFETY: the caller guarantees the features.
        let [low, high] = unsafe { [V::repeat(&probe.low), V::repeat(&probe.high)] };
        Tables { distance: probe.distance, low, high }
    }

    /// The groups that each byte is in.
    ///
    /// # Safety
    /// As of [`Vector`].
    #[inline(always)]
    unsafe fn groups(&self, bytes: V) -> V {
        // SAFETY: the caller guarantees the features.
        unsafe {
            let half = V::splat(15);
            let low = V::look_up(self.low, V::and(bytes, half));
            let high = V::look_up(self.high, V::and(V::shift_by_four(bytes), half));
            V::and(low, high)
        }
    }
}

/// What is in the [`PIECE`] bytes at `text`.
///
/// # Safety
/// As of [`look`]; the first test's distance is 0.
#[inline(always)]
unsafe fn look_at_piece<V: Vector, const N: usize>(
    tests: &[Tables<V>; N],
    terminator: u8,
    text: *const u8,
) -> Piece {
    // SAFETY: the caller guarantees the features. The vectors lie in the piece, and those of the
    // tests are no further from it than can be read.
    unsafe {
        let (zero, ends) = (V::splat(0), V::splat(terminator));
        // Each byte counts one place of every vector: 128 terminators at most.
        let (mut counts, mut least) = (zero, V::splat(0xFF));
        let mut candidates = 0;
        for part in 0..PIECE / PART {
            _mm_prefetch::<_MM_HINT_T0>(text.wrapping_add(part * PART + BYTES_AHEAD).cast());
            let mut passed = zero;
            for at in (part * PART..(part + 1) * PART).step_by(size_of::<V>()) {
                let first = V::load(text.add(at));
                counts = V::sub(counts, V::equal(first, ends));
                least = V::min(least, first);
                let mut common = V::splat(0xFF);
                for (n, test) in tests.iter().enumerate() {
                    let bytes = if n == 0 { first } else { V::load(text.add(at + test.distance)) };
                    common = V::and(common, test.groups(bytes));
                }
                passed = V::or(passed, common);
            }
            candidates |= u64::from(V::is_any(passed)) << part;
        }
        let has_nul = V::is_any(V::equal(least, zero));
        Piece { terminators: V::sum(counts), has_nul, candidates, is_copied: false }
    }
}
