//! Searches for more needles at once than Teddy can, or for needles in either case: from a few to tens of thousands.
//!
//! A needle is known by its grams, which are blocks of two to eight bytes. A table has a bit for each hash of a gram. What is
//! looked at is every `step`th place of the text, by itself: no look waits for another, so that the core has many under way,
//! where an automaton has to take one byte after the other, and a window that slides (Wu and Manber 1994) has to know how far.
//! Wherever a needle stands, one of `step` neighbouring places in it is looked at. So one gram has to be known for
//! each remainder of its place by `step`, and that is the rarest there is; the words of a list often begin alike.
//!
//! Without regard to case, grams are made of bytes whose bit `0x20` is set. What else becomes equal by that, the comparison of
//! whole needles tells.

mod grams;

use memchr::memchr;

use crate::fold::Strangers;
use crate::{LineHit, rarity};

use grams::{Grams, LOOKS};
pub(crate) use grams::{Looks, gram_and_step};

/// Needles with the same gram from which on other grams are looked for, though that takes looks at every place.
const CROWDED: usize = 32;

/// Many needles.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    grams: Grams,
    /// By the first bits of a hash: the first entry with them; one more at the end.
    buckets: Box<[u32]>,
    /// How far to shift a hash to the right to get those bits.
    bucket_shift: u32,
    /// The grams that are known, by their hashes.
    entries: Box<[Entry]>,
    /// The needles, one after the other. In lower case, if case does not matter.
    bytes: Box<[u8]>,
    strangers: Strangers,
}

/// A gram of a needle.
#[derive(Clone, Copy, Debug)]
struct Entry {
    gram: u64,
    /// Where the needle begins in all of them, and its length.
    start: u32,
    len: u16,
    /// Where it stands in the needle.
    offset: u16,
}

impl Many {
    /// Prepares the search for `needles`, in either case of ASCII letters if it `folds`; letters of them may then also be written as
    /// one of `strangers`. None if a needle is too short, or they are very long.
    pub(crate) fn new(needles: &[Vec<u8>], folds: bool, strangers: &[&[u8]]) -> Option<Many> {
        let shortest = needles.iter().map(Vec::len).min().filter(|&n| n >= 2)?;
        let mut needles: Vec<Vec<u8>> = needles
            .iter()
            .map(|needle| if folds { needle.to_ascii_lowercase() } else { needle.clone() })
            .collect();
        needles.sort_unstable();
        // What begins with another needle is found where that is.
        needles.dedup_by(|next, before| next.starts_with(before));
        let strangers = Strangers::new(strangers);
        let (gram, step) = gram_and_step(needles.len(), shortest);
        let many = Many::with_step(&needles, folds, gram, step)?;
        let many = match many.is_crowded() && step > 1 {
            true => Many::with_step(&needles, folds, gram, 1)?,
            false => many,
        };
        Some(Many { strangers, ..many })
    }

    fn with_step(needles: &[Vec<u8>], folds: bool, size: usize, step: usize) -> Option<Many> {
        let mut grams = Grams::new(size, step, folds, needles.len());
        let mut entries = Vec::with_capacity(needles.len() * step);
        // How many grams have each hash.
        let mut loads = vec![0_u32; 1 << grams.hash_bits()];
        let mut start = 0;
        for needle in needles {
            let len = u16::try_from(needle.len()).ok()?;
            for remainder in 0..step {
                let places = (remainder..=needle.len() - grams.size).step_by(step);
                // As rare as it can be, and in little company.
                let worth = |place: usize| {
                    let bytes = &needle[place..place + grams.size];
                    let load = loads[grams.hash(grams.of_needle(bytes))];
                    rarity::of_gram(bytes).saturating_sub(4 * (load + 1).ilog2())
                };
                let place = places.max_by_key(|&place| worth(place))?;
                let gram = grams.of_needle(&needle[place..]);
                loads[grams.hash(gram)] += 1;
                // No further than the length is.
                entries.push(Entry { gram, start, len, offset: place as u16 });
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
        Some(Many {
            grams,
            buckets: buckets.into_boxed_slice(),
            bucket_shift,
            entries: entries.into_boxed_slice(),
            bytes: needles.concat().into_boxed_slice(),
            strangers: Strangers::default(),
        })
    }

    /// Whether so many needles have a gram in common that it takes too long to compare them all.
    fn is_crowded(&self) -> bool {
        self.entries.chunk_by(|a, b| a.gram == b.gram).any(|equal| equal.len() > CROWDED)
    }

    /// Append to `hits` a place in each line of `haystack[at..end]` that has a needle, in order: the beginning of a needle; and those
    /// of strangers, whose lines may have one. `at` begins a line, and `terminator` ends each.
    pub(crate) fn find(
        &self,
        haystack: &[u8],
        (at, end): (usize, usize),
        terminator: u8,
        looks: &mut Looks,
        hits: &mut Vec<LineHit>,
    ) {
        let first = hits.len();
        let text = &haystack[at..end];
        let count = self.grams.look(text, looks);
        // What begins before this is in a line that has a needle.
        let mut known_to = 0;
        for (n, &word) in looks[..count].iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let place = (n * LOOKS + word.trailing_zeros() as usize) * self.grams.step;
                word &= word - 1;
                if place >= known_to
                    && let Some(start) = self.needle_at(text, place, known_to)
                {
                    hits.push(LineHit::Confirmed(at + start));
                    known_to = memchr(terminator, &text[place..]).map_or(text.len(), |n| place + n);
                }
            }
        }
        self.strangers.find(text, at, first, hits);
    }

    /// Where a needle begins in `text`, though not before `from`, that has a gram at `place`.
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

#[cfg(test)]
mod tests {
    use super::{LineHit, Looks, Many};

    const END: u8 = b'\n';

    fn find(many: &Many, haystack: &[u8], at: usize, end: usize) -> Vec<LineHit> {
        let mut hits = Vec::new();
        many.find(haystack, (at, end), END, &mut Looks::new(), &mut hits);
        hits
    }

    /// The places of hits, which are all certain.
    fn certain(hits: &[LineHit]) -> Vec<usize> {
        assert!(hits.iter().all(|hit| matches!(hit, LineHit::Confirmed(_))), "{hits:?}");
        hits.iter().map(|hit| hit.place()).collect()
    }

    /// The beginnings of the lines from `at` on that have one of `needles`.
    fn naive(needles: &[Vec<u8>], folds: bool, haystack: &[u8]) -> Vec<usize> {
        let folded = |bytes: &[u8]| if folds { bytes.to_ascii_lowercase() } else { bytes.to_vec() };
        let mut start = 0;
        let mut lines = Vec::new();
        for line in haystack.split(|&b| b == END) {
            let line_start = start;
            start += line.len() + 1;
            let line = folded(line);
            if needles.iter().any(|n| line.windows(n.len()).any(|w| w == folded(n))) {
                lines.push(line_start);
            }
        }
        lines
    }

    fn line_starts(haystack: &[u8], hits: &[usize]) -> Vec<usize> {
        let start = |&hit: &usize| memchr::memrchr(END, &haystack[..hit]).map_or(0, |n| n + 1);
        hits.iter().map(start).collect()
    }

    #[test]
    fn finds_the_lines_that_a_naive_search_finds() {
        let mut seed = 7_u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        let mut found = 0;
        for round in 0..400 {
            let letters = b"abcdABCD[{_";
            let letters = &letters[..2 + round % 10];
            let folds = next(2) == 0;
            let shortest = 2 + next(16);
            let mut word = |len: u32| -> Vec<u8> {
                (0..len).map(|_| letters[next(letters.len() as u32) as usize]).collect()
            };
            let mut needles: Vec<Vec<u8>> = (0..1 + round % 90)
                .map(|n| word(shortest + n as u32 % 3 * (n as u32 % 4)))
                .collect();
            needles.push(word(shortest));
            let mut haystack = Vec::new();
            for n in 0..round as u32 % 40 {
                haystack.extend(word(n * 7 % 50));
                haystack.push(END);
            }
            haystack.extend_from_slice(&needles[0]);
            let many = Many::new(&needles, folds, &[]).unwrap();
            let expected = naive(&needles, folds, &haystack);
            let hits = certain(&find(&many, &haystack, 0, haystack.len()));
            let name = format!("{needles:?} {folds} {}", haystack.escape_ascii());
            assert_eq!(line_starts(&haystack, &hits), expected, "{name}");
            assert!(hits.is_sorted(), "{name}");
            found += hits.len();
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn stays_within_the_end() {
        let many = Many::new(&[b"abcdef".to_vec(), b"bcdefg".to_vec()], false, &[]).unwrap();
        let hits = |haystack, at, end| certain(&find(&many, haystack, at, end));
        assert_eq!(hits(b"xxabcdefg", 0, 7), []);
        assert_eq!(hits(b"xxabcdefg", 0, 8), [2]);
        assert_eq!(hits(b"xxabcdefg", 3, 9), [3]);
        assert_eq!(hits(b"abcdef", 0, 0), []);
    }

    #[test]
    fn needles_that_share_their_grams_are_told_apart() {
        let needles: Vec<Vec<u8>> =
            (0..1000).map(|n| format!("prefix{n:03}suffix").into_bytes()).collect();
        let many = Many::new(&needles[500..], false, &[]).unwrap();
        let haystack = b"prefix499suffix\nprefix500suffix\nprefix050suffix\n";
        assert_eq!(find(&many, haystack, 0, haystack.len()), [LineHit::Confirmed(16)]);
        let short: Vec<Vec<u8>> = (0..1000).map(|n| format!("abcd{n:03}").into_bytes()).collect();
        let many = Many::new(&short, false, &[]).unwrap();
        assert!(!many.is_crowded(), "looks at every place tell them apart");
        assert_eq!(find(&many, b"xabcd0000\nabcdabc042", 0, 20), [LineHit::Confirmed(1)]);
    }

    #[test]
    fn strangers_make_lines_doubtful() {
        let (kelvin, long_s) = ("\u{212A}".as_bytes(), "ſ".as_bytes());
        let many = Many::new(&[b"disk".to_vec()], true, &[kelvin, long_s]).unwrap();
        let find = |text: &str| find(&many, text.as_bytes(), 0, text.len());
        assert_eq!(find("a DISK\nb\n"), [LineHit::Confirmed(2)]);
        assert_eq!(find("é DISK\nb\n"), [LineHit::Confirmed(3)], "no letter of it looks like that");
        assert_eq!(find("a DISK\nx diſk\n"), [LineHit::Confirmed(2), LineHit::Candidate(11)]);
    }

    #[test]
    fn needles_of_one_byte_are_not_for_it() {
        assert!(Many::new(&[b"a".to_vec(), b"abcdef".to_vec()], false, &[]).is_none());
        assert!(Many::new(&[], false, &[]).is_none());
    }
}
