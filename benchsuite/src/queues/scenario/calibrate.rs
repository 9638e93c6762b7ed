//! Work that takes a known time: how many steps of a loop that is on this machine.
//!
//! The loop has a fixed number of steps and does not look at the clock. A worker that was preempted
//! must do the rest of its item afterwards, as with real work, and reading the clock would be a
//! fifth of an item that takes 200 ns.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::checksum::splitmix64;

/// Steps per try: tens of microseconds, which any clock resolves and which often fit a time slice.
const TRY_STEPS: u64 = 20_000;

const MAX_TRIES: usize = 50;

/// How fast a loop is on this machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The time of [`TRY_STEPS`] steps.
    took: Duration,
}

impl Pace {
    /// The pace of `steps`, which runs a loop with a given number of steps. The fastest try counts,
    /// since other processes can only slow one down.
    pub(super) fn of(steps: impl Fn(u64)) -> Pace {
        let time = |_| {
            let begun = Instant::now();
            steps(black_box(TRY_STEPS));
            begun.elapsed()
        };
        Pace { took: (0..MAX_TRIES).map(time).min().unwrap_or_default() }
    }

    /// The number of steps that take about `time`.
    pub(super) fn steps_in(self, time: Duration) -> u64 {
        // A clock that stands still must not make work endless.
        let took = self.took.as_nanos().max(u128::from(TRY_STEPS) / 100);
        ((time.as_nanos() * u128::from(TRY_STEPS) + took / 2) / took) as u64
    }
}

/// The cost of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    rounds: u64,
}

impl Cost {
    /// About `ns` nanoseconds of one core, or nothing at all for 0.
    pub(super) fn of_ns(ns: u64) -> Cost {
        static PACE: LazyLock<Pace> = LazyLock::new(|| Pace::of(|rounds| spin(rounds, 1)));
        let rounds = if ns == 0 { 0 } else { PACE.steps_in(Duration::from_nanos(ns)).max(1) };
        Cost { rounds }
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
    use std::cell::Cell;
    use std::thread;

    use super::*;

    #[test]
    fn steps_grow_with_the_time() {
        let steps = |took, ns| Pace { took }.steps_in(Duration::from_nanos(ns));
        let usual = Duration::from_micros(30);
        let some = [0, 1, 2, 30, 2_000_000].map(|ns| steps(usual, ns));
        assert_eq!(some, [0, 1, 1, 20, 1_333_333]);
        assert_eq!(steps(Duration::ZERO, 7), 700);
        assert_eq!(Cost::of_ns(0).rounds, 0);
        let [some, many] = [200_000, 5_000_000].map(|ns| Cost::of_ns(ns).rounds);
        assert!((20 * some..=30 * some).contains(&many), "{some} and {many} rounds");
    }

    #[test]
    fn the_fastest_try_counts() {
        let tries = Cell::new(0);
        let pace = Pace::of(|steps| {
            assert_eq!(steps, TRY_STEPS);
            tries.set(tries.get() + 1);
            if tries.get() != 20 {
                thread::sleep(Duration::from_millis(1));
            }
        });
        assert_eq!(tries.get(), MAX_TRIES);
        assert!(pace.took < Duration::from_millis(1), "{pace:?}");
    }
}
