//! Which units of work were done: each exactly once, or the row is worth nothing.
//!
//! A unit takes milliseconds, so that two atomic operations on it do not show.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::random::splitmix64;

/// The units of one pool, by number.
pub(super) struct Ledger {
    units: u64,
    /// A bit per unit.
    done: Vec<AtomicU64>,
    completed: AtomicU64,
    /// Units done a second time, or that nobody had made.
    wrong: AtomicU64,
    /// Of all units done, scrambled: a second witness, which does not share the bits' arithmetic.
    sum: AtomicU64,
}

impl Ledger {
    /// For units `0..units`, none of them done.
    pub(super) fn new(units: u64) -> Ledger {
        Ledger {
            units,
            done: (0..units.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            completed: AtomicU64::new(0),
            wrong: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    /// Unit `unit` has been done.
    pub(super) fn note(&self, unit: u64) {
        let bit = 1 << (unit % 64);
        let word = self.done.get((unit / 64) as usize);
        // Ordering: Relaxed here and below. The reader joins the threads first, but for
        // `completed`, of which a moment's value is wanted.
        let before = word.map(|word| word.fetch_or(bit, Ordering::Relaxed));
        if unit >= self.units || before.is_none_or(|before| before & bit != 0) {
            self.wrong.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(splitmix64(unit), Ordering::Relaxed);
        self.completed.fetch_add(1, Ordering::Relaxed);
    }

    /// How many units have been done so far, counting repetitions.
    pub(super) fn completed(&self) -> u64 {
        // Ordering: Relaxed, as in `note`.
        self.completed.load(Ordering::Relaxed)
    }

    /// What is wrong with the set of units done, if anything. For after the last thread has ended.
    pub(super) fn fault(&self) -> Option<String> {
        // Ordering: Relaxed, as in `note`.
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let marked: u64 = self.done.iter().map(|word| u64::from(load(word).count_ones())).sum();
        let wrong = load(&self.wrong);
        let sum = (0..self.units).map(splitmix64).fold(0, u64::wrapping_add);
        if wrong > 0 {
            Some(format!("{wrong} units were done twice or never made"))
        } else if marked != self.units {
            Some(format!("{} of {} units were not done", self.units - marked, self.units))
        } else if self.completed() != self.units || load(&self.sum) != sum {
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
