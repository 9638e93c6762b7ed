//! How often a handle of the adaptive stage tries to advance: often while that frees something,
//! seldom while somebody stands in the way.
//!
//! All of it is driven by retirements. A handle without garbage is never asked.

/// Retirements between two tries, at least and at most.
const LEAST: u32 = 32;
const MOST: u32 = 4096;

/// What a new handle begins with: one try per bag.
const FIRST: u32 = 64;

/// Closed bags that may go by between two tries under pressure, while the epoch stands still. 16
/// bags of large objects are 4 MiB.
const MOST_PATIENCE: u32 = 16;

/// Whether now is the time for a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Now,
    Later,
}

/// What a try came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Some garbage was freed.
    Freed,
    /// The epoch moved, but nothing is old enough yet.
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
    /// The epoch after the last try.
    seen: u64,
}

impl Throttle {
    pub(crate) fn new() -> Throttle {
        Throttle { threshold: FIRST, since: 0, patience: 1, waited: 0, seen: 0 }
    }

    /// An object was retired.
    #[inline]
    pub(crate) fn retired(&mut self) -> Due {
        self.since += 1;
        if self.since >= self.threshold { Due::Now } else { Due::Later }
    }

    /// A bag was closed while too much waits. At once if the epoch has moved since the last try,
    /// for then that try's obstacle is gone; otherwise after some bags.
    pub(crate) fn pressed(&mut self, epoch: u64) -> Due {
        self.waited += 1;
        if epoch != self.seen || self.waited >= self.patience { Due::Now } else { Due::Later }
    }

    /// A try was made and left the epoch at `epoch`.
    pub(crate) fn tried(&mut self, outcome: Outcome, epoch: u64) {
        (self.since, self.waited, self.seen) = (0, 0, epoch);
        match outcome {
            Outcome::Freed => {
                self.threshold = (self.threshold / 2).max(LEAST);
                self.patience = 1;
            }
            Outcome::Moved => self.patience = 1,
            Outcome::Blocked => {
                self.threshold = (self.threshold * 2).min(MOST);
                self.patience = (self.patience * 2).min(MOST_PATIENCE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retirements_until_due(throttle: &mut Throttle) -> u32 {
        (1..).find(|_| throttle.retired() == Due::Now).expect("there is a most")
    }

    #[test]
    fn the_threshold_stays_within_its_bounds() {
        let mut throttle = Throttle::new();
        for _ in 0..20 {
            throttle.tried(Outcome::Blocked, 0);
        }
        assert_eq!(retirements_until_due(&mut throttle), MOST);
        for _ in 0..20 {
            throttle.tried(Outcome::Freed, 0);
        }
        assert_eq!(retirements_until_due(&mut throttle), LEAST);
        throttle.tried(Outcome::Moved, 1);
        assert_eq!(retirements_until_due(&mut throttle), LEAST);
    }

    #[test]
    fn pressure_waits_for_the_epoch_or_for_its_patience() {
        let mut throttle = Throttle::new();
        throttle.tried(Outcome::Blocked, 5);
        throttle.tried(Outcome::Blocked, 5);
        let answers: Vec<Due> = (0..4).map(|_| throttle.pressed(5)).collect();
        assert_eq!(answers, [Due::Later, Due::Later, Due::Later, Due::Now]);
        throttle.tried(Outcome::Blocked, 5);
        assert_eq!(throttle.pressed(5), Due::Later);
        assert_eq!(throttle.pressed(6), Due::Now, "the epoch has moved");
    }
}
