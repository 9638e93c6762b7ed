//! A watchdog over anything that might hang.

use std::fmt::Display;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time anything may take. Generous, because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs `act`. If it hangs, prints `what` and aborts, because a hung thread cannot be ended.
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
        // Moved in, so that it is dropped and ends the watchdog even if `act` panics.
        let _done = done;
        act()
    })
}

/// Waits until `ready` returns `true`, sleeping in between. Panics if that takes too long.
pub(crate) fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < LIMIT / 2, "timed out waiting for {what}");
        thread::sleep(Duration::from_micros(200));
    }
}
