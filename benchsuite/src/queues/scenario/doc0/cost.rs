//! Work that takes a known time, for items that are not free.
//!
//! A loop of a fixed length, calibrated once per process, rather than one that watches the clock: a
//! worker that was interrupted must do the rest of its item afterwards, as with real work, and
//! reading the clock would be a fifth of a 200 ns item.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use crate::random::splitmix64;

/// What doing an item costs.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    rounds: u64,
}

impl Cost {
    /// About `ns` nanoseconds of one core, or nothing at all for 0.
    pub(super) fn of_ns(ns: u64) -> Cost {
        // Calibrates only where it matters. The product is far below 2^53.
        let rounds = if ns == 0 { 0 } else { (ns as f64 / ns_per_round()).round() as u64 };
        Cost { rounds: if ns == 0 { 0 } else { rounds.max(1) } }
    }

    /// Does the work of the item `id`.
    #[inline]
    pub(super) fn pay(self, id: u64) {
        if self.rounds > 0 {
            spin(self.rounds, id);
        }
    }
}

/// A chain in which each step needs the one before.
fn spin(rounds: u64, seed: u64) {
    black_box((0..rounds).fold(seed, |n, _| splitmix64(n)));
}

/// The fastest of some tries: whatever else ran in between can only have made one slower.
fn ns_per_round() -> f64 {
    const ROUNDS: u64 = 20_000;
    const TRIES: usize = 15;
    static FOUND: OnceLock<f64> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let time = |_| {
            let begun = Instant::now();
            spin(black_box(ROUNDS), 1);
            begun.elapsed().as_nanos() as f64 / ROUNDS as f64
        };
        // A clock that stands still must not make an item endless.
        (0..TRIES).map(time).fold(f64::INFINITY, f64::min).max(0.01)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_grow_with_what_they_should_be() {
        assert_eq!(Cost::of_ns(0).rounds, 0);
        let (some, many) = (Cost::of_ns(200).rounds, Cost::of_ns(5000).rounds);
        assert!(some >= 1);
        assert!((20 * some..=30 * some).contains(&many) || some < 5, "{some} and {many} rounds");
    }
}
