//! What a look may read.

use std::ops::Range;

use heist_matcher::Fingerprint;

use super::piece::PIECE;
use crate::mmap::Mapping;

/// How far ahead of a look the processor begins to load bytes. On its own it does so up to the end
/// of a page at most. See docs/decisions/0146-surveys-with-avx512.md.
pub(super) const AHEAD: usize = 2 << 10;

/// The number of `bytes`, and the end of what a look at them may read.
///
/// # Panics
/// If these are not whole pieces, or do not lie in the map.
pub(super) fn size_and_end(
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    bytes: &Range<usize>,
) -> (usize, usize) {
    let (size, end) = (bytes.len(), bytes.end + Fingerprint::REACH);
    assert!(size.is_multiple_of(PIECE) && end <= mapping.len(), "the bytes are mapped");
    let are_near = fingerprint.probes().iter().all(|probe| probe.distance <= Fingerprint::REACH);
    assert!(are_near, "probes are near");
    (size, end)
}
