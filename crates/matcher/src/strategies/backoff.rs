//! When a strategy that is fast where it seldom stops gives way to the next.

use super::budget::{Budget, Doubling};

/// Watches how far apart a strategy's stops are. Where they are too near to each other, it hands a
/// stretch of text to the next strategy.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    /// Mean distance of two stops, in bytes, from which on the strategy is worth it. Zero: always.
    least_spacing: usize,
    stops: Budget<{ Backoff::STOPS_PER_DECISION }>,
    /// Bytes that the next strategy gets each time that the stops are too near.
    penalties: Doubling<{ Backoff::PENALTY_BYTES }, { Backoff::MAX_PENALTY_BYTES }>,
    /// Bytes that the next strategy has still to search.
    penalty: usize,
}

impl Backoff {
    /// Stops between two decisions: so many that a mean is of a text and not of a few lines, and so
    /// few that a strategy gives way within a file.
    const STOPS_PER_DECISION: usize = 256;
    /// Bytes that the next strategy gets at first. Counted in calls, a file without a match would
    /// count as little as a line.
    const PENALTY_BYTES: usize = 256 << 10;
    /// How many bytes the next strategy gets at most. A tree of files has texts of many kinds.
    const MAX_PENALTY_BYTES: usize = 8 << 20;

    pub(crate) fn new(least_spacing: usize) -> Backoff {
        let (stops, penalties) = (Budget::default(), Doubling::default());
        Backoff { least_spacing, stops, penalties, penalty: 0 }
    }

    /// Records a stop, `skipped` bytes after the strategy began.
    #[inline]
    pub(crate) fn stopped_after(&mut self, skipped: usize) {
        let Some(spacing) = self.stops.tried(skipped) else { return };
        if spacing < self.least_spacing {
            self.penalty = self.penalties.next();
        } else {
            self.penalties = Doubling::default();
        }
    }

    /// Records `bytes` without a stop.
    pub(crate) fn passed(&mut self, bytes: usize) {
        self.stops.won(bytes);
    }

    /// Whether it is the next strategy's turn.
    #[inline]
    pub(crate) fn gives_way(&self) -> bool {
        self.penalty > 0
    }

    /// Records that the next strategy has searched `bytes` bytes.
    pub(crate) fn searched(&mut self, bytes: usize) {
        self.penalty = self.penalty.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::Backoff;

    #[test]
    fn it_takes_over_for_longer_each_time() {
        let mut backoff = Backoff::new(100);
        let mut penalty = |spacing| {
            (0..Backoff::STOPS_PER_DECISION).for_each(|_| backoff.stopped_after(spacing));
            let mut bytes = 0;
            while backoff.gives_way() {
                backoff.searched(1 << 10);
                bytes += 1 << 10;
            }
            bytes
        };
        let first = Backoff::PENALTY_BYTES;
        assert_eq!([10; 3].map(&mut penalty), [first, 2 * first, 4 * first]);
        assert_eq!([10; 9].map(&mut penalty)[8], Backoff::MAX_PENALTY_BYTES);
        assert_eq!([100, 10].map(&mut penalty), [0, first], "a text of another kind");
    }

    #[test]
    fn the_next_strategy_takes_over_for_a_while() {
        let mut backoff = Backoff::new(100);
        (0..Backoff::STOPS_PER_DECISION).for_each(|_| backoff.stopped_after(100));
        assert!(!backoff.gives_way(), "the stops are far enough apart");
        (0..Backoff::STOPS_PER_DECISION).for_each(|_| backoff.stopped_after(99));
        assert!(backoff.gives_way());
        backoff.searched(Backoff::PENALTY_BYTES - 1);
        assert!(backoff.gives_way());
        backoff.searched(1);
        assert!(!backoff.gives_way(), "one search of a large file counts as many of small ones");
    }
}
