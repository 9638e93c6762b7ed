//! Whether exactly the items that should have been done were done.
//!
//! Items are numbers. Each worker adds up what it did; the total must equal what adding up the
//! expected numbers gives. That is cheap enough for a timed run, and a lost item made up for by a
//! doubled one changes two of its three sums. A run that is not timed also sets a bit per item,
//! which cannot be fooled and says which item it was.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::random::splitmix64;

/// What one worker, or all of them, did. Sums wrap around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// How many items.
    pub(super) count: u64,
    sum: u64,
    mixed: u64,
}

impl Tally {
    /// What doing each item of `ranges` once gives.
    pub(super) fn of(ranges: &[Range<u64>]) -> Tally {
        let mut tally = Tally::default();
        ranges.iter().cloned().flatten().for_each(|id| tally.add(id));
        tally
    }

    /// Counts an item. Called when it is done, never when it merely moves.
    #[inline]
    pub(super) fn add(&mut self, id: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(id);
        self.mixed = self.mixed.wrapping_add(splitmix64(id));
    }

    /// Adds what another worker did.
    pub(super) fn merge(&mut self, other: Tally) {
        self.count += other.count;
        self.sum = self.sum.wrapping_add(other.sum);
        self.mixed = self.mixed.wrapping_add(other.mixed);
    }

    /// What is wrong with this as the outcome of doing each item of `ranges` once.
    pub(super) fn fault(self, ranges: &[Range<u64>]) -> Option<String> {
        let expected = Tally::of(ranges);
        let (done, all) = (self.count, expected.count);
        if done < all {
            Some(format!("{done} of {all} items done, {} lost", all - done))
        } else if done > all {
            Some(format!("{done} items done, {} more than there were: doubled", done - all))
        } else if self != expected {
            let off = self.sum.wrapping_sub(expected.sum).cast_signed();
            Some(format!(
                "{all} items done, but not the right ones: lost and doubled, sum off {off}"
            ))
        } else {
            None
        }
    }
}

/// A bit for each item, set when it is done.
pub(super) struct Bits {
    words: Box<[AtomicU64]>,
    doubled: AtomicU64,
    a_doubled: AtomicU64,
    outside: AtomicU64,
}

impl Bits {
    /// For the items `0..items`, none of them done yet.
    pub(super) fn new(items: u64) -> Bits {
        Bits {
            words: (0..items.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            doubled: AtomicU64::new(0),
            a_doubled: AtomicU64::new(0),
            outside: AtomicU64::new(0),
        }
    }

    /// Marks an item as done, and notes if it was before.
    pub(super) fn mark(&self, id: u64) {
        let word = usize::try_from(id / 64).ok().and_then(|at| self.words.get(at));
        let Some(word) = word else {
            // Ordering: Relaxed, read by `fault` after the threads were joined.
            self.outside.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let bit = 1 << (id % 64);
        // Ordering: Relaxed. All changes of one word are totally ordered, so that of two markers of
        // an item exactly one finds the bit set; `fault` reads after the threads were joined.
        if word.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            // Ordering: Relaxed for both, read by `fault` after the threads were joined.
            self.doubled.fetch_add(1, Ordering::Relaxed);
            self.a_doubled.store(id, Ordering::Relaxed);
        }
    }

    fn is_marked(&self, id: u64) -> bool {
        let word = usize::try_from(id / 64).ok().and_then(|at| self.words.get(at));
        // Ordering: Relaxed, the threads that marked were joined before.
        word.is_some_and(|word| word.load(Ordering::Relaxed) & (1 << (id % 64)) != 0)
    }

    /// What is wrong with the marks, if each item of `ranges` should have one and no other. Call it
    /// when the threads that mark have been joined.
    pub(super) fn fault(&self, ranges: &[Range<u64>]) -> Option<String> {
        // Ordering: Relaxed for all, the threads that wrote were joined before.
        let [doubled, a_doubled, outside] =
            [&self.doubled, &self.a_doubled, &self.outside].map(|n| n.load(Ordering::Relaxed));
        let marked: u64 =
            // Ordering: Relaxed, as above.
            self.words.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum();
        let expected: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        let missing = || ranges.iter().cloned().flatten().filter(|&id| !self.is_marked(id));
        let lost = missing().count() as u64;
        let unknown = marked - (expected - lost) + outside;

        let mut faults = Vec::new();
        if let Some(a_lost) = missing().next() {
            faults.push(format!("{lost} items lost, the first is {a_lost}"));
        }
        if doubled > 0 {
            faults.push(format!("{doubled} items doubled, one is {a_doubled}"));
        }
        if unknown > 0 {
            faults.push(format!("{unknown} items done that never were"));
        }
        (!faults.is_empty()).then(|| faults.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(ids: impl IntoIterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        ids.into_iter().for_each(|id| tally.add(id));
        tally
    }

    #[test]
    fn sums_accept_any_order_and_any_split() {
        let mut halves = tally((5..10).rev());
        halves.merge(tally(0..5));
        #[expect(clippy::single_range_in_vec_init, reason = "a list of one range is meant")]
        let all = [0..10];
        assert_eq!(halves.fault(&all), None);
        assert_eq!(halves.fault(&[5..10, 0..5]), None);
    }

    #[test]
    fn sums_tell_what_was_lost_or_doubled() {
        let all = [0..4, 4..8];
        let fault = |ids: &[u64]| tally(ids.iter().copied()).fault(&all).unwrap();
        assert!(fault(&[0, 1, 2, 3, 4, 5, 6]).contains("7 of 8 items done, 1 lost"));
        assert!(fault(&[0, 1, 2, 3, 4, 5, 6, 7, 7]).contains("1 more than there were"));
        assert!(fault(&[0, 1, 2, 3, 4, 5, 6, 6]).contains("not the right ones"));
        // The plain sum is the same: 0 + 3 == 1 + 2.
        assert!(fault(&[1, 1, 2, 2, 4, 5, 6, 7]).contains("not the right ones"));
    }

    #[test]
    fn bits_tell_which_item_was_lost_or_doubled() {
        let mark = |ids: &[u64]| {
            let bits = Bits::new(100);
            ids.iter().for_each(|&id| bits.mark(id));
            bits.fault(&[0..3, 97..100])
        };
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2]), None);
        assert_eq!(mark(&[99, 0, 97, 1, 2]).unwrap(), "1 items lost, the first is 98");
        assert_eq!(
            mark(&[99, 0, 97, 1, 2, 97]).unwrap(),
            "1 items lost, the first is 98; 1 items doubled, one is 97"
        );
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2, 50]).unwrap(), "1 items done that never were");
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2, 1000]).unwrap(), "1 items done that never were");
    }
}
