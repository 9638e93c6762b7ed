//! How long operations took: of blocks that a clock can resolve, or one by one by a coarse clock.

use std::time::{Duration, Instant};

/// How operations are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    /// [`BLOCK`] at a time, so that the clock is read rarely and a block takes many times what the
    /// clock resolves. Percentiles are those of blocks.
    Blocks,
    /// Each operation on its own, by a clock that knows only whole microseconds: the document's
    /// way. Its percentiles are those of the rounding.
    MicrosecondClock,
}

/// How many operations are timed together.
pub(super) const BLOCK: u64 = 1000;

impl Timing {
    /// How many operations lie between two readings of the clock.
    pub(super) fn block(self) -> u64 {
        match self {
            Timing::Blocks => BLOCK,
            Timing::MicrosecondClock => 1,
        }
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
        let laps = Vec::with_capacity(operations.div_ceil(timing.block()) as usize);
        Times { timing, zero: Instant::now(), laps, operations: 0, total_ns: 0.0 }
    }

    /// Times `block`, which returns how many operations it did.
    #[inline]
    pub(super) fn lap(&mut self, block: impl FnOnce() -> u64) {
        let begun = self.zero.elapsed();
        let done = block();
        let ended = self.zero.elapsed();
        if done > 0 {
            let took_ns = match self.timing {
                Timing::Blocks => (ended - begun).as_nanos() as f64,
                Timing::MicrosecondClock => coarse(begun, ended),
            };
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
    pub(super) fn summary(mut self) -> Summary {
        self.laps.sort_by(f64::total_cmp);
        Summary {
            mean: self.total_ns / self.operations.max(1) as f64,
            p50: percentile(&self.laps, 50),
            p99: percentile(&self.laps, 99),
            max: percentile(&self.laps, 100),
        }
    }
}

/// Nanoseconds per operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

/// What a clock with a resolution of a microsecond makes of it, in nanoseconds.
fn coarse(begun: Duration, ended: Duration) -> f64 {
    (ended.as_micros() - begun.as_micros()) as f64 * 1000.0
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
        let at = Duration::from_nanos;
        // Seventeen nanoseconds are nothing, or a whole tick.
        assert_eq!(coarse(at(5_100), at(5_117)), 0.0);
        assert_eq!(coarse(at(5_990), at(6_007)), 1000.0);
        assert_eq!(coarse(at(5_001), at(6_999)), 1000.0);
    }

    #[test]
    fn laps_are_added_up() {
        let mut times = Times::new(Timing::Blocks, 2 * BLOCK);
        times.lap(|| BLOCK);
        times.lap(|| 0);
        let mut other = Times::new(Timing::MicrosecondClock, 1);
        other.lap(|| {
            std::thread::sleep(Duration::from_millis(2));
            1
        });
        times.absorb(other);
        assert_eq!(times.operations(), BLOCK + 1);
        let summary = times.summary();
        assert!(summary.max >= 2_000_000.0 && summary.mean < summary.max);
        assert_eq!(summary.max % 1000.0, 0.0);
    }
}
