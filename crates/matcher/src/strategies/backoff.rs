//! When a way of skimming that is fast where it seldom stops gives way to the regex engine.

/// Watches how far apart the places are at which a way of skimming stops. Where they are too near, it gives way to the
/// regex engine for a while.
#[derive(Debug)]
pub(crate) struct Backoff {
    /// Bytes between two stops that make the way worth it.
    worth: usize,
    stops: u32,
    skipped: usize,
    /// Bytes that are still left to the engine.
    slow: usize,
}

impl Backoff {
    /// Stops after which the backoff is judged.
    const WINDOW: u32 = 256;
    /// Bytes for which the engine takes over. Counted in calls, files without a match would be as long as those with many.
    const PENALTY: usize = 256 << 10;

    pub(crate) fn new(worth: usize) -> Backoff {
        Backoff { worth, stops: 0, skipped: 0, slow: 0 }
    }

    /// It stopped, `skipped` bytes after where it began.
    pub(crate) fn stopped_after(&mut self, skipped: usize) {
        self.stops += 1;
        self.skipped += skipped;
        if self.stops == Backoff::WINDOW {
            if self.skipped < self.worth * Backoff::WINDOW as usize {
                self.slow = Backoff::PENALTY;
            }
            (self.stops, self.skipped) = (0, 0);
        }
    }

    /// Whether the engine is to do it this time.
    pub(crate) fn is_slow(&self) -> bool {
        self.slow > 0
    }

    /// The engine has searched so many bytes.
    pub(crate) fn searched(&mut self, bytes: usize) {
        self.slow = self.slow.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::Backoff;

    #[test]
    fn the_engine_takes_over_for_a_while() {
        let mut backoff = Backoff::new(100);
        (0..Backoff::WINDOW).for_each(|_| backoff.stopped_after(100));
        assert!(!backoff.is_slow(), "the stops are far enough apart");
        (0..Backoff::WINDOW).for_each(|_| backoff.stopped_after(99));
        assert!(backoff.is_slow());
        backoff.searched(Backoff::PENALTY - 1);
        assert!(backoff.is_slow());
        backoff.searched(1);
        assert!(!backoff.is_slow(), "one search of a large file is as good as many of small ones");
    }
}
