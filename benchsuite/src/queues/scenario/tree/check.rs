//! Whether every node was visited exactly once.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::queues::scenario::witness::{Bits, Tally};

/// What is wrong with having visited these of `len` nodes, if anything.
pub(super) fn fault_of_tally(visited: Tally, len: u64) -> Option<String> {
    if visited.count != len {
        return Some(format!("visited {} of {len} nodes", visited.count));
    }
    (visited != Tally::of(0..len))
        .then(|| "visited as many nodes as there are, but not each once".to_string())
}

/// What is wrong with having marked these nodes, if anything.
pub(super) fn fault_of_bits(visited: &Bits) -> Option<String> {
    let (len, marks) = (visited.len(), visited.marks());
    let (missing, doubled) = (len - marks.marked, marks.too_many());
    (missing + doubled > 0)
        .then(|| format!("{missing} of {len} nodes missing, {doubled} visits too many"))
}

/// A [`Tally`] that only one thread at a time adds to, where there is no `&mut` to be had.
#[derive(Default)]
pub(super) struct AtomicTally {
    count: AtomicU64,
    mixed: AtomicU64,
}

impl AtomicTally {
    /// Adds what the thread it belongs to has visited.
    pub(super) fn add(&self, tally: Tally) {
        let add = |to: &AtomicU64, n: u64| {
            // Ordering: Relaxed here and in `get`, nobody else writes, and the reader has joined
            // the writer.
            to.store(to.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
        };
        add(&self.count, tally.count);
        add(&self.mixed, tally.mixed);
    }

    /// All that was added.
    pub(super) fn get(&self) -> Tally {
        // Ordering: Relaxed, as in `add`.
        let get = |from: &AtomicU64| from.load(Ordering::Relaxed);
        Tally { count: get(&self.count), mixed: get(&self.mixed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_tells_sets_apart() {
        let tally = |ids: &[u64]| Tally::of(ids.iter().copied());
        let fault = |ids: &[u64]| fault_of_tally(tally(ids), 5);
        assert_eq!(fault(&[4, 2, 0, 1, 3]), None);
        assert!(fault(&[0, 1, 2, 3]).unwrap().contains("4 of 5"));
        assert!(fault(&[0, 1, 2, 3, 3]).is_some());
        assert!(fault(&[0, 1, 1, 4, 4]).is_some(), "the same sum");
        let parts = AtomicTally::default();
        parts.add(tally(&[3, 0]));
        parts.add(tally(&[4, 1, 2]));
        assert_eq!(parts.get(), Tally::of(0..5));
    }

    #[test]
    fn a_bitset_tells_what_is_missing_and_what_is_too_much() {
        let bits = Bits::new(70);
        (0..70).for_each(|id| bits.mark(id));
        assert_eq!((bits.marks().marked, bits.marks().too_many()), (70, 0));
        assert_eq!(fault_of_bits(&bits), None);
        bits.mark(69);
        bits.mark(70);
        bits.mark(1000);
        let fault = fault_of_bits(&bits).unwrap();
        assert_eq!(fault, "0 of 70 nodes missing, 3 visits too many");
        let fault = fault_of_bits(&Bits::new(3)).unwrap();
        assert_eq!(fault, "3 of 3 nodes missing, 0 visits too many");
    }
}
