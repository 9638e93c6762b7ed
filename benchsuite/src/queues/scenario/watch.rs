//! A watchdog for tests that could hang.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Longer than any test takes.
const CHILD_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs `test` on a thread and fails instead of hanging.
pub(super) fn watched<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(test()));
    match receiver.recv_timeout(CHILD_TIMEOUT) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("the test hangs"),
        Err(RecvTimeoutError::Disconnected) => {
            resume_unwind(thread.join().expect_err("it ended without a result"))
        }
    }
}
