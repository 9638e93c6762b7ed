//! Whether every node was visited exactly once.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::random::splitmix64;

/// What one worker has visited, in three numbers that cost next to nothing to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// How many.
    pub(crate) count: u64,
    /// The sum of their numbers.
    pub(crate) sum: u64,
    /// The sum of [`splitmix64`] of their numbers, modulo 2^64.
    pub(crate) mixed: u64,
}

impl Tally {
    /// What a complete visit of `0..len` gives.
    pub(crate) fn of_all(len: u64) -> Tally {
        let mut all = Tally::default();
        (0..len).for_each(|id| all.visit(id));
        all
    }

    /// Counts a node.
    pub(crate) fn visit(&mut self, id: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(id);
        self.mixed = self.mixed.wrapping_add(splitmix64(id));
    }

    /// What is wrong with having visited these instead of `all`.
    pub(crate) fn differs_from(self, all: Tally) -> Option<String> {
        if self.count != all.count {
            return Some(format!("visited {} of {} nodes", self.count, all.count));
        }
        (self != all).then(|| "visited as many nodes as there are, but not each once".to_string())
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.count += other.count;
        self.sum = self.sum.wrapping_add(other.sum);
        self.mixed = self.mixed.wrapping_add(other.mixed);
    }
}

/// A [`Tally`] that only one thread at a time adds to, where there is no `&mut` to be had.
#[derive(Default)]
pub(crate) struct AtomicTally {
    count: AtomicU64,
    sum: AtomicU64,
    mixed: AtomicU64,
}

impl AtomicTally {
    /// Adds what the thread it belongs to has visited.
    pub(crate) fn add(&self, tally: Tally) {
        let add = |to: &AtomicU64, n: u64| {
            // Ordering: Relaxed here and in `get`, nobody else writes, and the reader has joined
            // the writer.
            to.store(to.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
        };
        add(&self.count, tally.count);
        add(&self.sum, tally.sum);
        add(&self.mixed, tally.mixed);
    }

    /// All that was added.
    pub(crate) fn get(&self) -> Tally {
        // Ordering: Relaxed, as in `add`.
        let get = |from: &AtomicU64| from.load(Ordering::Relaxed);
        Tally { count: get(&self.count), sum: get(&self.sum), mixed: get(&self.mixed) }
    }
}

/// A bit for each node, and how often one was already set.
pub(crate) struct Bitset {
    words: Vec<AtomicU64>,
    len: u64,
    doubled: AtomicU64,
}

impl Bitset {
    /// For nodes `0..len`, none visited.
    pub(crate) fn new(len: u64) -> Bitset {
        let words = (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Bitset { words, len, doubled: AtomicU64::new(0) }
    }

    /// Sets the bit of a node. A number beyond the end counts as doubled: it is one too many.
    pub(crate) fn visit(&self, id: u64) {
        let bit = 1 << (id % 64);
        let word = self.words.get((id / 64) as usize).filter(|_| id < self.len);
        // Ordering: Relaxed here and below, the bits publish nothing and are read after the join.
        if word.is_none_or(|word| word.fetch_or(bit, Ordering::Relaxed) & bit != 0) {
            self.doubled.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many nodes were visited, and how many visits were too many.
    pub(crate) fn count(&self) -> (u64, u64) {
        // Ordering: Relaxed, as in `visit`.
        let bits = self.words.iter().map(|word| word.load(Ordering::Relaxed).count_ones());
        (bits.map(u64::from).sum(), self.doubled.load(Ordering::Relaxed))
    }

    /// What is wrong, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        let (visited, doubled) = self.count();
        let missing = self.len - visited;
        (missing + doubled > 0)
            .then(|| format!("{missing} of {} nodes missing, {doubled} visits too many", self.len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_tells_sets_apart() {
        let tally = |ids: &[u64]| {
            let mut tally = Tally::default();
            ids.iter().for_each(|&id| tally.visit(id));
            tally
        };
        let all = Tally::of_all(5);
        assert_eq!(tally(&[4, 2, 0, 1, 3]).differs_from(all), None);
        assert!(tally(&[0, 1, 2, 3]).differs_from(all).unwrap().contains("4 of 5"));
        assert!(tally(&[0, 1, 2, 3, 3]).differs_from(all).is_some());
        assert!(tally(&[0, 1, 1, 4, 4]).differs_from(all).is_some(), "the same sum");
        let mut parts = tally(&[3, 0]);
        parts += tally(&[4, 1, 2]);
        assert_eq!(parts, all);
    }

    #[test]
    fn a_bitset_tells_what_is_missing_and_what_is_too_much() {
        let bits = Bitset::new(70);
        (0..70).for_each(|id| bits.visit(id));
        assert_eq!((bits.count(), bits.fault()), ((70, 0), None));
        bits.visit(69);
        bits.visit(70);
        bits.visit(1000);
        assert_eq!(bits.fault().unwrap(), "0 of 70 nodes missing, 3 visits too many");
        assert_eq!(Bitset::new(3).fault().unwrap(), "3 of 3 nodes missing, 0 visits too many");
    }
}
