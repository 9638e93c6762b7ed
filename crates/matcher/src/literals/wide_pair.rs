//! The search for two bytes of a needle among 128 bytes at once, for processors with AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i, _mm512_cmpeq_epi8_mask, _mm512_loadu_si512, _mm512_mask_cmpeq_epi8_mask,
    _mm512_set1_epi8,
};

use super::rarity;
use crate::processor::has_fast_avx512;

/// The length of a vector in bytes.
const VECTOR: usize = size_of::<__m512i>();

/// The longest needle that is compared wherever its pair is found, as in `memmem`. A longer one
/// could make a search of repetitive text slow.
const LONGEST: usize = 32;

/// Two bytes of a needle, and where they are in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WidePair {
    offsets: [usize; 2],
    bytes: [u8; 2],
}

/// How rare two bytes of `needle` are, in quarter bits.
///
/// Letters that are neighbours come together more often than by chance: in kernel sources, 10
/// places of 1,000 have the `in` of `__init`, which would be 0.8, and 1 has its `n` and `_`.
fn rarity_of(needle: &[u8], [i, j]: [usize; 2]) -> i64 {
    let by_chance = i64::from(rarity::of_gram(&[needle[i], needle[j]]));
    match j - i {
        1 => by_chance - 8,
        2 => by_chance - 4,
        _ => by_chance,
    }
}

impl WidePair {
    /// The search for the rarest bytes of `needle`. `None` if it is too short or too long, or if
    /// the processor does not have what it takes.
    pub(super) fn new(needle: &[u8]) -> Option<WidePair> {
        if !has_fast_avx512() || needle.len() > LONGEST {
            return None;
        }
        let pairs = (0..needle.len()).flat_map(|i| (i + 1..needle.len()).map(move |j| [i, j]));
        let offsets = pairs.max_by_key(|pair| rarity_of(needle, *pair))?;
        Some(WidePair { offsets, bytes: offsets.map(|offset| needle[offset]) })
    }

    /// Whether `haystack` is long enough for a search for `needle`.
    #[inline]
    pub(super) fn is_for(haystack: &[u8], needle: &[u8]) -> bool {
        haystack.len() >= needle.len() + VECTOR
    }

    /// Where `needle`, whose pair this is, first begins in `haystack`.
    ///
    /// # Panics
    /// If [`is_for`](Self::is_for) is false, or the pair is not that of `needle`.
    #[inline]
    pub(super) fn find(&self, haystack: &[u8], needle: &[u8]) -> Option<usize> {
        assert!(WidePair::is_for(haystack, needle));
        assert!(self.offsets.iter().all(|offset| *offset < needle.len()));
        // SAFETY: there is a pair only if the processor has AVX-512. As asserted, the needle has
        // the bytes of the pair, and the haystack has a vector of places where it can begin.
        unsafe { self.find_with_avx512(haystack, needle) }
    }

    /// # Safety
    /// The offsets are less than the length of `needle`, and `haystack` is at least [`VECTOR`]
    /// longer.
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn find_with_avx512(&self, haystack: &[u8], needle: &[u8]) -> Option<usize> {
        let [first, second] = self.bytes.map(|byte| _mm512_set1_epi8(byte.cast_signed()));
        let [to_first, to_second] = self.offsets;
        let text = haystack.as_ptr();
        // The bit of each place, of 64 from `at` on, that has the pair.
        let pairs_at = |at: usize| -> u64 {
            // SAFETY: callers have it that the needle can begin at each of the 64 places, so that
            // the bytes at the offsets, which are in the needle, are in the haystack.
            let [a, b] = unsafe {
                [to_first, to_second].map(|to| _mm512_loadu_si512(text.add(at + to).cast()))
            };
            _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(a, first), b, second)
        };
        // The first of these places that has the whole needle.
        let confirmed = |at: usize, mut places: u64| -> Option<usize> {
            for (to, byte) in needle.iter().enumerate() {
                if places == 0 {
                    return None;
                }
                // SAFETY: as in `pairs_at`, since this offset is in the needle, too.
                let bytes = unsafe { _mm512_loadu_si512(text.add(at + to).cast()) };
                let byte = _mm512_set1_epi8(byte.cast_signed());
                places = _mm512_mask_cmpeq_epi8_mask(places, bytes, byte);
            }
            (places != 0).then(|| at + places.trailing_zeros() as usize)
        };
        // The needle can begin before `end`.
        let end = haystack.len() - needle.len() + 1;
        let mut at = 0;
        while at + 2 * VECTOR <= end {
            let pairs = [pairs_at(at), pairs_at(at + VECTOR)];
            if pairs[0] | pairs[1] != 0 {
                let found = confirmed(at, pairs[0]);
                if let Some(start) = found.or_else(|| confirmed(at + VECTOR, pairs[1])) {
                    return Some(start);
                }
            }
            at += 2 * VECTOR;
        }
        while at < end {
            // Of the last vector, a part may have been looked at before.
            let from = at.min(end - VECTOR);
            if let Some(start) = confirmed(from, pairs_at(from)) {
                return Some(start);
            }
            at += VECTOR;
        }
        None
    }
}
