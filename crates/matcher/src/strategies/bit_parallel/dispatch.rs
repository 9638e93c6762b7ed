//! The operations as compiled for the processor at hand.

use std::ops::Range;

use super::bitmap::{Block, Results};
use super::class::Class;
use super::ops::{Extent, Id, Ops};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Whether the processor has what makes them faster than an automaton.
pub(crate) fn is_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    return avx2::is_available();
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(all(target_arch = "aarch64", target_endian = "little"));
}

/// Sets in `marks` a bit for each byte in `text` that is a member of `class`, and the bits beyond
/// its end if `fill` is a member.
pub(crate) fn mark(class: &Class, text: &[u8], fill: u8, marks: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_fast() {
        return avx512::mark(class, text, fill, marks);
    } else if avx2::is_available() {
        return avx2::mark(class, text, fill, marks);
    }
    class.mark(text, fill, members, marks);
}

/// See [`Ops::run_by`].
pub(super) fn run(
    ops: &Ops,
    text: &[u8],
    words: usize,
    extent: Extent,
    results: &mut Results,
    ids: Range<Id>,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_fast() {
        return avx512::run(ops, text, words, extent, results, ids);
    } else if avx2::is_available() {
        return avx2::run(ops, text, words, extent, results, ids);
    }
    ops.run_by(text, words, extent, results, ids, members)
}

/// [`Class::members`] in the way that suits every processor of the architecture.
#[inline]
fn members(class: &Class, block: &Block) -> u64 {
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    return super::neon::members(class, block);
    #[cfg(not(all(target_arch = "aarch64", target_endian = "little")))]
    class.members(block)
}
