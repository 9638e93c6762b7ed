//! Collects a block's distinct grams.

use crate::gram::{CODES, CONTINUATIONS, FREQUENT_GRAMS, GRAMS, GRAMS_PER_REGION, Gram, LINE_END};

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 64;
/// If a text has more distinct grams than this, no more are collected.
pub(crate) const MAX_GRAMS: usize = 1 << 18;

/// How many words hold a bit for each frequent gram.
const FREQUENT_WORDS: usize = FREQUENT_GRAMS as usize / 64;

/// Collects the distinct grams in a text that is added in pieces.
///
/// A bit per possible gram takes 2 MB, but frequent grams take only 64 KB, and what a block uses
/// stays in the first-level cache. There the bits for grams with a line end are always set, so that
/// these are never found.
pub(crate) struct GramSet {
    frequent: Box<[u64; FREQUENT_WORDS]>,
    /// All grams; the first words are not used.
    others: Box<[u64]>,
    found: Box<[u32]>,
    len: usize,
    max: usize,
    /// The low bits of the last bytes' codes, six for each.
    low: u32,
    /// Their high bits, two for each.
    high: u32,
    /// The last two bytes.
    last: [u8; 2],
}

impl GramSet {
    pub(crate) fn new() -> GramSet {
        let mut frequent = Box::new([0_u64; FREQUENT_WORDS]);
        for (word, bits) in frequent.iter_mut().enumerate() {
            // Line ends have code 0.
            let (a, b) = (word >> 6 & 63, word & 63);
            *bits = if a == 0 || b == 0 { u64::MAX } else { 1 };
        }
        GramSet {
            frequent,
            others: vec![0; GRAMS / 64].into_boxed_slice(),
            // A byte may end a trigram and a character's start.
            found: vec![0; MAX_GRAMS + 2 * CHUNK_BYTES].into_boxed_slice(),
            len: 0,
            max: MAX_GRAMS,
            low: 0,
            high: 0,
            last: [LINE_END; 2],
        }
    }

    /// Adds the grams in `text`, which follows what was added before, until there are too many.
    pub(crate) fn add(&mut self, text: &[u8]) {
        for chunk in text.chunks(CHUNK_BYTES) {
            if self.is_full() {
                return;
            }
            let mut codes = [0; CHUNK_BYTES];
            let mut high = 0;
            for (code, &byte) in codes.iter_mut().zip(chunk) {
                *code = CODES[usize::from(byte)];
                high |= *code;
            }
            let codes = &codes[..chunk.len()];
            let regions = self.regions(chunk);
            if high < 64 && self.high & 15 == 0 {
                self.add_frequent(codes, &regions);
            } else {
                self.add_any(codes, &regions);
            }
        }
    }

    /// For each byte of `chunk`, the region of the frequent gram that ends with it: 1 for grams in
    /// capitals, 0 for others. `chunk` follows the last bytes and becomes them.
    fn regions(&mut self, chunk: &[u8]) -> [u8; CHUNK_BYTES] {
        let mut bytes = [LINE_END; CHUNK_BYTES + 2];
        bytes[..2].copy_from_slice(&self.last);
        bytes[2..][..chunk.len()].copy_from_slice(chunk);
        self.last.copy_from_slice(&bytes[chunk.len()..][..2]);
        let is_capital = bytes.map(|byte| u8::from(byte.is_ascii_uppercase()));
        let is_small = bytes.map(|byte| u8::from(byte.is_ascii_lowercase()));
        let mut regions = [0; CHUNK_BYTES];
        for (at, region) in regions.iter_mut().enumerate() {
            let any = |is: &[u8; CHUNK_BYTES + 2]| is[at] | is[at + 1] | is[at + 2];
            *region = any(&is_capital) & !any(&is_small);
        }
        regions
    }

    /// Sets how many grams are not too many for the texts from now on: at most [`MAX_GRAMS`].
    pub(crate) fn set_max(&mut self, max: usize) {
        self.max = max.min(MAX_GRAMS);
    }

    /// Whether there were too many grams.
    pub(crate) fn is_full(&self) -> bool {
        self.len > self.max
    }

    /// Adds grams of at most [`CHUNK_BYTES`] frequent bytes after such ones.
    fn add_frequent(&mut self, codes: &[u8], regions: &[u8; CHUNK_BYTES]) {
        let Some(found) = self.found[self.len..].first_chunk_mut::<CHUNK_BYTES>() else { return };
        let (mut low, mut count) = (self.low, 0);
        for (&code, &region) in codes.iter().zip(regions) {
            low = low << 6 | u32::from(code);
            let number = (u32::from(region) * GRAMS_PER_REGION) | low & (GRAMS_PER_REGION - 1);
            let word = &mut self.frequent[number as usize >> 6 & (FREQUENT_WORDS - 1)];
            let bit = 1 << (number & 63);
            // Whether the gram is new is hard to predict, so that no branch depends on it.
            found[count & (CHUNK_BYTES - 1)] = number;
            count += usize::from(*word & bit == 0);
            *word |= bit;
        }
        self.low = low;
        self.high = 0;
        self.len += count;
    }

    /// Adds grams of at most [`CHUNK_BYTES`] bytes.
    fn add_any(&mut self, codes: &[u8], regions: &[u8; CHUNK_BYTES]) {
        for (&code, &region) in codes.iter().zip(regions) {
            let before = (self.high & 3) << 6 | self.low & 63;
            self.low = self.low << 6 | u32::from(code & 63);
            self.high = (self.high << 2 | u32::from(code >> 6)) & 63;
            let low = self.low & (GRAMS_PER_REGION - 1);
            if self.high == 0 {
                self.insert((u32::from(region) * GRAMS_PER_REGION) | low);
            } else if !has_line_end(self.high, low) {
                self.insert(Gram::from_bits(self.high, low).number());
            }
            if code >= *CONTINUATIONS.start()
                && let Some(start) = Gram::pair(before as u8, code).or_else(|| Gram::lead(code))
            {
                self.insert(start.number());
            }
        }
    }

    /// Adds the gram with this number.
    fn insert(&mut self, number: u32) {
        let (word, bit) = bit_of(&mut self.frequent, &mut self.others, number);
        if *word & bit == 0 {
            *word |= bit;
            self.found[self.len] = number;
            self.len += 1;
        }
    }

    /// The found grams' numbers, in no particular order.
    pub(crate) fn grams(&self) -> &[u32] {
        &self.found[..self.len]
    }

    /// Forgets what was added.
    pub(crate) fn clear(&mut self) {
        for &number in &self.found[..self.len] {
            let (word, bit) = bit_of(&mut self.frequent, &mut self.others, number);
            *word &= !bit;
        }
        (self.len, self.low, self.high, self.last) = (0, 0, 0, [LINE_END; 2]);
    }
}

/// The word with the bit for the gram that has this number, and that bit.
fn bit_of<'b>(
    frequent: &'b mut [u64; FREQUENT_WORDS],
    others: &'b mut [u64],
    number: u32,
) -> (&'b mut u64, u64) {
    let words = if number < FREQUENT_GRAMS { &mut frequent[..] } else { others };
    (&mut words[number as usize >> 6], 1 << (number & 63))
}

/// Whether one of three codes is 0, a line end.
fn has_line_end(high: u32, low: u32) -> bool {
    (0..3).any(|place| low >> (6 * place) & 63 == 0 && high >> (2 * place) & 3 == 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::gram::Gram;

    #[test]
    fn grams_are_those_of_the_lines() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut set = GramSet::new();
        for case in 0..2000 {
            let bytes: &[u8] = match case % 4 {
                0 => b"aAbB\n()",
                1 => b"aAb\n\xff\x80$\x01",
                2 => b"aaaaaaaaaaaabbbbbbbbbbbbbbccccccccccccccddddddddddddddeeeeeeeeeeeeA_\n",
                _ => b"a \n\xc2\xf4\xc1\x80\xbf\xc0\xf5",
            };
            let text: Vec<_> = (0..rng.usize(..400)).map(|_| *rng.choice(bytes).unwrap()).collect();
            for piece in text.chunks(rng.usize(1..100)) {
                set.add(piece);
            }
            let found: BTreeSet<_> =
                set.grams().iter().map(|&number| Gram::from_number(number)).collect();
            assert_eq!(found.len(), set.grams().len());
            assert_eq!(found, Gram::all_in(&text).collect());
            set.clear();
        }
    }

    #[test]
    fn too_many_grams_are_noticed() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut set = GramSet::new();
        for (bytes, max) in [
            (b'a'..=b'b', 4096),
            (b'a'..=b'z', 4096),
            (b'a'..=b'z', MAX_GRAMS),
            (0..=255, 4096),
            (0..=255, usize::MAX),
        ] {
            let text: Vec<_> = (0..600_000).map(|_| rng.u8(bytes.clone())).collect();
            set.set_max(max);
            set.add(&text);
            let distinct = Gram::all_in(&text).collect::<BTreeSet<_>>().len();
            assert_eq!(set.is_full(), distinct > max.min(MAX_GRAMS));
            set.clear();
            assert!(set.grams().is_empty());
        }
    }
}
