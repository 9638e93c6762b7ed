//! A word to whoever wonders why nothing happens: without a path, a pipe as standard input is searched, and a program
//! that runs others may leave one open that nobody writes to.
//!
//! It takes one look at the pipe before the first read, no thread, and nothing at all unless somebody would see it.

use std::io::{self, IsTerminal};

/// What is said.
const HINT: &str = "no path was given, so standard input is searched, and nothing has come from there yet.\n\
    To search files, give a path such as .";

/// Wait until standard input has something, for a second at most. What to say if it has nothing and there is somebody
/// to tell: standard error is a terminal, or debug lines are asked for.
pub(crate) fn await_stdin() -> Option<&'static str> {
    let somebody_looks = log::log_enabled!(log::Level::Debug) || io::stderr().is_terminal();
    (somebody_looks && is_silent()).then_some(HINT)
}

/// Whether standard input has given nothing for a second, not even its end.
#[cfg(unix)]
fn is_silent() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let second = Timespec { tv_sec: 1, tv_nsec: 0 };
    // An error, such as a signal, is no reason to say anything.
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&second)) == Ok(0)
}

#[cfg(not(unix))]
fn is_silent() -> bool {
    false
}
