//! Detects lost wake-ups in debug builds: a sleeper looks up every second and panics if it should
//! have been woken.
//!
//! A false alarm would end a sound run, and visible work while a worker sleeps is not yet a lost
//! wake-up:
//!
//! * A publisher may be in the middle of a long batch, or have lost its core, between pushing and
//!   waking. So the alarm takes [`SUSPICIOUS_LOOKS`] looks in a row at an unchanged state. Looks
//!   are counted rather than seconds, so a process that was stopped for an hour is one look older.
//! * A worker on a chain of small items shows each one for the moment before it takes it itself,
//!   perhaps half of the time. So work counts as visible only if it is there in each of
//!   [`SAMPLES_PER_LOOK`] samples.
//!
//! A wake-up that was really lost stays lost while nothing else happens, and is reported after all.

use std::thread;
use std::time::{Duration, Instant};

use crate::idle::policy::Sleeper;

/// How long a sleeper sleeps before it looks up; `None` means until it is woken. Loom has no time,
/// and Miri's clock is unrelated to progress.
pub(crate) const MAX_SLEEP: Option<Duration> = if cfg!(all(debug_assertions, not(loom), not(miri)))
{
    Some(Duration::from_secs(1))
} else {
    None
};

/// How many looks in a row must be suspicious before the alarm.
const SUSPICIOUS_LOOKS: u32 = 15;

/// How many samples of one look must all see work.
const SAMPLES_PER_LOOK: u32 = 64;

/// The suspicions of one sleeper during one sleep.
pub(crate) struct Watchdog {
    /// The time of the last look; `None` if the watchdog is off.
    looked: Option<Instant>,
    suspicious: u32,
    last: u64,
}

impl Watchdog {
    /// The watchdog of a sleeper that begins to sleep now.
    pub(crate) fn new() -> Watchdog {
        Watchdog { looked: MAX_SLEEP.map(|_| Instant::now()), suspicious: 0, last: 0 }
    }

    /// Checks once per [`MAX_SLEEP`] whether worker `me` should be awake. `state` is the state of
    /// the policy; `quiet` is set if no worker searches.
    pub(crate) fn look(&mut self, me: usize, state: u64, quiet: bool, sleeper: &dyn Sleeper) {
        let (Some(nap), Some(looked)) = (MAX_SLEEP, &mut self.looked) else {
            return;
        };
        if looked.elapsed() < nap {
            return;
        }
        *looked = Instant::now();
        let missed = self.is_alarmed(state, quiet, sleeper);
        assert!(!missed, "worker {me} missed a wake-up, state {state:#x}");
    }

    fn is_alarmed(&mut self, state: u64, quiet: bool, sleeper: &dyn Sleeper) -> bool {
        let lost = quiet && state == self.last && is_visible(sleeper);
        self.suspicious = if lost { self.suspicious + 1 } else { 0 };
        self.last = state;
        self.suspicious >= SUSPICIOUS_LOOKS
    }
}

fn is_visible(sleeper: &dyn Sleeper) -> bool {
    (0..SAMPLES_PER_LOOK).all(|_| {
        thread::yield_now();
        sleeper.work_visible()
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::idle::policy::Recheck;

    /// Sees work in all but every `gap`th sample.
    struct Sight {
        gap: u32,
        glances: Cell<u32>,
    }

    impl Sleeper for Sight {
        fn recheck(&mut self) -> Recheck {
            Recheck::Nothing
        }

        fn work_visible(&self) -> bool {
            self.glances.set(self.glances.get() + 1);
            !self.glances.get().is_multiple_of(self.gap)
        }
    }

    fn looks_until_alarm(state: impl Fn(u32) -> u64, quiet: bool, gap: u32) -> Option<u32> {
        let (mut watchdog, sight) = (Watchdog::new(), Sight { gap, glances: Cell::new(0) });
        (1..1000).find(|&look| watchdog.is_alarmed(state(look), quiet, &sight))
    }

    #[test]
    fn work_that_stays_visible_is_an_alarm_in_the_end() {
        let always = u32::MAX;
        assert_eq!(looks_until_alarm(|_| 2, true, always), Some(SUSPICIOUS_LOOKS + 1));
    }

    #[test]
    fn no_alarm_while_anything_happens() {
        let always = u32::MAX;
        assert_eq!(looks_until_alarm(u64::from, true, always), None, "the state changes");
        assert_eq!(looks_until_alarm(|look| u64::from(look / 9), true, always), None);
        assert_eq!(looks_until_alarm(|_| 2, false, always), None, "a worker searches");
        assert_eq!(looks_until_alarm(|_| 2, true, SAMPLES_PER_LOOK), None, "items come and go");
        assert_eq!(looks_until_alarm(|_| 2, true, 2), None);
    }
}
