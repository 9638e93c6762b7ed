//! Checksums for sets: the sum of scrambled identifiers, whatever their order.

/// Returns the output of the generator splitmix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014) for the state `x`.
///
/// The sum over a set of identifiers changes if one is missing, doubled or replaced: 0 + 3 equals
/// 1 + 2, `splitmix64(0) + splitmix64(3)` does not equal `splitmix64(1) + splitmix64(2)`.
#[inline]
pub(crate) fn splitmix64(x: u64) -> u64 {
    scramble(x.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The output function of splitmix64. It is a bijection that leaves no pattern and maps 0 to 0.
#[inline]
pub(crate) fn scramble(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_numbers() {
        // The first outputs of the generator seeded with 0.
        assert_eq!(splitmix64(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(splitmix64(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }
}
