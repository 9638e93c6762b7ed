//! Grams of needles, and the probes of a text for them.
//!
//! docs/decisions/0032-many-needles.md has the figures.

use std::ops::Range;

/// Bytes of the longest gram.
const GRAM: usize = 8;
/// How far apart probes may be. More would cost little less, and each place takes a gram of every
/// needle.
const STEPS: [usize; 6] = [1, 2, 3, 4, 6, MAX_STEP];
const MAX_STEP: usize = 8;
/// Bits of a hash for few grams, many, and very many. The first two tables fit in a first-level
/// cache.
const FEW: u32 = 13;
const MANY: u32 = 17;
const MOST: u32 = 20;
/// Places of a table per gram, which keep it sparse.
const SPARSE: usize = 16;
/// Probes whose results share a word.
pub(super) const PROBES: usize = u64::BITS as usize;
/// Probes in a row that the compiler unrolls.
const PART: usize = 16;

/// A bit for each probe of a text, set if the table has its gram: scratch space.
pub(super) type ProbeBits = Vec<u64>;

/// The grams of needles.
#[derive(Clone, Debug)]
pub(super) struct Grams {
    /// Bytes of a gram.
    pub(super) size: usize,
    /// Bytes between two probes.
    pub(super) step: usize,
    /// The bits of eight bytes that are part of a gram, and the bits that are set in all grams.
    mask: u64,
    pub(super) fold: u64,
    hashes: Hashes,
}

/// The hashes of the grams.
#[derive(Clone, Debug)]
enum Hashes {
    /// A byte for each hash, 1 or 0: it takes the fewest instructions.
    Few(Box<[u8; 1 << FEW]>),
    /// A bit for each hash.
    Many(Box<[u32; 1 << (MANY - 5)]>),
    Most(Box<[u32; 1 << (MOST - 5)]>),
}

/// The length of grams and the distance of probes for so many needles, the shortest of which has so
/// many bytes. What the step does not need makes grams longer, and so rarer.
pub(crate) fn gram_and_step(needles: usize, shortest: usize) -> (usize, usize) {
    let least = match needles {
        0..=16 => 3,
        17..=128 => 4,
        _ => 5,
    };
    let most = shortest.saturating_sub(least) + 1;
    let step = STEPS.into_iter().rfind(|&step| step <= most).unwrap_or(1);
    ((shortest + 1).saturating_sub(step).min(GRAM), step)
}

/// The hash of `gram` in `bits` bits.
#[inline(always)]
pub(crate) fn hash(gram: u64, bits: u32) -> usize {
    // Multiplicative hashing with the golden ratio, after Knuth.
    (gram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - bits)) as usize
}

impl Grams {
    /// Room for the grams of so many `needles`.
    pub(super) fn new(size: usize, step: usize, folds: bool, needles: usize) -> Grams {
        let least = needles * step * SPARSE;
        let mask = u64::MAX >> (8 * (GRAM - size));
        Grams {
            size,
            step,
            mask,
            fold: if folds { 0x2020_2020_2020_2020 & mask } else { 0 },
            hashes: match () {
                () if least <= 1 << FEW => Hashes::Few(Box::new([0; _])),
                () if least <= 1 << MANY => Hashes::Many(Box::new([0; _])),
                () => Hashes::Most(Box::new([0; _])),
            },
        }
    }

    /// The gram at the beginning of `bytes`.
    fn gram(&self, bytes: [u8; GRAM]) -> u64 {
        u64::from_le_bytes(bytes) & self.mask | self.fold
    }

    /// The gram with which `needle` begins, which is long enough.
    pub(super) fn of_needle(&self, needle: &[u8]) -> u64 {
        let mut bytes = [0; GRAM];
        bytes[..self.size].copy_from_slice(&needle[..self.size]);
        self.gram(bytes)
    }

    /// The gram at `place` of `text`, if enough bytes follow.
    pub(super) fn of_text(&self, text: &[u8], place: usize) -> Option<u64> {
        let rest = text.get(place..).filter(|rest| rest.len() >= self.size)?;
        Some(self.of_needle(rest))
    }

    pub(super) fn hash_bits(&self) -> u32 {
        match &self.hashes {
            Hashes::Few(_) => FEW,
            Hashes::Many(_) => MANY,
            Hashes::Most(_) => MOST,
        }
    }

    pub(super) fn hash(&self, gram: u64) -> usize {
        hash(gram, self.hash_bits())
    }

    pub(super) fn add(&mut self, gram: u64) {
        let hash = self.hash(gram);
        match &mut self.hashes {
            Hashes::Few(bytes) => bytes[hash] = 1,
            Hashes::Many(words) => words[hash / 32] |= 1 << (hash % 32),
            Hashes::Most(words) => words[hash / 32] |= 1 << (hash % 32),
        }
    }

    /// Probes every `step`th place in `range` of `text`. Returns how many words of `probes` have
    /// the results. The last one may also have some of places behind the range.
    pub(super) fn probe(&self, text: &[u8], range: Range<usize>, probes: &mut ProbeBits) -> usize {
        let bit = |words: &[u32], hash: usize| words[hash / 32] >> (hash % 32) & 1;
        let (mask, fold) = (self.mask, self.fold);
        let gram = |bytes| u64::from_le_bytes(bytes) & mask | fold;
        match &self.hashes {
            Hashes::Few(table) => {
                let knows = |bytes| table[hash(gram(bytes), FEW)].into();
                probe_by_steps(self.step, text, range, probes, knows)
            }
            Hashes::Many(table) => {
                let knows = |bytes| bit(&table[..], hash(gram(bytes), MANY));
                probe_by_steps(self.step, text, range, probes, knows)
            }
            Hashes::Most(table) => {
                let knows = |bytes| bit(&table[..], hash(gram(bytes), MOST));
                probe_by_steps(self.step, text, range, probes, knows)
            }
        }
    }
}

/// Probes every `step`th place in `range` of `text`: `knows` returns 1 if the gram there is in the
/// table, else 0.
#[inline(always)]
fn probe_by_steps(
    step: usize,
    text: &[u8],
    range: Range<usize>,
    probes: &mut ProbeBits,
    knows: impl Fn([u8; GRAM]) -> u32,
) -> usize {
    match step {
        1 => probe_by::<1>(text, range, probes, knows),
        2 => probe_by::<2>(text, range, probes, knows),
        3 => probe_by::<3>(text, range, probes, knows),
        4 => probe_by::<4>(text, range, probes, knows),
        6 => probe_by::<6>(text, range, probes, knows),
        _ => probe_by::<MAX_STEP>(text, range, probes, knows),
    }
}

#[inline(never)]
fn probe_by<const STEP: usize>(
    text: &[u8],
    range: Range<usize>,
    probes: &mut ProbeBits,
    knows: impl Fn([u8; GRAM]) -> u32,
) -> usize {
    let size = PROBES * STEP;
    let count = range.len().div_ceil(size);
    if probes.len() < count {
        probes.resize(count, 0);
    }
    for (word, start) in probes[..count].iter_mut().zip(range.clone().step_by(size)) {
        // Few, if the range is a line.
        let parts = (range.end - start).div_ceil(PART * STEP).min(PROBES / PART);
        // The last probe takes bytes of what follows, too.
        *word = match text.get(start..start + parts * PART * STEP + GRAM) {
            Some(block) if parts == PROBES / PART => word_of::<STEP>(block, PROBES / PART, &knows),
            Some(block) => word_of::<STEP>(block, parts, &knows),
            None => {
                let rest = &text[start..text.len().min(start + size + GRAM)];
                let mut block = [0; PROBES * MAX_STEP + GRAM];
                block[..rest.len()].copy_from_slice(rest);
                word_of::<STEP>(&block[..size + GRAM], PROBES / PART, &knows)
            }
        };
    }
    count
}

/// The results of probes at every `STEP`th place of `block`, which has bytes for so many `parts`.
#[inline(always)]
fn word_of<const STEP: usize>(
    block: &[u8],
    parts: usize,
    knows: impl Fn([u8; GRAM]) -> u32,
) -> u64 {
    let mut word = 0;
    let windows = block.windows(PART * STEP + GRAM).step_by(PART * STEP).take(parts);
    for (number, part) in windows.enumerate() {
        let mut probes = 0;
        for n in 0..PART {
            let (gram, _) = part[n * STEP..].split_first_chunk().unwrap_or((&[0; GRAM], &[]));
            probes |= knows(*gram) << n;
        }
        word |= u64::from(probes) << (number * PART);
    }
    word
}
