//! What the processor at hand has.

/// Whether it has AVX-512 for bytes, and its clock does not slow down for that, for which VBMI
/// stands. See docs/decisions/0038-pairs-with-avx512.md.
pub(crate) fn has_fast_avx512() -> bool {
    is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi")
}
