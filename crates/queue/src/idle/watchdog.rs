//! In debug builds a sleeper looks up every second, and complains when it should have been woken.
//!
//! It has to be sure of itself, for a false alarm ends a sound run. Work in sight while somebody
//! sleeps is not yet a lost wake-up:
//!
//! * a publisher may be in the middle of a long batch, or have lost its core, between pushing and
//!   waking. So it takes [`PATIENCE`] looks in a row at an unchanged state; and since looks are
//!   counted instead of seconds, a process that was stopped for an hour is one look older;
//! * a worker on a chain of small items shows each for the moment before it takes it itself, which
//!   may well be half of the time. So work counts as in sight only if it is there each of
//!   [`GLANCES`] times.
//!
//! A wake-up that was really lost stays lost while nothing else happens, and is told all the same.

use std::thread;
use std::time::{Duration, Instant};

use crate::idle::Sleeper;

/// How long a sleeper sleeps until it looks up; `None`: until it is woken. Loom has no time, and
/// Miri's has little to do with how much gets done.
pub(super) const NAP: Option<Duration> = if cfg!(all(debug_assertions, not(loom), not(miri))) {
    Some(Duration::from_secs(1))
} else {
    None
};

/// Looks in a row that must find something suspicious before there is a complaint.
const PATIENCE: u32 = 15;

/// Times that work must be visible in each look.
const GLANCES: u32 = 64;

/// The suspicions of one sleeper during one sleep.
pub(super) struct Watchdog {
    /// When it last looked; `None` if it never does.
    looked: Option<Instant>,
    suspicious: u32,
    last: u64,
}

impl Watchdog {
    /// Of a sleeper that begins to sleep now.
    pub(super) fn new() -> Watchdog {
        Watchdog { looked: NAP.map(|_| Instant::now()), suspicious: 0, last: 0 }
    }

    /// Looks, if it is time to, whether worker `me` should be awake. `state` is all the policy
    /// knows, and `quiet` says that nobody searches.
    pub(super) fn look(&mut self, me: usize, state: u64, quiet: bool, sleeper: &dyn Sleeper) {
        let (Some(nap), Some(looked)) = (NAP, &mut self.looked) else {
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
        self.suspicious >= PATIENCE
    }
}

fn is_visible(sleeper: &dyn Sleeper) -> bool {
    (0..GLANCES).all(|_| {
        thread::yield_now();
        sleeper.work_visible()
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::idle::Recheck;

    /// Sees work in all but every `gap`th glance.
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
    fn work_that_stays_in_sight_is_an_alarm_in_the_end() {
        let always = u32::MAX;
        assert_eq!(looks_until_alarm(|_| 2, true, always), Some(PATIENCE + 1));
    }

    #[test]
    fn no_alarm_while_anything_happens() {
        let always = u32::MAX;
        assert_eq!(looks_until_alarm(u64::from, true, always), None, "the state changes");
        assert_eq!(looks_until_alarm(|look| u64::from(look / 9), true, always), None);
        assert_eq!(looks_until_alarm(|_| 2, false, always), None, "somebody searches");
        assert_eq!(looks_until_alarm(|_| 2, true, GLANCES), None, "items come and go");
        assert_eq!(looks_until_alarm(|_| 2, true, 2), None);
    }
}
