//! How long operations took: of blocks that a clock can resolve, or one by one by a coarse clock.

use std::time::{Duration, Instant};

/// How operations are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    /// How many operations lie between two readings of the clock.
    pub(super) block: u64,
    /// What the clock resolves, in nanoseconds.
    tick: u128,
}

/// So many at a time that the clock is read rarely and a block takes many times what the clock
/// resolves. Percentiles are those of blocks.
pub(super) const BLOCKS: Timing = Timing { block: 1000, tick: 1 };

/// Each operation on its own, by a clock that knows only whole microseconds: the document's way.
/// Its percentiles are those of the rounding.
pub(super) const MICROSECONDS: Timing = Timing { block: 1, tick: 1000 };

impl Timing {
    /// What this clock makes of the time between two moments, in nanoseconds.
    fn between(self, begun: Duration, ended: Duration) -> f64 {
        let ticks = |at: Duration| at.as_nanos() / self.tick;
        ((ticks(ended) - ticks(begun)) * self.tick) as f64
    }
}

/// The times of one thread's operations.
pub(super) struct Times {
    timing: Timing,
    zero: Instant,
    /// Per block: nanoseconds per operation.
    laps: Vec<f64>,
    operations: u64,
    total_ns: f64,
}

impl Times {
    /// Room for `operations`, so that no measurement pays for it.
    pub(super) fn new(timing: Timing, operations: u64) -> Times {
        let laps = Vec::with_capacity(operations.div_ceil(timing.block) as usize);
        Times { timing, zero: Instant::now(), laps, operations: 0, total_ns: 0.0 }
    }

    /// Times `block`, which returns how many operations it did.
    #[inline]
    pub(super) fn lap(&mut self, block: impl FnOnce() -> u64) {
        let begun = self.zero.elapsed();
        let done = block();
        let ended = self.zero.elapsed();
        if done > 0 {
            let took_ns = self.timing.between(begun, ended);
            self.operations += done;
            self.total_ns += took_ns;
            self.laps.push(took_ns / done as f64);
        }
    }

    /// Takes over what another thread measured.
    pub(super) fn absorb(&mut self, other: Times) {
        self.operations += other.operations;
        self.total_ns += other.total_ns;
        self.laps.extend(other.laps);
    }

    /// How many operations were done.
    pub(super) fn operations(&self) -> u64 {
        self.operations
    }

    /// Mean, median, 99th percentile and maximum, in nanoseconds per operation.
    pub(super) fn summary(mut self) -> [(&'static str, f64); 4] {
        self.laps.sort_by(f64::total_cmp);
        [
            ("mean_ns", self.total_ns / self.operations.max(1) as f64),
            ("p50_ns", percentile(&self.laps, 50)),
            ("p99_ns", percentile(&self.laps, 99)),
            ("max_ns", percentile(&self.laps, 100)),
        ]
    }
}

/// The smallest value that `percent` of the `sorted` ones do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let of = |percent| percentile(&hundred, percent);
        assert_eq!([of(50), of(99), of(100)], [50.0, 99.0, 100.0]);
        assert_eq!(percentile(&[7.0], 50), 7.0);
        assert_eq!(percentile(&[], 50), 0.0);
    }

    #[test]
    fn a_coarse_clock_knows_nothing_between_two_ticks() {
        let coarse = |begun, ended| {
            let at = Duration::from_nanos;
            MICROSECONDS.between(at(begun), at(ended))
        };
        // Seventeen nanoseconds are nothing, or a whole tick.
        assert_eq!(coarse(5_100, 5_117), 0.0);
        assert_eq!(coarse(5_990, 6_007), 1000.0);
        assert_eq!(coarse(5_001, 6_999), 1000.0);
    }

    #[test]
    fn laps_are_added_up() {
        let mut times = Times::new(BLOCKS, 2 * BLOCKS.block);
        times.lap(|| BLOCKS.block);
        times.lap(|| 0);
        let mut other = Times::new(MICROSECONDS, 1);
        other.lap(|| {
            std::thread::sleep(Duration::from_millis(2));
            1
        });
        times.absorb(other);
        assert_eq!(times.operations(), BLOCKS.block + 1);
        let [(_, mean), _, _, (_, max)] = times.summary();
        assert!(max >= 2_000_000.0 && mean < max);
        assert_eq!(max % 1000.0, 0.0);
    }
}
