//! Sets of directories, files and sources of rules.

use std::ops::Range;

/// A set of numbers below a limit, as a bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: u32,
}

impl Bits {
    /// The empty set, for numbers below `len`.
    pub(crate) fn none(len: u32) -> Bits {
        Bits { words: vec![0; words_for(len)], len }
    }

    /// The numbers that it may contain are below this one.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    pub(crate) fn insert(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    pub(crate) fn insert_all(&mut self, range: Range<u32>) {
        range.for_each(|number| self.insert(number));
    }

    /// The numbers that are not in `other`.
    pub(crate) fn without(&self, other: &Bits) -> Bits {
        let words = self.words.iter().zip(&other.words).map(|(word, other)| word & !other);
        Bits { words: words.collect(), len: self.len }
    }

    /// Whether `number` is in the set. So is each one that it cannot contain.
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_none_or(|word| word >> (number % 64) & 1 == 1)
    }

    pub(crate) fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Appends the set to a message.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.len.to_le_bytes());
        out.reserve(self.words.len() * 8);
        self.words.iter().for_each(|word| out.extend(word.to_le_bytes()));
    }

    /// Takes a set from the beginning of a message.
    pub(crate) fn take(message: &mut &[u8]) -> Option<Bits> {
        let (len, rest) = message.split_first_chunk()?;
        let len = u32::from_le_bytes(*len);
        let (words, rest) = rest.split_at_checked(words_for(len) * 8)?;
        *message = rest;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
        Some(Bits { words: words.chunks_exact(8).map(word).collect(), len })
    }
}

fn words_for(len: u32) -> usize {
    len.div_ceil(64) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sets_are_those_of_the_standard_library() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..300 {
            let len = rng.u32(1..400);
            let (mut bits, mut expected) = (Bits::none(len), BTreeSet::new());
            for _ in 0..rng.u32(..10) {
                let start = rng.u32(..len);
                let range = start..rng.u32(start..=len);
                bits.insert_all(range.clone());
                expected.extend(range);
            }
            assert!((0..len).all(|number| bits.contains(number) == expected.contains(&number)));
            assert!(bits.contains(len + 64), "what is not in the set's range is not known");
            assert_eq!(bits.count() as usize, expected.len());
            let mut message = Vec::new();
            bits.write(&mut message);
            message.push(7);
            let mut rest = &message[..];
            assert_eq!(Bits::take(&mut rest), Some(bits));
            assert_eq!(rest, [7]);
            assert_eq!(Bits::take(&mut &message[..message.len() - 2]), None);
        }
    }
}
