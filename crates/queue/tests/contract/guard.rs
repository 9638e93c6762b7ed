//! A watchdog over anything that might hang, and the tests' random numbers.

use std::fmt::Display;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take. Generous: the machine may be busy with other things.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs `act`; if it hangs, says which and aborts, since a hung thread cannot be ended.
pub(crate) fn guarded<R>(what: impl Display, act: impl FnOnce() -> R) -> R {
    let what = what.to_string();
    let (done, hung) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if hung.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                eprintln!("hung for {LIMIT:?}: {what}");
                std::process::abort();
            }
        });
        // Moved in, so that it is dropped, and the watchdog leaves, even when `act` panics.
        let _done = done;
        act()
    })
}

/// Waits until `ready`, politely. Panics when that takes too long.
pub(crate) fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < LIMIT / 2, "waited in vain: {what}");
        thread::sleep(Duration::from_micros(200));
    }
}

/// Vigna's splitmix64: small, and good enough to shake a schedule.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
