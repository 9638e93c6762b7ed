//! The work of a unit, in both stages, and how much of it takes a given time here.

use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::queues::scenario::calibrate::Pace;

/// Keeps a core busy for `additions` of the document's kind: atomic, relaxed, on a counter of
/// its own.
#[inline(never)]
pub(super) fn burn(additions: u64) {
    let counter = AtomicU64::new(0);
    let counter = black_box(&counter);
    for _ in 0..additions {
        // Ordering: Relaxed, no other thread sees the counter.
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many additions take about `time` on this machine, to two significant digits, so that one
/// run's number is mostly the next one's as well.
pub(super) fn additions_in(time: Duration) -> u64 {
    static PACE: OnceLock<Pace> = OnceLock::new();
    round(PACE.get_or_init(|| Pace::of(burn)).steps_in(time))
}

fn round(number: u64) -> u64 {
    let step = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    (number + step / 2) / step * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_two_digits() {
        let rounded = [0, 7, 99, 104, 105, 449_999, 450_001, 995_000].map(round);
        assert_eq!(rounded, [0, 7, 99, 100, 110, 450_000, 450_000, 1_000_000]);
        let additions = additions_in(Duration::from_millis(2));
        assert!(additions > 0);
        assert_eq!(additions, additions_in(Duration::from_millis(2)), "measured once");
    }
}
