//! A table of needles by their rarest grams.

use std::ops::Range;

use memchr::memchr;

use super::grams::{Grams, PROBES, ProbeBits, gram_and_step};
use crate::lines::LineHit;
use crate::literals::rarity;

/// Needles with the same gram above which grams are taken from everywhere, though that takes probes
/// at every place.
const CROWDED: usize = 32;

/// Needles, found by their grams.
#[derive(Clone, Debug)]
pub(super) struct Table {
    grams: Grams,
    /// For each value of a hash's first bits, the index of the first entry with them; one more at
    /// the end.
    buckets: Box<[u32]>,
    /// Bits by which a hash is shifted to the right to get those.
    bucket_shift: u32,
    /// The grams, in the order of their hashes.
    entries: Box<[NeedleGram]>,
    /// The needles, one after the other; in lower case if case does not matter.
    bytes: Box<[u8]>,
}

/// A gram of a needle.
#[derive(Clone, Copy, Debug)]
struct NeedleGram {
    gram: u64,
    /// Where the needle begins in the bytes of all, and its length.
    start: u32,
    len: u16,
    /// Where the gram stands in the needle.
    offset: u16,
}

/// Bytes of a needle from which on it is long.
const LONG_NEEDLE_BYTES: usize = 4;
/// Up to this many needles, long and short ones share a table. With more, grams as short as the
/// shortest needle would be at too many places.
const MAX_SHARED_NEEDLES: usize = 64;

/// The needles of each table.
pub(crate) fn groups_by_length<N: AsRef<[u8]>>(needles: &[N]) -> impl Iterator<Item = Vec<&[u8]>> {
    let is_long =
        |needle: &&[u8]| needle.len() >= LONG_NEEDLE_BYTES || needles.len() <= MAX_SHARED_NEEDLES;
    let (long, short): (Vec<_>, _) = needles.iter().map(AsRef::as_ref).partition(is_long);
    [short, long].into_iter().filter(|needles| !needles.is_empty())
}

impl Table {
    /// A table of `needles`. None begins with another; they are in lower case if it `folds`. `None`
    /// if one is too short or they are very long.
    pub(super) fn new(needles: &[&[u8]], folds: bool) -> Option<Table> {
        let shortest = needles.iter().map(|needle| needle.len()).min().filter(|&n| n >= 2)?;
        let (gram, step) = gram_and_step(needles.len(), shortest);
        let table = Table::with_step(needles, folds, gram, step)?;
        match table.is_crowded() && step > 1 {
            true => Table::with_step(needles, folds, gram, 1),
            false => Some(table),
        }
    }

    fn with_step(needles: &[&[u8]], folds: bool, size: usize, step: usize) -> Option<Table> {
        let mut grams = Grams::new(size, step, folds, needles.len());
        let mut entries = Vec::with_capacity(needles.len() * step);
        // The number of grams with each hash.
        let mut loads = vec![0_u32; 1 << grams.hash_bits()];
        let mut start = 0;
        for needle in needles {
            let len = u16::try_from(needle.len()).ok()?;
            for remainder in 0..step {
                let places = (remainder..=needle.len() - grams.size).step_by(step);
                // As rare as it can be, and with few others at the same hash.
                let worth = |place: usize| {
                    let bytes = &needle[place..place + grams.size];
                    let load = loads[grams.hash(grams.of_needle(bytes))];
                    rarity::of_gram(bytes).saturating_sub(4 * (load + 1).ilog2())
                };
                let place = places.max_by_key(|&place| worth(place))?;
                let gram = grams.of_needle(&needle[place..]);
                loads[grams.hash(gram)] += 1;
                // Less than the length, which fits.
                entries.push(NeedleGram { gram, start, len, offset: place as u16 });
            }
            start = start.checked_add(len.into())?;
        }
        entries.sort_unstable_by_key(|entry| (grams.hash(entry.gram), entry.gram));
        entries.iter().for_each(|entry| grams.add(entry.gram));
        let bucket_bits = (entries.len().ilog2() + 1).min(grams.hash_bits());
        let bucket_shift = grams.hash_bits() - bucket_bits;
        let mut buckets = vec![0_u32; (1 << bucket_bits) + 1];
        for entry in &entries {
            buckets[(grams.hash(entry.gram) >> bucket_shift) + 1] += 1;
        }
        for i in 1..buckets.len() {
            buckets[i] += buckets[i - 1];
        }
        Some(Table {
            grams,
            buckets: buckets.into_boxed_slice(),
            bucket_shift,
            entries: entries.into_boxed_slice(),
            bytes: needles.concat().into_boxed_slice(),
        })
    }

    /// Bytes between two probes.
    pub(super) fn step(&self) -> usize {
        self.grams.step
    }

    /// Whether too many needles share a gram for all to be compared in time.
    pub(super) fn is_crowded(&self) -> bool {
        self.entries.chunk_by(|a, b| a.gram == b.gram).any(|equal| equal.len() > CROWDED)
    }

    /// Appends to `hits` where a needle starts in each of `lines` that has one, in order.
    /// `terminator` ends each line.
    pub(super) fn find(
        &self,
        haystack: &[u8],
        lines: Range<usize>,
        terminator: u8,
        probes: &mut ProbeBits,
        hits: &mut Vec<LineHit>,
    ) {
        let count = self.grams.probe(haystack, lines.clone(), probes);
        let (at, text) = (lines.start, &haystack[lines]);
        // What begins before this is in a line that has a hit.
        let mut known_to = 0;
        for (n, &word) in probes[..count].iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let place = (n * PROBES + word.trailing_zeros() as usize) * self.grams.step;
                word &= word - 1;
                if place >= known_to
                    && let Some(start) = self.needle_at(text, place, known_to)
                {
                    hits.push(LineHit::Confirmed(at + start));
                    known_to = memchr(terminator, &text[place..]).map_or(text.len(), |n| place + n);
                }
            }
        }
    }

    /// Where a needle begins that has a gram at `place` of `text`, if that is not before `from`.
    fn needle_at(&self, text: &[u8], place: usize, from: usize) -> Option<usize> {
        let gram = self.grams.of_text(text, place)?;
        let bucket = self.grams.hash(gram) >> self.bucket_shift;
        let entries = self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize;
        let mut equal = self.entries[entries].iter().filter(|entry| entry.gram == gram);
        equal.find_map(|entry| {
            let start = place.checked_sub(entry.offset.into()).filter(|&start| start >= from)?;
            let needle = &self.bytes[entry.start as usize..][..entry.len.into()];
            let found = text.get(start..start + needle.len())?;
            let is_equal = match self.grams.fold {
                0 => found == needle,
                _ => found.eq_ignore_ascii_case(needle),
            };
            is_equal.then_some(start)
        })
    }
}
