//! Random numbers that are the same everywhere: for orders, shapes and checksums.

/// One step of the generator splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014, in the constants of Sebastiano Vigna. As a checksum of a set of
/// identifiers, its sum changes when one is missing, doubled or replaced.
#[inline]
pub(crate) fn splitmix64(x: u64) -> u64 {
    scramble(x.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The output function of that generator: different numbers become different ones without a
/// pattern, but 0 stays 0.
#[inline]
pub(crate) fn scramble(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A sequence of random numbers.
pub(crate) struct Random(u64);

impl Random {
    /// The sequence that belongs to `seed`.
    pub(crate) fn new(seed: u64) -> Random {
        Random(splitmix64(seed))
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        splitmix64(self.0)
    }

    /// A number below `bound`, or 0. The bias is at most `bound / 2^64`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Puts `things` in random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn splitmix_gives_the_published_numbers() {
        // The first outputs of the generator that is seeded with 0, whose state grows by the
        // constant that `splitmix64` adds.
        assert_eq!(splitmix64(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(splitmix64(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn shuffling_keeps_everything_and_reaches_every_order() {
        let mut shuffler = Random::new(1);
        let mut seen = BTreeSet::new();
        for _ in 0..200 {
            let mut things = [1, 2, 3];
            shuffler.shuffle(&mut things);
            seen.insert(things);
        }
        assert_eq!(seen.len(), 6, "{seen:?}");
    }
}
