//! Whether each item was done exactly once, by two witnesses that every scenario can call.
//!
//! Items are numbers. A [`Tally`] costs next to nothing, so that timed runs can keep one: each
//! worker adds up what it did, and the total must equal that of the items there were. [`Bits`] have
//! a bit for each item, which cannot be fooled and says which item it was.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checksum::splitmix64;

/// What one worker, or all of them, did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// How many items.
    pub(super) count: u64,
    /// The sum of their [scrambled](splitmix64) numbers, modulo 2^64. If one item is missing and
    /// another one doubled, the count is right and this is not.
    pub(super) mixed: u64,
}

impl Tally {
    /// What doing each of `items` once gives.
    pub(super) fn of(items: impl IntoIterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        items.into_iter().for_each(|id| tally.add(id));
        tally
    }

    /// Counts an item. Called when it is done, never when it merely moves.
    #[inline]
    pub(super) fn add(&mut self, id: u64) {
        self.count += 1;
        self.mixed = self.mixed.wrapping_add(splitmix64(id));
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.count += other.count;
        self.mixed = self.mixed.wrapping_add(other.mixed);
    }
}

/// A bit for each item, set when it is done.
pub(super) struct Bits {
    words: Box<[AtomicU64]>,
    /// How many items there are. The last word may have bits beyond.
    len: u64,
    doubled: AtomicU64,
    a_doubled: AtomicU64,
    unknown: AtomicU64,
}

/// What the marks of all workers amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    /// How many items are marked.
    pub(super) marked: u64,
    /// How many marks met an item that was marked already.
    pub(super) doubled: u64,
    /// One of those items, if there is any.
    pub(super) a_doubled: u64,
    /// How many marks were for items that do not exist.
    pub(super) unknown: u64,
}

impl Marks {
    /// How many marks should not have been made.
    pub(super) fn too_many(self) -> u64 {
        self.doubled + self.unknown
    }
}

impl Bits {
    /// For the items `0..len`, none of them done yet.
    pub(super) fn new(len: u64) -> Bits {
        Bits {
            words: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            len,
            doubled: AtomicU64::new(0),
            a_doubled: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
        }
    }

    /// How many items there are.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Marks an item as done, and notes if it was before, or if there is no such item. One atomic
    /// operation, unless something is wrong.
    #[inline]
    pub(super) fn mark(&self, id: u64) {
        let Some((word, bit)) = self.find(id) else {
            // Ordering: Relaxed, read by `marks` after the threads were joined.
            self.unknown.fetch_add(1, Ordering::Relaxed);
            return;
        };
        // Ordering: Relaxed. All changes of one word are totally ordered, so that of two markers of
        // an item exactly one finds the bit set; `marks` reads after the threads were joined.
        if word.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            // Ordering: Relaxed for both, read by `marks` after the threads were joined.
            self.doubled.fetch_add(1, Ordering::Relaxed);
            self.a_doubled.store(id, Ordering::Relaxed);
        }
    }

    /// Whether an item is marked. For after the threads that mark were joined.
    pub(super) fn is_marked(&self, id: u64) -> bool {
        // Ordering: Relaxed, the threads that marked were joined before.
        self.find(id).is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// What was marked. For after the threads that mark were joined.
    pub(super) fn marks(&self) -> Marks {
        // Ordering: Relaxed, the threads that wrote were joined before.
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Marks {
            marked: self.words.iter().map(|word| u64::from(load(word).count_ones())).sum(),
            doubled: load(&self.doubled),
            a_doubled: load(&self.a_doubled),
            unknown: load(&self.unknown),
        }
    }

    /// Where the mark of an item is, if there is such an item.
    #[inline]
    fn find(&self, id: u64) -> Option<(&AtomicU64, u64)> {
        // Of numbers that do not fit, `id < len` lets none pass.
        let word = self.words.get((id / 64) as usize).filter(|_| id < self.len)?;
        Some((word, 1 << (id % 64)))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_tally_is_that_of_a_set_whatever_the_order_and_the_split() {
        let mut parts = Tally::of((5..10).rev());
        parts += Tally::of([3, 0, 4, 1, 2]);
        assert_eq!(parts, Tally::of(0..10));
        for other in [&[0, 1, 2][..], &[0, 1, 2, 3, 3], &[0, 1, 2, 2], &[1, 1, 2, 2], &[0, 0, 3, 3]]
        {
            assert_ne!(Tally::of(other.iter().copied()), Tally::of(0..4), "{other:?}");
        }
    }

    #[test]
    fn bits_know_their_items_to_the_last() {
        for len in [0, 1, 63, 64, 65, 128] {
            let bits = Bits::new(len);
            assert_eq!(bits.len(), len);
            (0..len).for_each(|id| bits.mark(id));
            let all = Marks { marked: len, doubled: 0, a_doubled: 0, unknown: 0 };
            assert_eq!(bits.marks(), all);
            assert!((0..len).all(|id| bits.is_marked(id)) && !bits.is_marked(len));
            for stranger in [len, len.next_multiple_of(64), 1 << 38, u64::MAX] {
                bits.mark(stranger);
            }
            assert_eq!(bits.marks(), Marks { unknown: 4, ..all });
        }
    }

    #[test]
    fn of_two_threads_that_mark_an_item_one_doubles_it() {
        let bits = Bits::new(1000);
        thread::scope(|scope| {
            for items in [0..600, 400..1000] {
                scope.spawn(|| items.for_each(|id| bits.mark(id)));
            }
        });
        let Marks { marked, doubled, a_doubled, unknown } = bits.marks();
        assert_eq!((marked, doubled, unknown, bits.marks().too_many()), (1000, 200, 0, 200));
        assert!((400..600).contains(&a_doubled));
    }
}
