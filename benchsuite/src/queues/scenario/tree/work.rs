//! Work that costs a known CPU time, however often its thread is interrupted.

use std::hint::black_box;
use std::time::Duration;

use crate::queues::scenario::calibrate::Pace;

/// Rounds of arithmetic that take a given time on this machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    rounds: u64,
}

impl Work {
    /// Work of `ns` nanoseconds, calibrated on the spot.
    pub(super) fn of(ns: u64) -> Work {
        let rounds = if ns == 0 { 0 } else { Pace::of(spend).steps_in(Duration::from_nanos(ns)) };
        Work { rounds }
    }

    /// Does it once.
    pub(super) fn spend(self) {
        spend(self.rounds);
    }
}

fn spend(rounds: u64) {
    let mut x = rounds | 1;
    for _ in 0..rounds {
        x = black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17));
    }
}
