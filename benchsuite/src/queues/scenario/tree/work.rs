//! Work that costs a known CPU time, however often its thread is interrupted.

use std::hint::black_box;
use std::time::Instant;

/// Rounds of arithmetic that take a given time on this machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    rounds: u64,
}

impl Work {
    /// Work of `ns` nanoseconds, calibrated on the spot. It counts rounds instead of reading a
    /// clock, since a clock goes on while the thread does not run.
    pub(crate) fn of(ns: u64) -> Work {
        const ROUNDS: u64 = 50_000;
        if ns == 0 {
            return Work { rounds: 0 };
        }
        let once = |_| {
            let begun = Instant::now();
            spend(ROUNDS);
            begun.elapsed().as_nanos().max(1)
        };
        // The shortest of many tries is the one that was not interrupted.
        let least = (0..30).map(once).min().unwrap_or(1);
        Work { rounds: (u128::from(ns) * u128::from(ROUNDS) / least) as u64 }
    }

    /// Does it once.
    pub(crate) fn spend(self) {
        spend(self.rounds);
    }
}

fn spend(rounds: u64) {
    let mut x = rounds | 1;
    for _ in 0..rounds {
        x = black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17));
    }
}
