//! Searches for more needles at once than Teddy can: hundreds to tens of thousands.
//!
//! This is the algorithm of Wu and Manber, "A Fast Algorithm for Multi-Pattern Searching" (1994): a
//! window as long as the shortest needle slides over the haystack, and a table tells from the hash
//! of its last three bytes how far it may go on. Mostly that is nearly its whole length, so most
//! bytes are never looked at, where an automaton has to take each of them one after the other.

/// Bytes hashed at the end of the window.
const BLOCK: usize = 3;
/// Bytes of the shortest window. Each step waits for the table, about 5 ns, while an automaton takes
/// about 2 ns for a byte: a window that moves by less than 4 on average is no gain.
const MIN_WINDOW: usize = 6;
/// Bytes of the longest window. A longer one would only fill the table.
const MAX_WINDOW: usize = 16;
/// Bits of the smallest and the largest table of shifts. The small one fits in a first-level cache.
const MIN_BITS: u32 = 15;
const MAX_BITS: u32 = 20;

/// Windows that move at once. Each step waits for the table, and the next one of the same window for it.
///
/// Perf (2026-11, 2 cores, 600 MB of kernel sources, 1000 identifiers): 1.29 s with one window that the engine has to
/// confirm, 0.79 s with four and needles compared to their ends; ripgrep 1.31 s. Other numbers were not tried.
const LANES: usize = 4;

/// Where the windows end that have to be compared: scratch space.
pub(crate) type Stops = Vec<usize>;

/// Many needles.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    window: usize,
    /// How far to shift the hash to the right to get an index.
    hash_shift: u32,
    /// By hash of the window's last block: how far the window may move. 0 asks to compare.
    shifts: Box<[u8]>,
    /// By the same hash: which needles have this block there, the first of them; one more at the end.
    buckets: Box<[u32]>,
    /// Where each needle begins in `bytes`; one more at the end.
    starts: Box<[u32]>,
    /// The needles, one after the other, sorted within each bucket. None begins with another.
    bytes: Box<[u8]>,
}

impl Many {
    /// Prepares the search for `needles`. None if one of them is too short.
    pub(crate) fn new(needles: &[Vec<u8>]) -> Option<Many> {
        let shortest = needles.iter().map(Vec::len).min().filter(|&n| n >= MIN_WINDOW)?;
        let window = shortest.min(MAX_WINDOW);
        let mut needles: Vec<&[u8]> = needles.iter().map(Vec::as_slice).collect();
        needles.sort_unstable();
        // What begins with another needle is found where that is.
        needles.dedup_by(|next, before| next.starts_with(before));
        let steps = window - BLOCK + 1;
        // Twice as many places as entries keep most of them free, which means a full shift.
        let entries = u32::try_from(needles.len() * steps * 2).ok()?;
        let bits = entries.next_power_of_two().ilog2().clamp(MIN_BITS, MAX_BITS);
        let mut many = Many {
            window,
            hash_shift: u32::BITS - bits,
            // `steps` is at most 14.
            shifts: vec![steps as u8; 1 << bits].into_boxed_slice(),
            buckets: Box::default(),
            starts: Box::default(),
            bytes: Box::default(),
        };
        for needle in &needles {
            for (i, block) in needle[..window].windows(BLOCK).enumerate() {
                let shift = &mut many.shifts[hash(block, many.hash_shift)];
                *shift = (*shift).min((steps - 1 - i) as u8);
            }
        }
        many.fill_buckets(needles, 1 << bits)?;
        Some(many)
    }

    /// Append to `hits` where needles begin in `haystack[at..end]`, all of them and in order.
    pub(crate) fn find(
        &self,
        haystack: &[u8],
        (at, end): (usize, usize),
        stops: &mut Stops,
        hits: &mut Vec<usize>,
    ) {
        let first = hits.len();
        let haystack = &haystack[..end];
        // Each window that asks to compare takes a step, and each step moves a lane by a byte at least.
        if stops.len() < end - at + LANES {
            stops.resize(end - at + LANES, 0);
        }
        let mut count = 0;
        let size = (end - at) / LANES;
        let mut lanes: [usize; LANES] = std::array::from_fn(|k| at + k * size + self.window);
        let limits: [usize; LANES] = std::array::from_fn(|k| match k + 1 {
            LANES => end + 1,
            next => (at + next * size + self.window).min(end + 1),
        });
        // When one of them is through, no other has far to go.
        while lanes.iter().zip(&limits).all(|(stop, limit)| stop < limit) {
            for stop in &mut lanes {
                self.step(haystack, stop, stops, &mut count);
            }
        }
        for (stop, limit) in lanes.iter_mut().zip(limits) {
            while *stop < limit {
                self.step(haystack, stop, stops, &mut count);
            }
        }
        for &stop in &stops[..count] {
            let hash = hash(&haystack[stop - BLOCK..stop], self.hash_shift);
            let start = stop - self.window;
            if self.begins(hash, &haystack[start..]) {
                hits.push(start);
            }
        }
        hits[first..].sort_unstable();
    }

    /// Move the window that ends at `stop`, which is noted if it asks to compare.
    #[inline(always)]
    fn step(&self, haystack: &[u8], stop: &mut usize, stops: &mut Stops, count: &mut usize) {
        let hash = hash(&haystack[*stop - BLOCK..*stop], self.hash_shift);
        let shift = usize::from(self.shifts[hash]);
        // Which it is cannot be foretold: to note it always is cheaper than to ask.
        stops[*count] = *stop;
        *count += usize::from(shift == 0);
        *stop += shift.max(1);
    }

    /// Groups `needles` by the hash of the last block of their window. None if they are too long in sum.
    fn fill_buckets(&mut self, mut needles: Vec<&[u8]>, size: usize) -> Option<()> {
        let key = |needle: &[u8]| hash(&needle[self.window - BLOCK..self.window], self.hash_shift);
        needles.sort_by_key(|needle| key(needle));
        let mut buckets = vec![0_u32; size + 1];
        let mut starts = vec![0];
        let mut end = 0;
        for needle in &needles {
            buckets[key(needle) + 1] += 1;
            end += needle.len();
            starts.push(u32::try_from(end).ok()?);
        }
        for i in 0..size {
            buckets[i + 1] += buckets[i];
        }
        self.buckets = buckets.into_boxed_slice();
        self.starts = starts.into_boxed_slice();
        self.bytes = needles.concat().into_boxed_slice();
        Some(())
    }

    /// Whether `text`, whose window's last block has `hash`, begins with a needle.
    fn begins(&self, hash: usize, text: &[u8]) -> bool {
        let bucket = self.buckets[hash] as usize..self.buckets[hash + 1] as usize;
        let needle = |i: usize| &self.bytes[self.starts[i] as usize..self.starts[i + 1] as usize];
        // Between a needle that `text` begins with and `text` could only be one that begins with that needle.
        let (mut low, mut high) = (bucket.start, bucket.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if needle(middle) <= text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low > bucket.start && text.starts_with(needle(low - 1))
    }
}

/// The place of a block of three bytes in a table of `1 << (32 - shift)` places.
fn hash(block: &[u8], shift: u32) -> usize {
    let number = u32::from(block[0]) | u32::from(block[1]) << 8 | u32::from(block[2]) << 16;
    // Multiplicative hashing with the golden ratio, after Knuth.
    (number.wrapping_mul(0x9E37_79B1) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use super::Many;

    fn find(many: &Many, haystack: &[u8], at: usize, end: usize) -> Vec<usize> {
        let mut hits = Vec::new();
        many.find(haystack, (at, end), &mut Vec::new(), &mut hits);
        hits
    }

    fn naive(needles: &[Vec<u8>], haystack: &[u8], at: usize) -> Vec<usize> {
        let begins = |i: &usize| needles.iter().any(|n| haystack[*i..].starts_with(n));
        (at..haystack.len()).filter(begins).collect()
    }

    #[test]
    fn finds_what_a_naive_search_finds() {
        let mut seed = 7_u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        let mut found = 0;
        for round in 0..200 {
            let letters = 2 + round % 4;
            let shortest = 6 + next(16);
            let mut needles: Vec<Vec<u8>> = Vec::new();
            for _ in 0..1 + next(200) {
                let len = shortest + next(3) * next(3);
                needles.push((0..len).map(|_| b'a' + next(letters) as u8).collect());
            }
            let mut haystack: Vec<u8> =
                (0..next(400)).map(|_| b'a' + next(letters) as u8).collect();
            haystack.extend_from_slice(&needles[0]);
            let many = Many::new(&needles).unwrap();
            for at in (0..=haystack.len()).step_by(1 + next(60) as usize) {
                let expected = naive(&needles, &haystack, at);
                found += expected.len();
                assert_eq!(
                    find(&many, &haystack, at, haystack.len()),
                    expected,
                    "{needles:?} {at}"
                );
            }
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn stays_within_the_end() {
        let many = Many::new(&[b"abcdef".to_vec(), b"bcdefg".to_vec()]).unwrap();
        assert_eq!(find(&many, b"xxabcdefg", 0, 7), []);
        assert_eq!(find(&many, b"xxabcdefg", 0, 8), [2]);
        assert_eq!(find(&many, b"xxabcdefg", 3, 9), [3]);
        assert_eq!(find(&many, b"abcdef", 0, 0), []);
    }

    #[test]
    fn short_needles_are_not_for_it() {
        assert!(Many::new(&[b"abcde".to_vec(), b"abcdef".to_vec()]).is_none());
        assert!(Many::new(&[]).is_none());
    }
}
