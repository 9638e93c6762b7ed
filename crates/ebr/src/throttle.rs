//! How often a handle of the adaptive stage attempts to advance: often while that frees something,
//! rarely while a pin blocks it.
//!
//! Only retirements drive this, so a handle without garbage makes no attempts.

/// The fewest retirements between two attempts.
const MIN_RETIREMENTS: u32 = 32;

/// The most retirements between two attempts.
const MAX_RETIREMENTS: u32 = 4096;

/// The threshold of a new handle: one attempt per bag.
const FIRST_RETIREMENTS: u32 = 64;

/// The most closed bags between two attempts under pressure while the epoch stands still. 16 bags
/// of large objects are 4 MiB.
const MAX_BAGS_UNDER_PRESSURE: u32 = 16;

/// Whether an attempt is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Now,
    Later,
}

/// What an attempt to free garbage has achieved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptOutcome {
    /// Some garbage was freed.
    Freed,
    /// The epoch advanced, but nothing is ripe yet.
    Moved,
    /// A participant is pinned in an earlier epoch.
    Blocked,
}

/// The rhythm of one handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttle {
    threshold: u32,
    since: u32,
    patience: u32,
    waited: u32,
    /// The epoch after the last attempt.
    seen: u64,
}

impl Throttle {
    pub(crate) fn new() -> Throttle {
        Throttle { threshold: FIRST_RETIREMENTS, since: 0, patience: 1, waited: 0, seen: 0 }
    }

    /// Counts a retired object.
    #[inline]
    pub(crate) fn retired(&mut self) -> Due {
        self.since += 1;
        if self.since >= self.threshold { Due::Now } else { Due::Later }
    }

    /// Counts a bag closed under pressure. An attempt is due at once if the epoch has advanced
    /// since the last one, because whatever blocked that is gone; otherwise after some bags.
    pub(crate) fn pressed(&mut self, epoch: u64) -> Due {
        self.waited += 1;
        if epoch != self.seen || self.waited >= self.patience { Due::Now } else { Due::Later }
    }

    /// Adapts to an attempt that left the epoch at `epoch`.
    pub(crate) fn tried(&mut self, outcome: AttemptOutcome, epoch: u64) {
        (self.since, self.waited, self.seen) = (0, 0, epoch);
        match outcome {
            AttemptOutcome::Freed => {
                self.threshold = (self.threshold / 2).max(MIN_RETIREMENTS);
                self.patience = 1;
            }
            AttemptOutcome::Moved => self.patience = 1,
            AttemptOutcome::Blocked => {
                self.threshold = (self.threshold * 2).min(MAX_RETIREMENTS);
                self.patience = (self.patience * 2).min(MAX_BAGS_UNDER_PRESSURE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retirements_until_due(throttle: &mut Throttle) -> u32 {
        (1..).find(|_| throttle.retired() == Due::Now).expect("the threshold is bounded")
    }

    #[test]
    fn the_threshold_stays_within_its_bounds() {
        let mut throttle = Throttle::new();
        for _ in 0..20 {
            throttle.tried(AttemptOutcome::Blocked, 0);
        }
        assert_eq!(retirements_until_due(&mut throttle), MAX_RETIREMENTS);
        for _ in 0..20 {
            throttle.tried(AttemptOutcome::Freed, 0);
        }
        assert_eq!(retirements_until_due(&mut throttle), MIN_RETIREMENTS);
        throttle.tried(AttemptOutcome::Moved, 1);
        assert_eq!(retirements_until_due(&mut throttle), MIN_RETIREMENTS);
    }

    #[test]
    fn pressure_waits_for_the_epoch_or_for_its_patience() {
        let mut throttle = Throttle::new();
        throttle.tried(AttemptOutcome::Blocked, 5);
        throttle.tried(AttemptOutcome::Blocked, 5);
        let answers: Vec<Due> = (0..4).map(|_| throttle.pressed(5)).collect();
        assert_eq!(answers, [Due::Later, Due::Later, Due::Later, Due::Now]);
        throttle.tried(AttemptOutcome::Blocked, 5);
        assert_eq!(throttle.pressed(5), Due::Later);
        assert_eq!(throttle.pressed(6), Due::Now, "the epoch has advanced");
    }
}
