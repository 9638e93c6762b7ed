//! How long operations took: of blocks that a clock can resolve, or one by one by a coarse clock.

use std::time::{Duration, Instant};

/// How operations are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    /// How many operations lie between two readings of the clock.
    pub(super) block: u64,
    /// What the clock resolves, in nanoseconds.
    tick: u128,
    /// What the names of its figures begin with.
    prefix: &'static str,
}

/// Enough operations at a time for the clock to be read rarely and a block to take many times what
/// the clock resolves. Percentiles are over blocks.
pub(super) const BLOCKS: Timing = Timing { block: 1000, tick: 1, prefix: "" };

/// Each operation on its own, by a clock that knows only whole microseconds: the document's way.
/// Its percentiles measure the rounding.
pub(super) const MICROSECONDS: Timing = Timing { block: 1, tick: 1000, prefix: "clock1us_" };

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
    /// When the last one was done, before the account is taken.
    pub(super) ended: Instant,
    /// Per block: nanoseconds per operation.
    laps: Vec<f64>,
    /// How many were done.
    pub(super) operations: u64,
    total_ns: f64,
}

impl Times {
    /// Room for `operations`, so that no measurement pays for it.
    pub(super) fn new(timing: Timing, operations: u64) -> Times {
        let laps = Vec::with_capacity(operations.div_ceil(timing.block) as usize);
        let zero = Instant::now();
        Times { timing, zero, ended: zero, laps, operations: 0, total_ns: 0.0 }
    }

    /// Times `operations` operations, in blocks; what is done `between` them is not timed.
    #[inline]
    pub(super) fn take<T>(
        &mut self,
        mut operations: u64,
        mut operation: impl FnMut(),
        between: impl Fn() -> T,
    ) {
        while operations > 0 {
            let block = self.timing.block.min(operations);
            let begun = self.zero.elapsed();
            (0..block).for_each(|_| operation());
            let ended = self.zero.elapsed();
            let took_ns = self.timing.between(begun, ended);
            self.ended = self.zero + ended;
            self.operations += block;
            self.total_ns += took_ns;
            self.laps.push(took_ns / block as f64);
            between();
            operations -= block;
        }
    }

    /// These times with another thread's.
    pub(super) fn and(mut self, other: Times) -> Times {
        self.ended = self.ended.max(other.ended);
        self.operations += other.operations;
        self.total_ns += other.total_ns;
        self.laps.extend(other.laps);
        self
    }

    /// Mean, median, 99th percentile and maximum, in nanoseconds per operation.
    pub(super) fn summary(mut self) -> [(String, f64); 4] {
        self.laps.sort_by(f64::total_cmp);
        let figures = [
            ("mean_ns", self.total_ns / self.operations.max(1) as f64),
            ("p50_ns", percentile(&self.laps, 50)),
            ("p99_ns", percentile(&self.laps, 99)),
            ("max_ns", percentile(&self.laps, 100)),
        ];
        figures.map(|(name, figure)| (format!("{}{name}", self.timing.prefix), figure))
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
        times.take(BLOCKS.block + 1, || (), || ());
        assert_eq!(times.laps.len(), 2);
        let mut other = Times::new(MICROSECONDS, 1);
        other.take(1, || std::thread::sleep(Duration::from_millis(2)), || ());
        let (times, ended) = (times.and(other), Instant::now());
        assert!(times.ended > times.zero && times.ended <= ended);
        assert_eq!(times.operations, BLOCKS.block + 2);
        let [(_, mean), _, _, (name, max)] = times.summary();
        assert!(max >= 2_000_000.0 && mean < max);
        assert_eq!((name.as_str(), max % 1000.0), ("max_ns", 0.0));
    }
}
