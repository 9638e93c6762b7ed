//! Which units of work were done: each exactly once, or the row is worth nothing.
//!
//! A unit takes microseconds at least, so that three atomic operations on it do not show.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::checksum::splitmix64;
use crate::queues::scenario::witness::{Bits, Tally};

/// The units of one pool, by number.
pub(super) struct Ledger {
    done: Bits,
    completed: AtomicU64,
    /// Of all units done, scrambled: with `completed` a [`Tally`], a second witness, which does not
    /// share the bits' arithmetic.
    mixed: AtomicU64,
}

impl Ledger {
    /// For units `0..units`, none of them done.
    pub(super) fn new(units: u64) -> Ledger {
        Ledger { done: Bits::new(units), completed: AtomicU64::new(0), mixed: AtomicU64::new(0) }
    }

    /// Unit `unit` has been done.
    pub(super) fn note(&self, unit: u64) {
        self.done.mark(unit);
        // Ordering: Relaxed here and below. The reader joins the threads first, but for
        // `completed`, of which a moment's value is wanted.
        self.mixed.fetch_add(splitmix64(unit), Ordering::Relaxed);
        self.completed.fetch_add(1, Ordering::Relaxed);
    }

    /// How many units have been done so far, counting repetitions.
    pub(super) fn completed(&self) -> u64 {
        // Ordering: Relaxed, as in `note`.
        self.completed.load(Ordering::Relaxed)
    }

    /// What is wrong with the set of units done, if anything. For after the last thread has ended.
    pub(super) fn fault(&self) -> Option<String> {
        let (units, marks) = (self.done.len(), self.done.marks());
        // Ordering: Relaxed, as in `note`.
        let mixed = self.mixed.load(Ordering::Relaxed);
        let tally = Tally { count: self.completed(), mixed };
        if marks.too_many() > 0 {
            Some(format!("{} units were done twice or never made", marks.too_many()))
        } else if marks.marked != units {
            Some(format!("{} of {units} units were not done", units - marks.marked))
        } else if tally != Tally::of(0..units) {
            Some("count and sum do not fit the units that were done".to_owned())
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(units: u64, noted: impl IntoIterator<Item = u64>) -> Ledger {
        let ledger = Ledger::new(units);
        noted.into_iter().for_each(|unit| ledger.note(unit));
        ledger
    }

    #[test]
    fn all_once_is_right_and_nothing_else() {
        for units in [0, 1, 63, 64, 65, 400] {
            assert_eq!(after(units, (0..units).rev()).fault(), None, "{units}");
        }
        let fault = |noted: &[u64]| after(70, noted.iter().copied()).fault().expect("a fault");
        assert_eq!(fault(&[]), "70 of 70 units were not done");
        let all: Vec<u64> = (0..70).collect();
        assert_eq!(fault(&all[..69]), "1 of 70 units were not done");
        for stranger in [3, 69, 70, 127, 128, u64::MAX] {
            let more = [&all[..], &[stranger]].concat();
            assert_eq!(fault(&more), "1 units were done twice or never made", "{stranger}");
        }
        let swapped = [&all[..69], &[3]].concat();
        assert_eq!(fault(&swapped), "1 units were done twice or never made");
    }
}
