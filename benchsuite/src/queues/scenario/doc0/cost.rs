//! Work that takes a known time, for items that are not free.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Duration;

use crate::checksum::splitmix64;
use crate::queues::scenario::calibrate::Pace;

/// What doing an item costs.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    rounds: u64,
}

impl Cost {
    /// About `ns` nanoseconds of one core, or nothing at all for 0.
    pub(super) fn of_ns(ns: u64) -> Cost {
        static PACE: OnceLock<Pace> = OnceLock::new();
        if ns == 0 {
            return Cost { rounds: 0 };
        }
        let pace = PACE.get_or_init(|| Pace::of(|rounds| spin(rounds, 1)));
        Cost { rounds: pace.steps_in(Duration::from_nanos(ns)).max(1) }
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
