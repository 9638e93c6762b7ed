//! Work that takes a known time: how many steps of a loop that is on this machine.
//!
//! Such a loop has a fixed length rather than an eye on the clock. A worker that was interrupted
//! must do the rest of its item afterwards, as with real work, and reading the clock would be a
//! fifth of an item of 200 ns.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How many steps a try takes: tens of microseconds, which any clock resolves and many a time slice
/// leaves alone.
const STEPS: u64 = 20_000;

/// How many tries there are.
const TRIES: usize = 50;

/// How fast a loop is on this machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// What [`STEPS`] of it take.
    took: Duration,
}

impl Pace {
    /// The pace of `steps`, which does as many steps as it is told. It is that of the fastest of
    /// some tries: whatever else ran in between can only have made one slower.
    pub(super) fn of(steps: impl Fn(u64)) -> Pace {
        let time = |_| {
            let begun = Instant::now();
            steps(black_box(STEPS));
            begun.elapsed()
        };
        Pace { took: (0..TRIES).map(time).min().unwrap_or_default() }
    }

    /// How many steps take about `time`: the nearest number.
    pub(super) fn steps_in(self, time: Duration) -> u64 {
        // A clock that stands still must not make work endless.
        let took = self.took.as_nanos().max(u128::from(STEPS) / 100);
        ((time.as_nanos() * u128::from(STEPS) + took / 2) / took) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use super::*;

    #[test]
    fn steps_grow_with_the_time() {
        let pace = Pace { took: Duration::from_micros(30) };
        let steps = [0, 1, 2, 30, 2_000_000].map(|ns| pace.steps_in(Duration::from_nanos(ns)));
        assert_eq!(steps, [0, 1, 1, 20, 1_333_333]);
        let stopped = Pace { took: Duration::ZERO };
        assert_eq!(stopped.steps_in(Duration::from_nanos(7)), 700);
    }

    #[test]
    fn the_fastest_try_counts() {
        let tries = Cell::new(0);
        let pace = Pace::of(|steps| {
            assert_eq!(steps, STEPS);
            tries.set(tries.get() + 1);
            if tries.get() != 20 {
                thread::sleep(Duration::from_millis(1));
            }
        });
        assert_eq!(tries.get(), TRIES);
        assert!(pace.took < Duration::from_millis(1), "{pace:?}");
    }
}
