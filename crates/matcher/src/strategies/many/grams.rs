//! Needles' grams, and how a text is probed for them.
//!
//! docs/decisions/0032-many-needles.md has the figures.

use std::ops::Range;

/// Bytes of the longest gram.
const MAX_GRAM_BYTES: usize = 8;
/// How far apart probes may be. More would cost little less, and each place takes a gram of every
/// needle.
const STEPS: [usize; 6] = [1, 2, 3, 4, 6, MAX_STEP];
const MAX_STEP: usize = 8;
/// Bits of a hash for few grams, many, and very many. The first two tables fit in a first-level
/// cache.
const HASH_BITS_OF_FEW: u32 = 13;
const HASH_BITS_OF_MANY: u32 = 17;
const MAX_HASH_BITS: u32 = 20;
/// Places of a table per gram, which keep it sparse.
const PLACES_PER_GRAM: usize = 16;
/// How many probes share a word for their results.
pub(super) const PROBES: usize = u64::BITS as usize;
/// Probes in a row that the compiler unrolls.
const UNROLLED_PROBES: usize = 16;

/// A bit for each probe of a text, set if the table has its gram: scratch space.
pub(super) type ProbeBits = Vec<u64>;

/// The grams of needles.
#[derive(Clone, Debug)]
pub(super) struct Grams {
    /// Bytes of a gram.
    pub(super) size: usize,
    /// Bytes between two probes.
    pub(super) step: usize,
    /// Which bits of eight bytes are part of a gram, and which are set in all grams.
    mask: u64,
    pub(super) fold: u64,
    hashes: Hashes,
}

/// The hashes of the grams.
#[derive(Clone, Debug)]
enum Hashes {
    /// A byte for each hash, 1 or 0: it takes the fewest instructions.
    Few(Box<[u8; 1 << HASH_BITS_OF_FEW]>),
    /// A bit for each hash.
    Many(Box<[u32; 1 << (HASH_BITS_OF_MANY - 5)]>),
    Most(Box<[u32; 1 << (MAX_HASH_BITS - 5)]>),
}

/// How long grams are and how far apart probes, for `needles` needles, if the shortest has
/// `shortest` bytes. What the step does not need makes grams longer, and so rarer.
pub(crate) fn gram_and_step(needles: usize, shortest: usize) -> (usize, usize) {
    let least = match needles {
        0..=16 => 3,
        17..=128 => 4,
        _ => 5,
    };
    let most = shortest.saturating_sub(least) + 1;
    let step = STEPS.into_iter().rfind(|&step| step <= most).unwrap_or(1);
    ((shortest + 1).saturating_sub(step).min(MAX_GRAM_BYTES), step)
}

/// The hash of `gram` in `bits` bits.
#[inline(always)]
pub(crate) fn hash(gram: u64, bits: u32) -> usize {
    // Multiplicative hashing with the golden ratio, after Knuth.
    (gram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - bits)) as usize
}

impl Grams {
    /// Room for the grams of `needles` needles.
    pub(super) fn new(size: usize, step: usize, folds: bool, needles: usize) -> Grams {
        let least = needles * step * PLACES_PER_GRAM;
        let mask = u64::MAX >> (8 * (MAX_GRAM_BYTES - size));
        Grams {
            size,
            step,
            mask,
            fold: if folds { 0x2020_2020_2020_2020 & mask } else { 0 },
            hashes: match () {
                () if least <= 1 << HASH_BITS_OF_FEW => Hashes::Few(Box::new([0; _])),
                () if least <= 1 << HASH_BITS_OF_MANY => Hashes::Many(Box::new([0; _])),
                () => Hashes::Most(Box::new([0; _])),
            },
        }
    }

    /// The gram at the beginning of `bytes`.
    fn gram(&self, bytes: [u8; MAX_GRAM_BYTES]) -> u64 {
        u64::from_le_bytes(bytes) & self.mask | self.fold
    }

    /// The gram with which `needle` begins, which is long enough.
    pub(super) fn of_needle(&self, needle: &[u8]) -> u64 {
        let mut bytes = [0; MAX_GRAM_BYTES];
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
            Hashes::Few(_) => HASH_BITS_OF_FEW,
            Hashes::Many(_) => HASH_BITS_OF_MANY,
            Hashes::Most(_) => MAX_HASH_BITS,
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
    /// the results. The last one may also have some for places behind the range.
    pub(super) fn probe(&self, text: &[u8], range: Range<usize>, probes: &mut ProbeBits) -> usize {
        let bit = |words: &[u32], hash: usize| words[hash / 32] >> (hash % 32) & 1;
        let (mask, fold) = (self.mask, self.fold);
        let gram = |bytes| u64::from_le_bytes(bytes) & mask | fold;
        match &self.hashes {
            Hashes::Few(table) => {
                let knows = |bytes| table[hash(gram(bytes), HASH_BITS_OF_FEW)].into();
                probe_by_steps(self.step, text, range, probes, knows)
            }
            Hashes::Many(table) => {
                let knows = |bytes| bit(&table[..], hash(gram(bytes), HASH_BITS_OF_MANY));
                probe_by_steps(self.step, text, range, probes, knows)
            }
            Hashes::Most(table) => {
                let knows = |bytes| bit(&table[..], hash(gram(bytes), MAX_HASH_BITS));
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
    knows: impl Fn([u8; MAX_GRAM_BYTES]) -> u32,
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
    knows: impl Fn([u8; MAX_GRAM_BYTES]) -> u32,
) -> usize {
    let size = PROBES * STEP;
    let count = range.len().div_ceil(size);
    if probes.len() < count {
        probes.resize(count, 0);
    }
    for (word, start) in probes[..count].iter_mut().zip(range.clone().step_by(size)) {
        // Few, if the range is a line.
        let parts =
            (range.end - start).div_ceil(UNROLLED_PROBES * STEP).min(PROBES / UNROLLED_PROBES);
        // The last probe takes bytes of what follows, too.
        *word = match text.get(start..start + parts * UNROLLED_PROBES * STEP + MAX_GRAM_BYTES) {
            Some(block) if parts == PROBES / UNROLLED_PROBES => {
                word_of::<STEP>(block, PROBES / UNROLLED_PROBES, &knows)
            }
            Some(block) => word_of::<STEP>(block, parts, &knows),
            None => {
                let rest = &text[start..text.len().min(start + size + MAX_GRAM_BYTES)];
                let mut block = [0; PROBES * MAX_STEP + MAX_GRAM_BYTES];
                block[..rest.len()].copy_from_slice(rest);
                word_of::<STEP>(&block[..size + MAX_GRAM_BYTES], PROBES / UNROLLED_PROBES, &knows)
            }
        };
    }
    count
}

/// The results of probes at every `STEP`th place in `block`, which has bytes for `parts` parts.
#[inline(always)]
fn word_of<const STEP: usize>(
    block: &[u8],
    parts: usize,
    knows: impl Fn([u8; MAX_GRAM_BYTES]) -> u32,
) -> u64 {
    let mut word = 0;
    let windows = block
        .windows(UNROLLED_PROBES * STEP + MAX_GRAM_BYTES)
        .step_by(UNROLLED_PROBES * STEP)
        .take(parts);
    for (number, part) in windows.enumerate() {
        let mut probes = 0;
        for n in 0..UNROLLED_PROBES {
            let (gram, _) =
                part[n * STEP..].split_first_chunk().unwrap_or((&[0; MAX_GRAM_BYTES], &[]));
            probes |= knows(*gram) << n;
        }
        word |= u64::from(probes) << (number * UNROLLED_PROBES);
    }
    word
}
