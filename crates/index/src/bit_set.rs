//! Sets of blocks, files or directories.

use std::ops::Range;

/// A set of numbers below a limit, with a bit for each. The numbers are blocks, files or
/// directories.
///
/// ```
/// use heist_index::BitSet;
///
/// let mut files = BitSet::none(100);
/// files.insert(7);
/// files.insert_all(60..70);
/// assert!(files.contains(64) && !files.contains(70));
/// assert_eq!(files.count(), 11);
///
/// // A set with the same limit can be read from its bytes.
/// let bytes: Vec<u8> = files.bytes().collect();
/// let mut read = BitSet::none(files.limit());
/// assert!(read.set_bytes(&bytes));
/// assert_eq!(read, files);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
    limit: u32,
}

impl BitSet {
    /// Creates the empty set, for numbers below `limit`.
    #[must_use]
    pub fn none(limit: u32) -> BitSet {
        BitSet { words: vec![0; limit.div_ceil(64) as usize], limit }
    }

    /// Creates the set with all numbers below `limit`.
    pub(crate) fn all(limit: u32) -> BitSet {
        let mut set = BitSet::none(limit);
        set.insert_all(0..limit);
        set
    }

    /// Returns the limit, which all numbers in the set are below.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Adds a number.
    ///
    /// # Panics
    /// If `number` is not below the limit. Without debug assertions, a number above it by less than
    /// 64 may go unnoticed.
    pub fn insert(&mut self, number: u32) {
        debug_assert!(number < self.limit, "{number} of {}", self.limit);
        self.words[number as usize / 64] |= 1 << (number % 64);
    }

    /// Adds the numbers in a range.
    ///
    /// # Panics
    /// As [`insert`](BitSet::insert) does.
    pub fn insert_all(&mut self, range: Range<u32>) {
        debug_assert!(range.is_empty() || range.end <= self.limit, "{range:?} of {}", self.limit);
        let mut at = range.start;
        while at < range.end {
            let end = range.end.min((at / 64 + 1) * 64);
            let bits = u64::MAX >> (64 - (end - at)) << (at % 64);
            self.words[at as usize / 64] |= bits;
            at = end;
        }
    }

    /// Returns whether a number is in the set. None from the limit on is.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Replaces the set by one that was written as [`bytes`](BitSet::bytes). Returns whether there
    /// are as many as a set with this limit has. Bits from the limit on are left out.
    #[must_use]
    pub fn set_bytes(&mut self, bytes: &[u8]) -> bool {
        for (word, bytes) in self.words.iter_mut().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(whole);
        }
        if let Some(last) = self.words.last_mut()
            && !self.limit.is_multiple_of(64)
        {
            *last &= (1 << (self.limit % 64)) - 1;
        }
        bytes.len() == self.limit.div_ceil(8) as usize
    }

    /// Returns the set as bytes, the lowest bit first.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.limit.div_ceil(8) as usize)
    }

    /// The bits, the lowest number first; none is set from the limit on.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Removes all numbers.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn subtract(&mut self, other: &BitSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    pub(crate) fn intersect(&mut self, other: &BitSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub(crate) fn unite(&mut self, other: &BitSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Returns how many numbers are in the set.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the numbers in the set, sorted.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().zip(0..).flat_map(|(&word, at)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// Whether a number in `range` is in the set.
    pub(crate) fn meets(&self, range: Range<u32>) -> bool {
        let mut range = range;
        range.any(|number| self.contains(number))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sets_are_those_of_the_standard_library() {
        let mut rng = fastrand::Rng::with_seed(6);
        for _ in 0..300 {
            let len = rng.u32(1..400);
            let (mut set, mut expected) = (BitSet::none(len), BTreeSet::new());
            for _ in 0..rng.u32(..20) {
                let start = rng.u32(..len);
                let range = start..rng.u32(start..=len).min(start + rng.u32(..100));
                set.insert_all(range.clone());
                expected.extend(range);
                let number = rng.u32(..len);
                set.insert(number);
                expected.insert(number);
            }
            assert!(set.iter().eq(expected.iter().copied()));
            assert_eq!(set.count() as usize, expected.len());
            let start = rng.u32(..len);
            let range = start..rng.u32(start..=len);
            assert_eq!(set.meets(range.clone()), expected.range(range).next().is_some());
            let mut read = BitSet::none(len);
            assert!(read.set_bytes(&set.bytes().collect::<Vec<_>>()));
            assert_eq!(read, set);
            assert!(read.set_bytes(&vec![0xff; len.div_ceil(8) as usize]));
            assert_eq!(read, BitSet::all(len));
            assert!(!read.set_bytes(&vec![0; len as usize / 8 + 2]));
            assert_eq!(BitSet::all(len).count(), len);
        }
    }
}
