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

/// Many needles, cut to the same length.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    window: usize,
    /// How far to shift the hash to the right to get an index.
    hash_shift: u32,
    /// By hash of the window's last block: how far the window may move. 0 asks to compare.
    shifts: Box<[u8]>,
    /// By the same hash: where in `order` its heads begin; one more at the end.
    buckets: Box<[u32]>,
    /// The needles' first `window` bytes, one after the other, sorted within each bucket.
    heads: Box<[u8]>,
    /// Whether no needle is longer than the window.
    whole: bool,
}

impl Many {
    /// Prepares the search for `needles`. None if one of them is too short.
    pub(crate) fn new(needles: &[Vec<u8>]) -> Option<Many> {
        let shortest = needles.iter().map(Vec::len).min().filter(|&n| n >= MIN_WINDOW)?;
        let window = shortest.min(MAX_WINDOW);
        let mut heads: Vec<&[u8]> = needles.iter().map(|n| &n[..window]).collect();
        heads.sort_unstable();
        heads.dedup();
        let steps = window - BLOCK + 1;
        // Twice as many places as entries keep most of them free, which means a full shift.
        let entries = u32::try_from(heads.len() * steps * 2).ok()?;
        let bits = entries.next_power_of_two().ilog2().clamp(MIN_BITS, MAX_BITS);
        let mut many = Many {
            window,
            hash_shift: u32::BITS - bits,
            // `steps` is at most 14.
            shifts: vec![steps as u8; 1 << bits].into_boxed_slice(),
            buckets: Box::default(),
            heads: Box::default(),
            whole: needles.iter().all(|n| n.len() == window),
        };
        for head in &heads {
            for (i, block) in head.windows(BLOCK).enumerate() {
                let shift = &mut many.shifts[hash(block, many.hash_shift)];
                *shift = (*shift).min((steps - 1 - i) as u8);
            }
        }
        many.fill_buckets(heads, 1 << bits);
        Some(many)
    }

    /// Whether a hit is a needle, and not only the head of one.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Where the first head of a needle in `haystack[at..end]` begins.
    pub(crate) fn find(&self, haystack: &[u8], at: usize, end: usize) -> Option<usize> {
        let haystack = &haystack[..end];
        let mut stop = at + self.window;
        while stop <= haystack.len() {
            let hash = hash(&haystack[stop - BLOCK..stop], self.hash_shift);
            let shift = usize::from(self.shifts[hash]);
            if shift > 0 {
                stop += shift;
                continue;
            }
            let start = stop - self.window;
            if self.holds(hash, &haystack[start..stop]) {
                return Some(start);
            }
            stop += 1;
        }
        None
    }

    /// Groups `heads` by the hash of their last block.
    fn fill_buckets(&mut self, mut heads: Vec<&[u8]>, size: usize) {
        let key = |head: &[u8]| hash(&head[head.len() - BLOCK..], self.hash_shift);
        heads.sort_by_key(|head| key(head));
        let mut buckets = vec![0_u32; size + 1];
        for head in &heads {
            buckets[key(head) + 1] += 1;
        }
        for i in 0..size {
            buckets[i + 1] += buckets[i];
        }
        self.buckets = buckets.into_boxed_slice();
        self.heads = heads.concat().into_boxed_slice();
    }

    /// Whether `text`, whose last block has `hash`, is one of the heads.
    fn holds(&self, hash: usize, text: &[u8]) -> bool {
        let mut bucket = self.buckets[hash] as usize..self.buckets[hash + 1] as usize;
        while !bucket.is_empty() {
            let middle = bucket.start + bucket.len() / 2;
            match self.heads[middle * self.window..][..self.window].cmp(text) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => bucket.start = middle + 1,
                std::cmp::Ordering::Greater => bucket.end = middle,
            }
        }
        false
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

    fn naive(needles: &[Vec<u8>], window: usize, haystack: &[u8], at: usize) -> Option<usize> {
        (at..haystack.len())
            .find(|&i| needles.iter().any(|n| haystack[i..].starts_with(&n[..window])))
    }

    #[test]
    fn finds_what_a_naive_search_finds() {
        let mut seed = 7_u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        for round in 0..60 {
            let letters = 2 + round % 4;
            let shortest = 6 + next(16);
            let needles: Vec<Vec<u8>> = (0..1 + next(200))
                .map(|_| (0..shortest + next(3)).map(|_| b'a' + next(letters) as u8).collect())
                .collect();
            let window = needles.iter().map(Vec::len).min().unwrap().min(16);
            let haystack: Vec<u8> = (0..next(400)).map(|_| b'a' + next(letters) as u8).collect();
            let many = Many::new(&needles).unwrap();
            assert_eq!(many.is_whole(), needles.iter().all(|n| n.len() == window));
            for at in 0..=haystack.len() {
                let expected = naive(&needles, window, &haystack, at);
                assert_eq!(many.find(&haystack, at, haystack.len()), expected, "{needles:?} {at}");
            }
        }
    }

    #[test]
    fn stays_within_the_end() {
        let many = Many::new(&[b"abcdef".to_vec(), b"bcdefg".to_vec()]).unwrap();
        assert_eq!(many.find(b"xxabcdefg", 0, 7), None);
        assert_eq!(many.find(b"xxabcdefg", 0, 8), Some(2));
        assert_eq!(many.find(b"xxabcdefg", 3, 9), Some(3));
    }

    #[test]
    fn short_needles_are_not_for_it() {
        assert!(Many::new(&[b"abcde".to_vec(), b"abcdef".to_vec()]).is_none());
        assert!(Many::new(&[]).is_none());
    }
}
