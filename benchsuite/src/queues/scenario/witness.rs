//! Whether each item was done exactly once, by two witnesses that every scenario shares.
//!
//! Items are numbers. A [`Tally`] costs next to nothing, so that timed runs can keep one: each
//! worker adds up what it did, and the total must equal the sum over all items. [`Bits`] have a bit
//! for each item, which cannot be deceived and identifies the item.

use std::iter::Sum;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checksum::splitmix64;

/// What one worker did, or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// How many items.
    pub(super) count: u64,
    /// The sum of their [scrambled](splitmix64) numbers, modulo 2^64. If one item is missing and
    /// another one doubled, the count is right and this is not.
    pub(super) mixed: u64,
}

impl Tally {
    /// The tally if each of `items` is done once.
    pub(super) fn of(items: impl IntoIterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        items.into_iter().for_each(|id| tally.add(id));
        tally
    }

    /// Counts an item when it is done, never when it merely moves.
    #[inline]
    pub(super) fn add(&mut self, id: u64) {
        self.count += 1;
        self.mixed = self.mixed.wrapping_add(splitmix64(id));
    }

    /// Counts an item, and marks it in a run that verifies.
    #[inline]
    pub(super) fn done(&mut self, id: u64, bits: Option<&Bits>) {
        self.add(id);
        if let Some(bits) = bits {
            bits.mark(id);
        }
    }

    /// What is wrong with this tally if each item in `ranges` was to be done once.
    pub(super) fn fault(self, ranges: &[Range<u64>]) -> Option<String> {
        let expected = Tally::of(ranges.iter().cloned().flatten());
        let (done, all) = (self.count, expected.count);
        if done < all {
            Some(format!("{done} of {all} items done, {} lost", all - done))
        } else if done > all {
            Some(format!("{done} items done, {} more than there were: doubled", done - all))
        } else if self != expected {
            Some(format!("{all} items done, but not the right ones: lost and doubled"))
        } else {
            None
        }
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(tallies: I) -> Tally {
        tallies.fold(Tally::default(), |sum, tally| Tally {
            count: sum.count + tally.count,
            mixed: sum.mixed.wrapping_add(tally.mixed),
        })
    }
}

/// A [`Tally`] that several threads add to.
#[derive(Default)]
pub(super) struct SharedTally {
    count: AtomicU64,
    mixed: AtomicU64,
}

impl SharedTally {
    /// Counts an item.
    pub(super) fn add(&self, id: u64) {
        // Ordering: Relaxed here and in `get`. The reader joins the threads first, except for a
        // momentary count.
        self.mixed.fetch_add(splitmix64(id), Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Everything that was added.
    pub(super) fn get(&self) -> Tally {
        // Ordering: Relaxed, as in `add`.
        let get = |from: &AtomicU64| from.load(Ordering::Relaxed);
        Tally { count: get(&self.count), mixed: get(&self.mixed) }
    }
}

/// A bit for each item, set when it is done. Every count is exact once the threads that mark have
/// been joined, and a momentary one before.
#[derive(Default)]
pub(super) struct Bits {
    words: Box<[AtomicU64]>,
    /// How many items there are. The last word may have bits beyond.
    len: u64,
    doubled: AtomicU64,
    a_doubled: AtomicU64,
    unknown: AtomicU64,
}

impl Bits {
    /// For the items `0..len`, none of them done yet.
    pub(super) fn new(len: u64) -> Bits {
        let words = (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Bits { words, len, ..Bits::default() }
    }

    /// How many items there are.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Marks an item as done, and counts it as doubled if it was done before, or as unknown if
    /// there is no such item. One atomic operation, unless something is wrong.
    #[inline]
    pub(super) fn mark(&self, id: u64) {
        let Some((word, bit)) = self.find(id) else {
            // Ordering: Relaxed, as below.
            self.unknown.fetch_add(1, Ordering::Relaxed);
            return;
        };
        // Ordering: Relaxed. All changes to one word are totally ordered, so if two threads mark an
        // item, exactly one finds the bit set. `marked`, `repeated` and `fault` are the readers.
        if word.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            // Ordering: Relaxed for both; `repeated` and `fault` are the readers.
            self.doubled.fetch_add(1, Ordering::Relaxed);
            self.a_doubled.store(id, Ordering::Relaxed);
        }
    }

    /// How many items are marked.
    pub(super) fn marked(&self) -> u64 {
        // Ordering: Relaxed here and in `repeated` and `fault`. Bits and counters only grow, so a
        // reader beside the markers gets a count between the start and now; after the joins it is
        // exact.
        let count = |word: &AtomicU64| word.load(Ordering::Relaxed).count_ones();
        self.words.iter().map(|word| u64::from(count(word))).sum()
    }

    /// How many marks were for items that were marked already, or do not exist.
    pub(super) fn repeated(&self) -> u64 {
        // Ordering: Relaxed, as in `marked`.
        self.doubled.load(Ordering::Relaxed) + self.unknown.load(Ordering::Relaxed)
    }

    /// What is wrong with the marks if each item in `ranges` was to be done once.
    pub(super) fn fault(&self, ranges: &[Range<u64>]) -> Option<String> {
        // Ordering: Relaxed, as in `marked`.
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let is_marked = |id| self.find(id).is_some_and(|(word, bit)| load(word) & bit != 0);
        let missing = || ranges.iter().cloned().flatten().filter(|&id| !is_marked(id));
        let expected: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        let (doubled, one) = (load(&self.doubled), load(&self.a_doubled));
        let lost = missing().count() as u64;
        let unknown = self.marked() - (expected - lost) + load(&self.unknown);
        let lost = missing().next().map(|one| format!("{lost} items lost, the first is {one}"));
        let doubled = (doubled > 0).then(|| format!("{doubled} items doubled, one is {one}"));
        let unknown = (unknown > 0).then(|| format!("{unknown} items done that never were"));
        join([lost, doubled, unknown])
    }

    /// The bit of an item, if there is such an item.
    #[inline]
    fn find(&self, id: u64) -> Option<(&AtomicU64, u64)> {
        // `id < len` rejects the numbers that do not fit.
        let word = self.words.get((id / 64) as usize).filter(|_| id < self.len)?;
        Some((word, 1 << (id % 64)))
    }
}

/// The faults that both witnesses find; a timed run has no bits.
pub(super) fn fault(tally: Tally, bits: Option<&Bits>, ranges: &[Range<u64>]) -> Option<String> {
    join([tally.fault(ranges), bits.and_then(|bits| bits.fault(ranges))])
}

/// All faults in one text, if there is any.
fn join<const N: usize>(faults: [Option<String>; N]) -> Option<String> {
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_tally_is_that_of_a_set_whatever_the_order_and_the_split() {
        let parts =
            [Tally::of((5..10).rev()), Tally::of([3, 0, 4, 1, 2])].into_iter().sum::<Tally>();
        assert_eq!(parts, Tally::of(0..10));
        assert_eq!(parts.fault(&[5..10, 0..5]), None);
        let shared = SharedTally::default();
        (0..10).for_each(|id| shared.add(id));
        assert_eq!(shared.get(), parts);
        // The plain sum is the same: 0 + 3 == 1 + 2.
        let fault = Tally::of([1, 1, 2, 2]).fault(&[0..2, 2..4]).unwrap();
        assert_eq!(fault, "4 items done, but not the right ones: lost and doubled");
    }

    #[test]
    fn bits_know_their_items_to_the_last() {
        for len in [0, 1, 63, 64, 65, 128] {
            let (bits, all) = (Bits::new(len), [0..len / 2, len / 2..len]);
            (0..len).for_each(|id| bits.mark(id));
            assert_eq!((bits.len(), bits.marked(), bits.fault(&all)), (len, len, None));
            for stranger in [len, len.next_multiple_of(64), 1 << 38, u64::MAX] {
                bits.mark(stranger);
            }
            assert_eq!((bits.marked(), bits.repeated()), (len, 4));
            assert_eq!(bits.fault(&all).unwrap(), "4 items done that never were");
        }
    }

    #[test]
    fn of_two_threads_that_mark_an_item_one_doubles_it() {
        let bits = &Bits::new(1000);
        thread::scope(|scope| {
            for items in [0..600, 400..1000] {
                scope.spawn(move || items.for_each(|id| bits.mark(id)));
            }
        });
        assert_eq!((bits.marked(), bits.repeated()), (1000, 200));
        let fault = bits.fault(&[0..500, 500..1000]).unwrap();
        let one = fault.strip_prefix("200 items doubled, one is ").unwrap();
        assert!((400..600).contains(&one.parse().unwrap()), "{one}");
    }

    #[test]
    fn bits_identify_what_was_lost_or_doubled() {
        let mark = |ids: &[u64]| {
            let bits = Bits::new(100);
            ids.iter().for_each(|&id| bits.mark(id));
            bits.fault(&[0..3, 97..100])
        };
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2]), None);
        assert_eq!(mark(&[99, 0, 97, 1, 2]).unwrap(), "1 items lost, the first is 98");
        let both = "1 items lost, the first is 98; 1 items doubled, one is 97";
        assert_eq!(mark(&[99, 0, 97, 1, 2, 97]).unwrap(), both);
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2, 50]).unwrap(), "1 items done that never were");
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2, 1000]).unwrap(), "1 items done that never were");
    }
}
