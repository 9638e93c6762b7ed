//! A hint for programs that start `hs` with a pipe as standard input and never write to it.
//!
//! Without a path, `hs` searches the pipe and waits forever. A slow pipeline typed into a shell
//! waits as well, but without need for a hint. The writer distinguishes the two: a shell closes its
//! own ends of the pipes that it creates, so the writer is this process's sibling, while a program
//! that starts `hs` holds the other end itself. On Linux, the files that this process's ancestors
//! have open show which case it is.

use std::io::{self, IsTerminal};

use crate::sys::{stdin_is_held_by_ancestor, stdin_is_silent};

const HINT: &str = "no path was given, so standard input is searched, but nothing has arrived from there yet.\n\
    To search files, give a path such as .";

/// Waits until standard input is readable, but not for long. Returns the hint to print if an
/// ancestor of this process leaves it open without writing to it, or with `--debug`, if it is
/// silent for any reason.
pub(crate) fn await_stdin() -> Option<&'static str> {
    let debugs = log::log_enabled!(log::Level::Debug);
    let seconds = if debugs || io::stderr().is_terminal() { 1 } else { 3 };
    (stdin_is_silent(seconds) && (debugs || stdin_is_held_by_ancestor())).then_some(HINT)
}
