//! When a way of skimming that is fast where it seldom stops gives way to the regex engine.

/// Watches how far apart the places are at which a way of skimming stops. Where they are too near, it gives way to the
/// regex engine for a while.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Bytes between two stops that make the way worth it.
    worth: usize,
    stops: u32,
    skipped: usize,
    slow_calls: u32,
}

impl Pace {
    /// Stops after which the pace is judged.
    const WINDOW: u32 = 256;
    /// Calls for which the engine takes over.
    const PENALTY: u32 = 4096;

    pub(crate) fn new(worth: usize) -> Pace {
        Pace { worth, stops: 0, skipped: 0, slow_calls: 0 }
    }

    /// It stopped, `skipped` bytes after where it began.
    pub(crate) fn stopped_after(&mut self, skipped: usize) {
        self.stops += 1;
        self.skipped += skipped;
        if self.stops == Pace::WINDOW {
            if self.skipped < self.worth * Pace::WINDOW as usize {
                self.slow_calls = Pace::PENALTY;
            }
            (self.stops, self.skipped) = (0, 0);
        }
    }

    /// Whether the engine is to do it this time.
    pub(crate) fn is_slow(&mut self) -> bool {
        let slow = self.slow_calls > 0;
        self.slow_calls = self.slow_calls.saturating_sub(1);
        slow
    }
}
