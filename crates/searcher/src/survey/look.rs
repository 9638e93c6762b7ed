//! The look at mapped bytes, for the processor at hand.

use std::ops::Range;

use heist_matcher::Fingerprint;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::piece::Piece;
use crate::mmap::Mapping;

/// Whether the processor has what makes a look faster than to read.
pub(super) fn is_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    return avx2::is_available();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Appends what is in `bytes` of `mapping`, whole pieces, to `pieces`. Returns whether all of them
/// exist.
///
/// # Panics
/// If it [is not fast](is_fast), or if `bytes` and [`Fingerprint::REACH`] more do not lie in the
/// map.
pub(super) fn look(
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    terminator: u8,
    bytes: Range<usize>,
    pieces: &mut Vec<Piece>,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    return avx2::look(mapping, fingerprint, terminator, bytes, pieces);
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("it is not fast: {mapping:?} {fingerprint:?} {terminator} {bytes:?} {pieces:?}");
}
